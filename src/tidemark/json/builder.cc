#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <utility>

#include "tidemark/json/page.h"

namespace tidemark::json {

namespace {

constexpr int kKindShift = 56;
constexpr uint64_t kMaxCount = 0xFFFFFF;
constexpr char kRoot = 'r';
constexpr size_t kMaxReserved = 4 * 1024 * 1024;

uint64_t word(char kind, uint64_t payload) {
  return static_cast<uint64_t>(static_cast<uint8_t>(kind)) << kKindShift | payload;
}

uint64_t word(Kind kind, uint64_t payload) { return word(static_cast<char>(kind), payload); }

}  // namespace

size_t Document::byte_size() const {
  return tape_.capacity() * sizeof(uint64_t) + strings_.capacity();
}

DocumentBuilder::DocumentBuilder() : document_(std::make_shared<Document>()) {
  document_->tape_.push_back(word(kRoot, 0));
}

void DocumentBuilder::key(std::string_view name) {
  auto place = keys_.find(name);
  if (place == keys_.end()) place = keys_.emplace(name, add_string(name)).first;
  document_->tape_.push_back(word(Kind::kString, place->second));
}

void DocumentBuilder::null() { add_value(Kind::kNull, 0); }

void DocumentBuilder::boolean(bool value) { add_value(value ? Kind::kTrue : Kind::kFalse, 0); }

void DocumentBuilder::int64(int64_t value) {
  add_number(Kind::kInt64, static_cast<uint64_t>(value));
}

void DocumentBuilder::uint64(uint64_t value) {
  const bool is_large = value > static_cast<uint64_t>(INT64_MAX);
  add_number(is_large ? Kind::kUint64 : Kind::kInt64, value);
}

void DocumentBuilder::number(double value) {
  add_number(Kind::kDouble, std::bit_cast<uint64_t>(value));
}

void DocumentBuilder::big_number(std::string_view digits) {
  add_value(Kind::kBigNumber, add_string(digits));
}

void DocumentBuilder::string(std::string_view text) { add_value(Kind::kString, add_string(text)); }

void DocumentBuilder::number(const Number& number) {
  const std::string& text = number.text();
  if (!number.is_integer()) {
    const double value = number.to_double();
    return std::isfinite(value) ? this->number(value) : big_number(text);
  }
  if (const auto value = number.to_int64()) return int64(*value);
  uint64_t large = 0;
  const bool fits =
      std::from_chars(text.data(), text.data() + text.size(), large).ec == std::errc();
  return fits ? uint64(large) : big_number(text);
}

void DocumentBuilder::value(const Value& value) {
  if (value.is_null()) {
    null();
  } else if (value.is_bool()) {
    boolean(value.as_bool());
  } else if (value.is_number()) {
    number(value.as_number());
  } else if (value.is_string()) {
    string(value.as_string());
  } else if (value.is_array()) {
    begin_array();
    for (const Value& item : value.as_array()) this->value(item);
    end_array();
  } else {
    begin_object();
    for (const auto& [name, member] : value.as_object()) {
      key(name);
      this->value(member);
    }
    end_object();
  }
}

void DocumentBuilder::node(Node node) {
  switch (node.kind()) {
    case Kind::kNull:
      return null();
    case Kind::kTrue:
      return boolean(true);
    case Kind::kFalse:
      return boolean(false);
    case Kind::kInt64:
      return int64(node.int64());
    case Kind::kUint64:
      return uint64(node.uint64());
    case Kind::kDouble:
      return number(node.number());
    case Kind::kBigNumber:
      return big_number(node.string());
    case Kind::kString:
      return string(node.string());
    case Kind::kArray:
      begin_array();
      for (Node at = node.first(); !(at == node.end()); at = at.next()) this->node(at);
      return end_array();
    case Kind::kObject:
      begin_object();
      for (Node name = node.first(); !(name == node.end()); name = name.next().next()) {
        key(name.string());
        this->node(name.next());
      }
      return end_object();
  }
}

void DocumentBuilder::begin_object() { begin(Kind::kObject); }
void DocumentBuilder::end_object() { end('}'); }
void DocumentBuilder::begin_array() { begin(Kind::kArray); }
void DocumentBuilder::end_array() { end(']'); }

std::shared_ptr<const Document> DocumentBuilder::finish() {
  document_->tape_.push_back(word(kRoot, 0));
  document_->tape_[0] = word(kRoot, document_->tape_.size());
  auto finished = std::move(document_);
  *this = DocumentBuilder();
  // Pages of one source are much alike: the next one then grows into what it needs at once.
  document_->tape_.reserve(std::min(finished->tape_.size(), kMaxReserved));
  document_->strings_.reserve(std::min(finished->strings_.size(), kMaxReserved));
  return finished;
}

void DocumentBuilder::add_value(Kind kind, uint64_t payload) {
  if (!open_.empty()) ++open_.back().count;
  document_->tape_.push_back(word(kind, payload));
}

void DocumentBuilder::add_number(Kind kind, uint64_t bits) {
  add_value(kind, 0);
  document_->tape_.push_back(bits);
}

uint64_t DocumentBuilder::add_string(std::string_view text) {
  auto& strings = document_->strings_;
  const uint64_t place = strings.size();
  const auto length = static_cast<uint32_t>(text.size());
  uint8_t prefix[sizeof length];
  std::memcpy(prefix, &length, sizeof length);
  strings.insert(strings.end(), prefix, prefix + sizeof length);
  strings.insert(strings.end(), text.begin(), text.end());
  strings.push_back(0);
  return place;
}

void DocumentBuilder::begin(Kind kind) {
  add_value(kind, 0);
  open_.push_back({document_->tape_.size() - 1, 0});
}

void DocumentBuilder::end(char kind) {
  const Container container = open_.back();
  open_.pop_back();
  auto& tape = document_->tape_;
  tape.push_back(word(kind, container.begin));
  tape[container.begin] |= std::min(container.count, kMaxCount) << 32 | tape.size();
}

}  // namespace tidemark::json
