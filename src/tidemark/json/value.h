#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tidemark::json {

class Value;
using Array = std::vector<Value>;

// A number as it was written. Two numbers are equal when their texts are.
class Number {
 public:
  Number() : text_("0") {}
  explicit Number(int64_t value);
  explicit Number(uint64_t value);
  // Shortest digits that read back the same, always with `.0` or an exponent (orjson's layout). NaN
  // and infinities are not JSON: Error kInvalid.
  explicit Number(double value);
  // text must be a JSON number, or one of Python's NaN, Infinity and -Infinity.
  static Number from_text(std::string text);

  const std::string& text() const { return text_; }
  // Whether the text has neither fraction nor exponent.
  bool is_integer() const;
  // Nothing when the number is no integer or does not fit.
  std::optional<int64_t> to_int64() const;
  // Rounded to the nearest double; infinite beyond its range.
  double to_double() const;
  bool operator==(const Number&) const = default;

 private:
  std::string text_;
};

// Members in the order they were written. A key set again keeps its place, as in Python. Looking a
// key up costs a scan, beyond 16 members a hash.
class Object {
 public:
  using Member = std::pair<std::string, Value>;

  Object();
  Object(std::initializer_list<Member> members);
  ~Object();
  Object(const Object&);
  Object(Object&&) noexcept;
  Object& operator=(const Object&);
  Object& operator=(Object&&) noexcept;

  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  // The member's value; a missing one is added as null.
  Value& operator[](std::string_view key);
  void set(std::string_view key, Value value);
  // Whether there was one.
  bool erase(std::string_view key);

  size_t size() const;
  bool empty() const { return size() == 0; }
  std::vector<Member>::const_iterator begin() const;
  std::vector<Member>::const_iterator end() const;
  // Values may be changed, keys may not.
  std::vector<Member>::iterator begin();
  std::vector<Member>::iterator end();

  bool operator==(const Object& other) const;  // the same members in the same order

 private:
  struct Index;
  std::vector<Member> members_;
  std::unique_ptr<Index> index_;
};

// A JSON value that loses nothing of what was read: number text, key order, unknown keys. For
// documents (state, schemas, settings), not for rows of data: those stay in a Page.
class Value {
 public:
  Value() = default;  // null
  Value(std::nullptr_t) {}
  // No pointer may turn into true.
  Value(std::same_as<bool> auto value) : data_(value) {}
  Value(int value) : data_(Number(int64_t{value})) {}
  Value(int64_t value) : data_(Number(value)) {}
  Value(uint64_t value) : data_(Number(value)) {}
  Value(double value) : data_(Number(value)) {}
  Value(Number value) : data_(std::move(value)) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(std::string_view value) : data_(std::string(value)) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(Array value) : data_(std::move(value)) {}
  Value(Object value) : data_(std::move(value)) {}

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(data_); }
  bool is_bool() const { return std::holds_alternative<bool>(data_); }
  bool is_number() const { return std::holds_alternative<Number>(data_); }
  bool is_string() const { return std::holds_alternative<std::string>(data_); }
  bool is_array() const { return std::holds_alternative<Array>(data_); }
  bool is_object() const { return std::holds_alternative<Object>(data_); }

  // Each asserts the kind: Error kInvalid that names both kinds.
  bool as_bool() const;
  const Number& as_number() const;
  int64_t as_int64() const;
  const std::string& as_string() const;
  const Array& as_array() const;
  Array& as_array();
  const Object& as_object() const;
  Object& as_object();

  // The member of an object; nullptr for a missing key and for values that are no object.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);

  bool operator==(const Value& other) const = default;

 private:
  std::variant<std::nullptr_t, bool, Number, std::string, Array, Object> data_;
};

// "null", "boolean", "number", "string", "array", "object".
std::string_view kind_name(const Value& value);

}  // namespace tidemark::json
