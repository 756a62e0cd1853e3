#include "tidemark/cli/query_output.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

bool is_number_type(std::string_view type) {
  constexpr std::string_view kTypes[] = {"TINYINT", "SMALLINT", "INTEGER",   "BIGINT",
                                         "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER",
                                         "UBIGINT", "UHUGEINT", "FLOAT",     "DOUBLE"};
  return std::ranges::find(kTypes, type) != std::end(kTypes) || type.starts_with("DECIMAL");
}

// Code points: good enough for aligning.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// One line a row, whatever the text holds; a cell that controls the terminal does not reach it.
std::string cell_text(const std::optional<std::string>& value) {
  if (!value) {
    return "NULL";
  }
  std::string out;
  for (char c : *value) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string csv_field(std::string_view text) {
  if (!text.empty() && text.find_first_of("\",\r\n") == text.npos) {
    return std::string(text);
  }
  std::string out = "\"";
  for (char c : text) {
    out += c == '"' ? "\"\"" : std::string(1, c);
  }
  return out + '"';
}

json::Value json_value(const std::string& text, std::string_view type) {
  const bool is_bool = type == "BOOLEAN";
  if (!is_bool && type != "JSON" && !is_number_type(type)) {
    return text;
  }
  try {
    return json::read(text);
  } catch (const Error&) {
    return text;  // nan and inf are no JSON
  }
}

}  // namespace

void TableOutput::columns(std::span<const std::string> names, std::span<const std::string> types) {
  std::vector<std::string> header;
  for (size_t i = 0; i < names.size(); ++i) {
    header.push_back(cell_text(names[i]));
    widths_.push_back(width_of(header.back()));
    is_number_.push_back(is_number_type(types[i]));
  }
  rows_.push_back(std::move(header));
}

bool TableOutput::row(std::span<const std::optional<std::string>> values) {
  std::vector<std::string> cells;
  for (size_t i = 0; i < values.size(); ++i) {
    cells.push_back(cell_text(values[i]));
    widths_[i] = std::max(widths_[i], width_of(cells.back()));
  }
  rows_.push_back(std::move(cells));
  return true;
}

std::string TableOutput::line(const std::vector<std::string>& cells) const {
  std::string out;
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths_[i] - width_of(cells[i]), ' ');
    out += i == 0 ? "" : "  ";
    out += is_number_[i] ? padding + cells[i] : cells[i] + padding;
  }
  return out.substr(0, out.find_last_not_of(' ') + 1) + '\n';
}

void TableOutput::finish() {
  if (rows_.empty()) {
    return;
  }
  std::string text = line(rows_.front());
  for (size_t i = 0; i < widths_.size(); ++i) {
    text += (i == 0 ? "" : "  ") + std::string(widths_[i], '-');
  }
  text += '\n';
  for (size_t i = 1; i < rows_.size(); ++i) {
    text += line(rows_[i]);
  }
  const size_t count = rows_.size() - 1;
  text += fmt::format("({} {})\n", count, count == 1 ? "row" : "rows");
  out_.write(text);
}

void CsvOutput::columns(std::span<const std::string> names,
                        std::span<const std::string> /*types*/) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ",") + csv_field(name);
  }
  out_.write(text + "\r\n");
}

bool CsvOutput::row(std::span<const std::optional<std::string>> values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    text += i == 0 ? "" : ",";
    text += values[i] ? csv_field(*values[i]) : "";
  }
  out_.write(text + "\r\n");
  return true;
}

void JsonOutput::columns(std::span<const std::string> names, std::span<const std::string> types) {
  names_.assign(names.begin(), names.end());
  types_.assign(types.begin(), types.end());
}

bool JsonOutput::row(std::span<const std::optional<std::string>> values) {
  json::Object object;
  for (size_t i = 0; i < values.size(); ++i) {
    object.set(names_[i], values[i] ? json_value(*values[i], types_[i]) : json::Value());
  }
  out_.write((has_rows_ ? ",\n" : "[\n") + json::write(object));
  has_rows_ = true;
  return true;
}

void JsonOutput::finish() { out_.write(has_rows_ ? "\n]\n" : "[]\n"); }

}  // namespace tidemark::cli
