#include "tidemark/json/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/write.h"

namespace tidemark::json {

Number::Number(int64_t value) : text_(std::to_string(value)) {}

Number::Number(uint64_t value) : text_(std::to_string(value)) {}

Number::Number(double value) {
  if (!std::isfinite(value)) {
    throw Error(ErrorCode::kInvalid, "JSON has no number for NaN or infinity");
  }
  append_double(text_, value);
}

Number Number::from_text(std::string text) {
  Number number;
  number.text_ = std::move(text);
  return number;
}

bool Number::is_integer() const { return text_.find_first_of(".eENI") == std::string::npos; }

std::optional<int64_t> Number::to_int64() const {
  int64_t value = 0;
  const char* end = text_.data() + text_.size();
  const auto [stop, error] = std::from_chars(text_.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

namespace {
// The exponent of the first digit that is not zero, as in scientific notation; roughly, beyond 18
// digits.
int64_t decimal_exponent(std::string_view text) {
  const size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, mark);
  const size_t first = mantissa.find_first_of("123456789");
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::string_view digits = text.substr(std::min(mark + 1, text.size()));
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const bool is_negative = digits.starts_with('-');
  // Far beyond any double, and far enough from the ends of int64 to be added to.
  constexpr int64_t kMost = 1'000'000'000'000'000'000;
  int64_t exponent = 0;
  const char* end = digits.data() + digits.size();
  if (std::from_chars(digits.data(), end, exponent).ec == std::errc::result_out_of_range) {
    exponent = is_negative ? -kMost : kMost;
  }
  exponent = std::clamp(exponent, -kMost, kMost);
  return exponent + static_cast<int64_t>(point) - static_cast<int64_t>(first);
}
}  // namespace

double Number::to_double() const {
  double value = 0;
  const char* end = text_.data() + text_.size();
  if (std::from_chars(text_.data(), end, value).ec == std::errc()) return value;
  // Out of range; from_chars does not say on which side.
  const double magnitude =
      decimal_exponent(text_) > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return text_.front() == '-' ? -magnitude : magnitude;
}

namespace {
// Up to here a scan is faster than a hash.
constexpr size_t kMaxScanned = 16;
}  // namespace

// Places of the members by the hash of their key. Keys are not held: they move when members_ grows.
struct Object::Index {
  explicit Index(const std::vector<Member>& members) {
    for (size_t i = 0; i < members.size(); ++i) add(members[i].first, i);
  }
  void add(std::string_view key, size_t place) {
    places.emplace(std::hash<std::string_view>()(key), place);
  }
  std::unordered_multimap<size_t, size_t> places;
};

Object::Object() = default;
Object::~Object() = default;
Object::Object(Object&&) noexcept = default;
Object& Object::operator=(Object&&) noexcept = default;

Object::Object(std::initializer_list<Member> members) {
  for (const auto& [key, value] : members) set(key, value);
}

Object::Object(const Object& other)
    : members_(other.members_),
      index_(other.index_ ? std::make_unique<Index>(*other.index_) : nullptr) {}

Object& Object::operator=(const Object& other) {
  if (this != &other) *this = Object(other);
  return *this;
}

const Value* Object::find(std::string_view key) const {
  if (!index_) {
    for (const auto& member : members_) {
      if (member.first == key) return &member.second;
    }
    return nullptr;
  }
  const auto [first, last] = index_->places.equal_range(std::hash<std::string_view>()(key));
  for (auto it = first; it != last; ++it) {
    const auto& member = members_[it->second];
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

Value* Object::find(std::string_view key) {
  return const_cast<Value*>(static_cast<const Object*>(this)->find(key));
}

Value& Object::operator[](std::string_view key) {
  if (Value* value = find(key)) return *value;
  members_.emplace_back(std::string(key), Value());
  if (index_) {
    index_->add(key, members_.size() - 1);
  } else if (members_.size() > kMaxScanned) {
    index_ = std::make_unique<Index>(members_);
  }
  return members_.back().second;
}

void Object::set(std::string_view key, Value value) { (*this)[key] = std::move(value); }

bool Object::erase(std::string_view key) {
  const Value* value = find(key);
  if (!value) return false;
  for (auto it = members_.begin(); it != members_.end(); ++it) {
    if (&it->second != value) continue;
    members_.erase(it);
    break;
  }
  index_ = members_.size() > kMaxScanned ? std::make_unique<Index>(members_) : nullptr;
  return true;
}

size_t Object::size() const { return members_.size(); }
std::vector<Object::Member>::const_iterator Object::begin() const { return members_.begin(); }
std::vector<Object::Member>::const_iterator Object::end() const { return members_.end(); }
std::vector<Object::Member>::iterator Object::begin() { return members_.begin(); }
std::vector<Object::Member>::iterator Object::end() { return members_.end(); }
bool Object::operator==(const Object& other) const { return members_ == other.members_; }

std::string_view kind_name(const Value& value) {
  if (value.is_null()) return "null";
  if (value.is_bool()) return "boolean";
  if (value.is_number()) return "number";
  if (value.is_string()) return "string";
  return value.is_array() ? "array" : "object";
}

namespace {
[[noreturn]] void throw_kind(std::string_view expected, const Value& value) {
  throw Error(ErrorCode::kInvalid,
              fmt::format("expected {}, found {}", expected, kind_name(value)));
}
}  // namespace

bool Value::as_bool() const {
  if (!is_bool()) throw_kind("boolean", *this);
  return std::get<bool>(data_);
}

const Number& Value::as_number() const {
  if (!is_number()) throw_kind("number", *this);
  return std::get<Number>(data_);
}

int64_t Value::as_int64() const {
  const auto value = as_number().to_int64();
  if (!value) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("expected an integer of up to 64 bits, found {}", as_number().text()));
  }
  return *value;
}

const std::string& Value::as_string() const {
  if (!is_string()) throw_kind("string", *this);
  return std::get<std::string>(data_);
}

const Array& Value::as_array() const {
  if (!is_array()) throw_kind("array", *this);
  return std::get<Array>(data_);
}

Array& Value::as_array() {
  if (!is_array()) throw_kind("array", *this);
  return std::get<Array>(data_);
}

const Object& Value::as_object() const {
  if (!is_object()) throw_kind("object", *this);
  return std::get<Object>(data_);
}

Object& Value::as_object() {
  if (!is_object()) throw_kind("object", *this);
  return std::get<Object>(data_);
}

const Value* Value::find(std::string_view key) const {
  return is_object() ? std::get<Object>(data_).find(key) : nullptr;
}

Value* Value::find(std::string_view key) {
  return is_object() ? std::get<Object>(data_).find(key) : nullptr;
}

}  // namespace tidemark::json
