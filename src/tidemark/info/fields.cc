#include "tidemark/info/fields.h"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"

namespace tidemark::info {
namespace {

const json::Array kNoValues;
const json::Object kNoMembers;
const json::Value kNull;

[[noreturn]] void throw_wrong(std::string_view key, std::string_view expected) {
  throw Error(ErrorCode::kCorrupt, fmt::format("{} must be {}", key, expected));
}

}  // namespace

Fields::Fields(const json::Value& object)
    : object_(object.is_object() ? &object.as_object() : nullptr) {
  if (object_ == nullptr) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("expected an object, found {}", kind_name(object)));
  }
}

const json::Value* Fields::find(std::string_view key) const {
  const json::Value* value = object_->find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::optional<std::string> Fields::optional_text(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) throw_wrong(key, "a text");
  return value->as_string();
}

std::string Fields::text(std::string_view key) const { return optional_text(key).value_or(""); }

std::vector<std::string> Fields::texts(std::string_view key) const {
  std::vector<std::string> texts;
  for (const json::Value& value : list(key)) {
    if (!value.is_string()) throw_wrong(key, "a list of texts");
    texts.push_back(value.as_string());
  }
  return texts;
}

uint64_t Fields::count(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) return 0;
  std::optional<int64_t> number = value->is_number() ? value->as_number().to_int64() : std::nullopt;
  if (!number || *number < 0) throw_wrong(key, "a count");
  return static_cast<uint64_t>(*number);
}

double Fields::number(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) return 0;
  if (!value->is_number()) throw_wrong(key, "a number");
  return value->as_number().to_double();
}

bool Fields::flag(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) return false;
  if (!value->is_bool()) throw_wrong(key, "true or false");
  return value->as_bool();
}

std::optional<Time> Fields::optional_time(std::string_view key) const {
  std::optional<std::string> value = optional_text(key);
  if (!value) return std::nullopt;
  std::optional<DateTime> parsed = parse_iso_datetime(*value);
  if (!parsed) throw_wrong(key, "a date-time");
  return Time(std::chrono::microseconds(parsed->utc_micros()));
}

Time Fields::time(std::string_view key) const { return optional_time(key).value_or(Time()); }

Time Fields::unix_time(std::string_view key) const {
  double seconds = number(key);
  if (!(std::abs(seconds) < 1e11)) throw_wrong(key, "seconds since 1970");
  return Time(std::chrono::microseconds(std::llround(seconds * 1e6)));
}

const json::Array& Fields::list(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) return kNoValues;
  if (!value->is_array()) throw_wrong(key, "a list");
  return value->as_array();
}

const json::Object& Fields::object(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) return kNoMembers;
  if (!value->is_object()) throw_wrong(key, "an object");
  return value->as_object();
}

const json::Value& Fields::value(std::string_view key) const {
  const json::Value* value = find(key);
  return value == nullptr ? kNull : *value;
}

json::Value time_value(Time time) { return format_iso(time); }

json::Value time_value(const std::optional<Time>& time) {
  return time ? time_value(*time) : json::Value();
}

json::Value unix_time_value(Time time) {
  return static_cast<double>(time.time_since_epoch().count()) / 1e6;
}

json::Value text_value(const std::optional<std::string>& text) {
  return text ? json::Value(*text) : json::Value();
}

json::Array text_values(const std::vector<std::string>& texts) {
  return json::Array(texts.begin(), texts.end());
}

}  // namespace tidemark::info
