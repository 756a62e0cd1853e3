#include "tidemark/source/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/utf8.h"
#include "tidemark/source/csv_parser.h"

namespace tidemark::source {

namespace {

// A quote that is never closed would otherwise take the rest of the file into memory.
constexpr size_t kMaxRecordSize = 64 * 1024 * 1024;

enum class ColumnType { kUnknown, kInteger, kDecimal, kBoolean, kText };

struct Column {
  std::string name;
  ColumnType type = ColumnType::kUnknown;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<int64_t> to_integer(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || (digits[0] == '0' && text.size() > 1)) return std::nullopt;
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// A number of JSON's grammar with a fraction or an exponent, or an integer of up to 64 bits.
std::optional<double> to_decimal(std::string_view text) {
  if (const auto integer = to_integer(text)) return static_cast<double>(*integer);
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || !is_digit(digits[0]) || !is_digit(text.back())) return std::nullopt;
  if (digits[0] == '0' && digits.size() > 1 && is_digit(digits[1])) return std::nullopt;
  if (digits.find_first_of(".eE") == std::string_view::npos) return std::nullopt;
  if (const size_t point = digits.find('.');
      point + 1 < digits.size() && !is_digit(digits[point + 1])) {
    return std::nullopt;
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<bool> to_boolean(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

ColumnType type_of(std::string_view text) {
  if (to_integer(text)) return ColumnType::kInteger;
  if (to_decimal(text)) return ColumnType::kDecimal;
  if (to_boolean(text)) return ColumnType::kBoolean;
  return ColumnType::kText;
}

ColumnType common_type(ColumnType a, ColumnType b) {
  if (a == b || b == ColumnType::kUnknown) return a;
  if (a == ColumnType::kUnknown) return b;
  const auto is_number = [](ColumnType type) {
    return type == ColumnType::kInteger || type == ColumnType::kDecimal;
  };
  return is_number(a) && is_number(b) ? ColumnType::kDecimal : ColumnType::kText;
}

// The complete records of one window.
struct Records {
  std::vector<CsvField> fields;
  std::vector<size_t> ends;  // of each record, in fields
};

class CsvPages {
 public:
  CsvPages(const CsvOptions& options, const std::string& origin)
      : options_(options),
        origin_(origin),
        parser_(options.delimiter, options.quote),
        null_values_(options.null_values.begin(), options.null_values.end()) {}

  // Takes the records that text starts with; how many bytes are done with.
  size_t read(std::string_view text, bool is_end) {
    records_.fields.clear();
    records_.ends.clear();
    size_t done = 0;
    while (done < text.size()) {
      const size_t before = records_.fields.size();
      const auto record = parser_.parse(text.substr(done), is_end, line_, records_.fields);
      if (!record) break;
      check_utf8(text.substr(done, record->size));
      take_record(before);
      done += record->size;
      line_ += record->line_count;
    }
    if (done == 0 && text.size() >= kMaxRecordSize) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("line {}: a record is longer than {} bytes; is a quote not closed?",
                              line_, kMaxRecordSize));
    }
    return done;
  }

  bool has_rows() const { return !records_.ends.empty(); }

  // The rows of the last read().
  json::Page page() {
    infer();
    builder_.begin_array();
    size_t begin = 0;
    for (const size_t end : records_.ends) {
      add_row(begin, end);
      begin = end;
    }
    builder_.end_array();
    auto document = builder_.finish();
    const json::Node root = document->root();
    return json::Page::rows(std::move(document), root, origin_);
  }

  // What people should know of what was read.
  std::vector<std::string> warnings() const {
    std::vector<std::string> warnings = header_warnings_;
    if (padded_count_ > 0) {
      warnings.push_back(
          fmt::format("{}: {} records had another number of fields than the {} "
                      "columns and were padded",
                      origin_, padded_count_, header_size_));
    }
    return warnings;
  }

 private:
  std::string_view text(const CsvField& field) {
    return field.text(options_.quote.value_or('\0'), scratch_);
  }

  void check_utf8(std::string_view record) const {
    const size_t valid = json::valid_utf8_size(record);
    if (valid == record.size()) return;
    throw Error(ErrorCode::kInvalid,
                fmt::format("line {}: invalid UTF-8 at byte {} of the record (0x{:02x})", line_,
                            valid + 1, static_cast<unsigned char>(record[valid])));
  }

  // The record's fields are the last of records_, from begin.
  void take_record(size_t begin) {
    auto& fields = records_.fields;
    const size_t size = fields.size() - begin;
    const bool is_empty_line = size == 1 && fields[begin].raw.empty() && !fields[begin].is_quoted;
    if (is_empty_line) {
      fields.pop_back();
    } else if (columns_.empty()) {
      start_columns(begin);
    } else if (size != header_size_) {
      take_ragged_record(size);
    }
    const size_t last_end = records_.ends.empty() ? 0 : records_.ends.back();
    if (fields.size() > last_end) records_.ends.push_back(fields.size());
  }

  void start_columns(size_t begin) {
    header_size_ = records_.fields.size() - begin;
    for (size_t i = 0; i < header_size_; ++i) {
      const std::string name =
          options_.header ? std::string(text(records_.fields[begin + i])) : std::string();
      add_column(name);
    }
    if (options_.header) records_.fields.resize(begin);
  }

  void add_column(std::string name) {
    if (name.empty()) {
      name = fmt::format("column_{}", columns_.size() + 1);
      if (options_.header) {
        header_warnings_.push_back(fmt::format("{}: column {} has no name; it is called {}",
                                               origin_, columns_.size() + 1, name));
      }
    }
    std::string distinct = name;
    for (int i = 2; !names_.insert(distinct).second; ++i) distinct = fmt::format("{}_{}", name, i);
    if (distinct != name) {
      header_warnings_.push_back(
          fmt::format("{}: the name {} is there twice; column {} is called {}", origin_, name,
                      columns_.size() + 1, distinct));
    }
    columns_.push_back({.name = std::move(distinct)});
  }

  void take_ragged_record(size_t size) {
    if (!options_.pad_rows) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("line {}: expected {} fields, found {} (pad_rows: true fills up with "
                              "nulls)",
                              line_, header_size_, size));
    }
    ++padded_count_;
    while (columns_.size() < size) columns_.push_back({.name = extra_name()});
  }

  std::string extra_name() {
    std::string name = fmt::format("column_{}", columns_.size() + 1);
    while (!names_.insert(name).second) name += "_2";
    return name;
  }

  bool is_null(std::string_view text) const { return null_values_.contains(text); }

  void infer() {
    const auto is_known = [](const Column& column) { return column.type != ColumnType::kUnknown; };
    if (std::all_of(columns_.begin(), columns_.end(), is_known)) return;
    std::vector<ColumnType> found(columns_.size(), ColumnType::kUnknown);
    std::vector<bool> has_empty_text(columns_.size(), false);
    size_t begin = 0;
    for (const size_t end : records_.ends) {
      for (size_t i = begin; i < end; ++i) {
        const size_t place = i - begin;
        if (columns_[place].type != ColumnType::kUnknown || found[place] == ColumnType::kText) {
          continue;
        }
        const CsvField& field = records_.fields[i];
        if (field.raw.empty()) {
          has_empty_text[place] = has_empty_text[place] || field.is_quoted;
        } else if (const auto value = text(field); !is_null(value)) {
          found[place] = common_type(found[place], type_of(value));
        }
      }
      begin = end;
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (found[i] == ColumnType::kUnknown && has_empty_text[i]) found[i] = ColumnType::kText;
      if (columns_[i].type == ColumnType::kUnknown) columns_[i].type = found[i];
    }
  }

  void add_row(size_t begin, size_t end) {
    builder_.begin_object();
    for (size_t i = 0; i < columns_.size(); ++i) {
      builder_.key(columns_[i].name);
      if (begin + i < end) {
        add_value(columns_[i].type, records_.fields[begin + i]);
      } else {
        builder_.null();
      }
    }
    builder_.end_object();
  }

  void add_value(ColumnType type, const CsvField& field) {
    if (field.raw.empty()) {
      return field.is_quoted && type == ColumnType::kText ? builder_.string("") : builder_.null();
    }
    const std::string_view value = text(field);
    if (is_null(value)) return builder_.null();
    if (type == ColumnType::kInteger) {
      if (const auto integer = to_integer(value)) return builder_.int64(*integer);
    } else if (type == ColumnType::kDecimal) {
      if (const auto decimal = to_decimal(value)) return builder_.number(*decimal);
    } else if (type == ColumnType::kBoolean) {
      if (const auto boolean = to_boolean(value)) return builder_.boolean(*boolean);
    }
    builder_.string(value);
  }

  const CsvOptions& options_;
  const std::string& origin_;
  CsvParser parser_;
  std::set<std::string, std::less<>> null_values_;
  json::DocumentBuilder builder_;
  Records records_;
  std::vector<Column> columns_;
  std::set<std::string> names_;
  size_t header_size_ = 0;
  uint64_t line_ = 1;
  uint64_t padded_count_ = 0;
  std::vector<std::string> header_warnings_;
  std::string scratch_;
};

}  // namespace

bool read_csv_pages(ByteStream& stream, const CsvOptions& options, const std::string& origin,
                    size_t page_size, const YieldPage& yield,
                    const std::function<void(std::string)>& warn) {
  TextWindows windows(stream, page_size);
  CsvPages pages(options, origin);
  size_t done = 0;
  do {
    windows.advance(done);
    done = pages.read(windows.text(), windows.is_end());
    if (pages.has_rows() && !yield(pages.page())) return false;
  } while (!windows.is_end());
  for (std::string& warning : pages.warnings()) warn(std::move(warning));
  return true;
}

}  // namespace tidemark::source
