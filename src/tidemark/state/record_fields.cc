#include "tidemark/state/record_fields.h"

#include <chrono>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"

namespace tidemark::state {

const json::Value& member(const json::Value& record, std::string_view key) {
  const json::Value* value = record.find(key);
  if (value == nullptr) throw Error(ErrorCode::kInvalid, fmt::format("no `{}`", key));
  return *value;
}

Time time_member(const json::Value& record, std::string_view key) {
  const auto time = parse_iso_datetime(member(record, key).as_string());
  if (!time) throw Error(ErrorCode::kInvalid, fmt::format("`{}` is no date and time", key));
  return Time(std::chrono::microseconds(time->utc_micros()));
}

}  // namespace tidemark::state
