#include "tidemark/source/csv_parser.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::source {

namespace {

// LF, CR LF and CR each are one.
uint64_t count_line_breaks(std::string_view text) {
  uint64_t count = 0;
  for (size_t at = text.find_first_of("\r\n"); at != std::string_view::npos;
       at = text.find_first_of("\r\n", at + 1)) {
    const bool is_second_half = text[at] == '\n' && at > 0 && text[at - 1] == '\r';
    if (!is_second_half) ++count;
  }
  return count;
}

}  // namespace

std::string_view CsvField::text(char quote, std::string& scratch) const {
  if (!has_quotes_inside) return raw;
  scratch.clear();
  for (size_t at = 0; at < raw.size(); ++at) {
    scratch.push_back(raw[at]);
    if (raw[at] == quote) ++at;
  }
  return scratch;
}

CsvParser::CsvParser(char delimiter, std::optional<char> quote)
    : delimiter_(delimiter), quote_(quote) {
  for (const char c : {delimiter, '\n', '\r'}) ends_plain_[static_cast<unsigned char>(c)] = true;
}

std::optional<CsvRecord> CsvParser::parse(std::string_view text, bool is_end, uint64_t line,
                                          std::vector<CsvField>& fields) const {
  const size_t field_count = fields.size();
  CsvRecord record;
  std::optional<size_t> at = 0;
  while (true) {
    CsvField field;
    at = quote_ && *at < text.size() && text[*at] == *quote_
             ? parse_quoted(text, *at, is_end, line, record, field)
             : parse_plain(text, *at, field);
    if (!at || (*at == text.size() && !is_end)) break;
    fields.push_back(field);
    if (*at == text.size()) return CsvRecord{*at, record.line_count};
    if (text[*at] != delimiter_) {
      // Whether a LF follows a CR at the end of the text is still to be seen.
      if (text[*at] == '\r' && *at + 1 == text.size() && !is_end) break;
      const size_t size = text.substr(*at).starts_with("\r\n") ? 2 : 1;
      return CsvRecord{*at + size, record.line_count + 1};
    }
    ++*at;
  }
  fields.resize(field_count);
  return std::nullopt;
}

std::optional<size_t> CsvParser::parse_quoted(std::string_view text, size_t at, bool is_end,
                                              uint64_t line, CsvRecord& record,
                                              CsvField& field) const {
  const size_t start = at + 1;
  size_t end = text.find(*quote_, start);
  while (end + 1 < text.size() && end != std::string_view::npos && text[end + 1] == *quote_) {
    field.has_quotes_inside = true;
    end = text.find(*quote_, end + 2);
  }
  if (end == std::string_view::npos) {
    if (!is_end) return std::nullopt;
    throw Error(ErrorCode::kInvalid,
                fmt::format("line {}: a quoted field does not end", line + record.line_count));
  }
  field.raw = text.substr(start, end - start);
  field.is_quoted = true;
  record.line_count += count_line_breaks(field.raw);
  const size_t behind = end + 1;
  if (behind < text.size() && !ends_plain_[static_cast<unsigned char>(text[behind])]) {
    throw Error(
        ErrorCode::kInvalid,
        fmt::format("line {}: expected a delimiter or the line's end behind a closing quote",
                    line + record.line_count));
  }
  return behind;
}

size_t CsvParser::parse_plain(std::string_view text, size_t at, CsvField& field) const {
  const size_t start = at;
  while (at < text.size() && !ends_plain_[static_cast<unsigned char>(text[at])]) ++at;
  field.raw = text.substr(start, at - start);
  return at;
}

}  // namespace tidemark::source
