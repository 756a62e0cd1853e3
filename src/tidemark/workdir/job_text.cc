#include "tidemark/workdir/job_text.h"

#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/datetime.h"
#include "tidemark/json/write.h"

namespace tidemark::workdir {
namespace {

using columns::ColumnView;
using columns::Int128;
using columns::Layout;

template <typename T>
T fixed(const ColumnView& view, size_t row) {
  T value;
  std::memcpy(&value, view.values + row * sizeof value, sizeof value);
  return value;
}

void append_decimal(Int128 unscaled, int scale, std::string& out) {
  const bool is_negative = unscaled < 0;
  std::string digits = fmt::format("{}", is_negative ? -unscaled : unscaled);
  const auto places = static_cast<size_t>(scale);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.size() - places, 1, '.');
  if (is_negative) out += '-';
  out += digits;
}

// ISO texts of timestamps, dates and times; empty for any other type.
std::string iso_text(const JobColumn& column, const ColumnView& view, size_t row) {
  const std::string& type = column.info.type;
  if (type == "timestamp") {
    const auto micros = fixed<int64_t>(view, row);
    if (!column.has_timezone) return format_iso(DateTime{micros, std::nullopt});
    return format_iso(Time(std::chrono::microseconds(micros)));
  }
  if (type == "date") return format_iso_date(fixed<int32_t>(view, row));
  if (type == "time") return format_iso_time(fixed<int64_t>(view, row));
  return {};
}

// dlt drops NUL, which ends a statement that DuckDB parses; as bytes it comes through.
void append_text_literal(std::string_view text, std::string& out) {
  if (text.find('\0') != text.npos) {
    out += fmt::format("decode(from_base64('{}'))", base64_encode(text));
    return;
  }
  out += "E'";
  for (const char c : text) {
    switch (c) {
      case '\'':
        out += "''";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        out += c;
    }
  }
  out += '\'';
}

// With an exponent: DuckDB reads a literal without one as a decimal, and its double may be another
// one.
void append_double_literal(double value, std::string& out) {
  const size_t start = out.size();
  json::append_double(out, value);
  if (out.find('e', start) == out.npos) out += "e0";
}

void append_literal(const JobColumn& column, const ColumnView& view, size_t row, std::string& out) {
  if (const std::string text = iso_text(column, view, row); !text.empty()) {
    out += fmt::format("'{}'", text);
    return;
  }
  switch (view.layout) {
    case Layout::kBool:
      out += view.boolean(row) ? "True" : "False";
      return;
    case Layout::kInt32:
      out += std::to_string(fixed<int32_t>(view, row));
      return;
    case Layout::kInt64:
      out += std::to_string(fixed<int64_t>(view, row));
      return;
    case Layout::kDouble:
      append_double_literal(fixed<double>(view, row), out);
      return;
    case Layout::kInt128:
      append_decimal(fixed<Int128>(view, row), column.info.scale, out);
      return;
    case Layout::kBytes:
      if (column.info.type == "binary") {
        out += fmt::format("from_base64('{}')", base64_encode(view.text(row)));
      } else {
        append_text_literal(view.text(row), out);
      }
  }
}

// A line break between the tokens of a document would end the row.
void append_document(std::string_view text, std::string& out) {
  for (const char c : text) out += c == '\n' || c == '\r' ? ' ' : c;
}

void append_json_bytes(const JobColumn& column, std::string_view bytes, std::string& out) {
  if (column.info.type == "json") {
    append_document(bytes, out);
  } else if (column.info.type == "binary") {
    json::append_quoted(out, base64_encode(bytes));
  } else {
    json::append_quoted(out, bytes);
  }
}

void append_json(const JobColumn& column, const ColumnView& view, size_t row, std::string& out) {
  if (const std::string text = iso_text(column, view, row); !text.empty()) {
    json::append_quoted(out, text);
    return;
  }
  switch (view.layout) {
    case Layout::kBool:
      out += view.boolean(row) ? "true" : "false";
      return;
    case Layout::kInt32:
      out += std::to_string(fixed<int32_t>(view, row));
      return;
    case Layout::kInt64:
      out += std::to_string(fixed<int64_t>(view, row));
      return;
    case Layout::kDouble:
      json::append_double(out, fixed<double>(view, row));
      return;
    case Layout::kInt128:
      out += '"';
      append_decimal(fixed<Int128>(view, row), column.info.scale, out);
      out += '"';
      return;
    case Layout::kBytes:
      append_json_bytes(column, view.text(row), out);
  }
}

}  // namespace

void append_insert_header(const std::vector<JobColumn>& columns, std::string& out) {
  out += "INSERT INTO {}(";
  for (const JobColumn& column : columns) {
    if (&column != columns.data()) out += ',';
    out += '"';
    for (const char c : column.info.name) out.append(c == '"' ? 2 : 1, c);
    out += '"';
  }
  out += ")\nVALUES\n";
}

void append_tuple(const JobRows& rows, size_t row, std::string& out) {
  out += '(';
  for (size_t i = 0; i < rows.columns.size(); ++i) {
    if (i > 0) out += ',';
    const ColumnView* view = rows.views[i];
    if (view == nullptr || !view->is_valid(row)) {
      out += "NULL";
    } else {
      append_literal(rows.columns[i], *view, row, out);
    }
  }
  out += ')';
}

void append_json_line(const JobRows& rows, size_t row, std::string& out) {
  out += '{';
  bool is_first = true;
  for (size_t i = 0; i < rows.columns.size(); ++i) {
    const ColumnView* view = rows.views[i];
    if (view == nullptr || !view->is_valid(row)) continue;
    if (!is_first) out += ',';
    is_first = false;
    json::append_quoted(out, rows.columns[i].info.name);
    out += ':';
    append_json(rows.columns[i], *view, row, out);
  }
  out += "}\n";
}

}  // namespace tidemark::workdir
