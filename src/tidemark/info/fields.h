#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/json/value.h"

namespace tidemark::info {

// Typed reading of an object that one of the to_json functions wrote. A missing key and null read
// as empty; a value of another kind is Error kCorrupt that names the key.
class Fields {
 public:
  explicit Fields(const json::Value& object);

  std::string text(std::string_view key) const;
  std::optional<std::string> optional_text(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  uint64_t count(std::string_view key) const;
  double number(std::string_view key) const;
  bool flag(std::string_view key) const;
  Time time(std::string_view key) const;
  std::optional<Time> optional_time(std::string_view key) const;
  // Written as unix seconds.
  Time unix_time(std::string_view key) const;
  const json::Array& list(std::string_view key) const;
  const json::Object& object(std::string_view key) const;
  const json::Value& value(std::string_view key) const;

 private:
  // nullptr for a missing key and null.
  const json::Value* find(std::string_view key) const;

  const json::Object* object_;
};

json::Value time_value(Time time);
json::Value time_value(const std::optional<Time>& time);
json::Value unix_time_value(Time time);
json::Value text_value(const std::optional<std::string>& text);
json::Array text_values(const std::vector<std::string>& texts);

}  // namespace tidemark::info
