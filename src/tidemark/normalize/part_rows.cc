#include "tidemark/normalize/part_rows.h"

#include <cstring>

#include "tidemark/base/datetime.h"
#include "tidemark/columns/chunk.h"
#include "tidemark/json/read.h"

namespace tidemark::normalize {

namespace {

template <typename T>
T fixed(const columns::ColumnView& view, size_t row) {
  T value;
  std::memcpy(&value, view.values + row * sizeof value, sizeof value);
  return value;
}

std::string decimal_text(columns::Int128 unscaled, int scale) {
  const bool is_negative = unscaled < 0;
  std::string digits;
  for (columns::Int128 rest = is_negative ? -unscaled : unscaled; rest != 0; rest /= 10) {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  }
  while (digits.size() <= static_cast<size_t>(scale)) digits.insert(digits.begin(), '0');
  if (scale > 0) digits.insert(digits.end() - scale, '.');
  return is_negative ? "-" + digits : digits;
}

json::Value value_at(const columns::ColumnInfo& info, const columns::ColumnView& view, size_t row) {
  if (info.type == "timestamp") {
    return format_iso(Time(std::chrono::microseconds(fixed<int64_t>(view, row))));
  }
  if (info.type == "time") return format_iso_time(fixed<int64_t>(view, row));
  if (info.type == "date") return format_iso_date(fixed<int32_t>(view, row));
  if (info.type == "json") return json::read(view.text(row));
  switch (info.layout) {
    case columns::Layout::kBool:
      return view.boolean(row);
    case columns::Layout::kInt64:
      return fixed<int64_t>(view, row);
    case columns::Layout::kDouble:
      return fixed<double>(view, row);
    case columns::Layout::kInt128:
      return decimal_text(fixed<columns::Int128>(view, row), info.scale);
    default:
      return std::string(view.text(row));
  }
}

}  // namespace

std::map<std::string, std::vector<json::Object>> rows_of(const Part& part) {
  std::map<std::string, std::vector<json::Object>> tables;
  for (const Part::Table& table : part.tables) {
    std::vector<uint64_t> aligned(table.encoded.size() / 8 + 1);
    std::memcpy(aligned.data(), table.encoded.data(), table.encoded.size());
    const columns::Chunk chunk = columns::decode_chunk(
        {reinterpret_cast<const char*>(aligned.data()), table.encoded.size()});
    auto& rows = tables[table.name];
    for (size_t row = 0; row < chunk.rows; ++row) {
      json::Object& object = rows.emplace_back();
      for (size_t i = 0; i < chunk.infos.size(); ++i) {
        if (!chunk.views[i].is_valid(row)) continue;
        object.set(chunk.infos[i].name, value_at(chunk.infos[i], chunk.views[i], row));
      }
    }
  }
  return tables;
}

}  // namespace tidemark::normalize
