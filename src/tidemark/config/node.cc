#include "tidemark/config/node.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/config/nearest.h"

namespace tidemark::config {
namespace {

Kind kind_of(const json::Value& value) {
  if (value.is_null()) return Kind::kNull;
  if (value.is_bool()) return Kind::kBool;
  if (value.is_number()) return Kind::kNumber;
  if (value.is_string()) return Kind::kString;
  return value.is_array() ? Kind::kList : Kind::kMap;
}

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<bool> parse_boolean(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue{"yes", "true", "t", "y", "1", "on"};
  constexpr std::array<std::string_view, 6> kFalse{"no", "false", "f", "n", "0", "off"};
  const std::string word = ascii_lower(text);
  if (std::ranges::find(kTrue, word) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, word) != kFalse.end()) return false;
  return std::nullopt;
}

Error located(const Position& position, std::string_view path, std::string_view message) {
  std::string text = to_string(position);
  if (!text.empty()) text += ": ";
  if (!path.empty()) text += fmt::format("{}: ", path);
  text += message;
  return Error(ErrorCode::kInvalid, std::move(text));
}

std::string join_path(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

}  // namespace

struct Node::DataMember {
  std::string key;
  Position position;
  std::shared_ptr<const Data> value;
};

struct Node::Data {
  Kind kind = Kind::kNull;
  Position position;
  json::Value value;
  std::vector<std::shared_ptr<const Data>> items;
  std::vector<DataMember> members;
};

Node::Node() : Node(std::make_shared<const Data>()) {}

Node::Node(std::shared_ptr<const Data> data, std::string path)
    : data_(std::move(data)), path_(std::move(path)) {}

Node Node::scalar(json::Value value, Position position) {
  auto data = std::make_shared<Data>();
  data->kind = kind_of(value);
  data->position = std::move(position);
  data->value = std::move(value);
  return Node(std::move(data));
}

Node Node::list(std::vector<Node> items, Position position) {
  auto data = std::make_shared<Data>();
  data->kind = Kind::kList;
  data->position = std::move(position);
  for (Node& item : items) data->items.push_back(std::move(item.data_));
  return Node(std::move(data));
}

Node Node::map(std::vector<Member> members, Position position) {
  auto data = std::make_shared<Data>();
  data->kind = Kind::kMap;
  data->position = std::move(position);
  for (Member& member : members) {
    data->members.push_back(
        {std::move(member.key), member.position, std::move(member.value.data_)});
  }
  return Node(std::move(data));
}

Node Node::from_json(const json::Value& value, const Position& position) {
  if (value.is_array()) {
    std::vector<Node> items;
    for (const json::Value& item : value.as_array()) items.push_back(from_json(item, position));
    return list(std::move(items), position);
  }
  if (value.is_object()) {
    std::vector<Member> members;
    for (const auto& [key, member] : value.as_object()) {
      members.push_back({key, from_json(member, position), position});
    }
    return map(std::move(members), position);
  }
  return scalar(value, position);
}

json::Value Node::to_json() const {
  if (is_list()) {
    json::Array array;
    for (const Node& item : items()) array.push_back(item.to_json());
    return array;
  }
  if (is_map()) {
    json::Object object;
    for (const Member& member : members()) object.set(member.key, member.value.to_json());
    return object;
  }
  return data_->value;
}

Kind Node::kind() const { return data_->kind; }

const Position& Node::position() const { return data_->position; }

Node Node::with_path(std::string path) const { return Node(data_, std::move(path)); }

const json::Value& Node::value() const {
  if (is_list() || is_map()) {
    throw error(fmt::format("expected one value, found {}", to_string(kind())));
  }
  return data_->value;
}

std::vector<Node> Node::items() const {
  expect(Kind::kList);
  std::vector<Node> nodes;
  nodes.reserve(data_->items.size());
  for (size_t i = 0; i < data_->items.size(); ++i) {
    nodes.push_back(Node(data_->items[i], fmt::format("{}[{}]", path_, i)));
  }
  return nodes;
}

Node Node::child(const DataMember& member) const {
  return Node(member.value, join_path(path_, member.key));
}

std::vector<Node::Member> Node::members() const {
  expect(Kind::kMap);
  std::vector<Member> nodes;
  for (const DataMember& member : data_->members) {
    nodes.push_back({member.key, child(member), member.position});
  }
  return nodes;
}

std::optional<Node> Node::find(std::string_view key) const {
  expect(Kind::kMap);
  const auto member = std::ranges::find(data_->members, key, &DataMember::key);
  if (member == data_->members.end()) return std::nullopt;
  return child(*member);
}

Node Node::require(std::string_view key) const {
  std::optional<Node> member = find(key);
  if (!member || member->is_null()) throw error(fmt::format("'{}' is missing", key));
  return *std::move(member);
}

void Node::expect_keys(std::span<const std::string_view> keys) const {
  expect(Kind::kMap);
  for (const DataMember& member : data_->members) {
    if (std::ranges::find(keys, member.key) != keys.end()) continue;
    const std::string hint = suggestion(member.key, keys);
    throw located(member.position, join_path(path_, member.key), "unknown key" + hint);
  }
}

std::string Node::string() const {
  if (kind() == Kind::kNumber || kind() == Kind::kBool) {
    throw error(fmt::format("expected text, found {}; put it in quotes", to_string(kind())));
  }
  expect(Kind::kString);
  return data_->value.as_string();
}

Secret Node::secret() const { return Secret(string()); }

int64_t Node::integer() const {
  std::optional<int64_t> number;
  if (kind() == Kind::kNumber) number = data_->value.as_number().to_int64();
  if (kind() == Kind::kString) number = parse_number<int64_t>(data_->value.as_string());
  if (!number) throw error(fmt::format("expected a whole number, found {}", to_string(kind())));
  return *number;
}

double Node::number() const {
  std::optional<double> number;
  if (kind() == Kind::kNumber) number = data_->value.as_number().to_double();
  if (kind() == Kind::kString) number = parse_number<double>(data_->value.as_string());
  if (!number) throw error(fmt::format("expected a number, found {}", to_string(kind())));
  return *number;
}

bool Node::boolean() const {
  if (kind() == Kind::kBool) return data_->value.as_bool();
  std::optional<bool> boolean;
  if (kind() == Kind::kString) boolean = parse_boolean(data_->value.as_string());
  if (!boolean) throw error(fmt::format("expected true or false, found {}", to_string(kind())));
  return *boolean;
}

std::vector<std::string> Node::strings() const {
  if (is_string()) return {string()};
  std::vector<std::string> texts;
  for (const Node& item : items()) texts.push_back(item.string());
  return texts;
}

std::string_view Node::choice(std::initializer_list<std::string_view> words) const {
  const std::string word = string();
  const auto match = std::ranges::find(words, word);
  if (match == words.end()) {
    const std::string hint = suggestion(word, std::span(words.begin(), words.size()));
    throw error(fmt::format("unknown value '{}'{}", word, hint));
  }
  return *match;
}

std::optional<Node> Node::optional_node(std::string_view key) const {
  std::optional<Node> member = find(key);
  if (member && member->is_null()) return std::nullopt;
  return member;
}

std::optional<std::string> Node::optional_string(std::string_view key) const {
  const std::optional<Node> member = optional_node(key);
  return member ? std::optional(member->string()) : std::nullopt;
}

std::optional<Secret> Node::optional_secret(std::string_view key) const {
  const std::optional<Node> member = optional_node(key);
  return member ? std::optional(member->secret()) : std::nullopt;
}

std::optional<int64_t> Node::optional_integer(std::string_view key) const {
  const std::optional<Node> member = optional_node(key);
  return member ? std::optional(member->integer()) : std::nullopt;
}

std::optional<double> Node::optional_number(std::string_view key) const {
  const std::optional<Node> member = optional_node(key);
  return member ? std::optional(member->number()) : std::nullopt;
}

std::optional<bool> Node::optional_boolean(std::string_view key) const {
  const std::optional<Node> member = optional_node(key);
  return member ? std::optional(member->boolean()) : std::nullopt;
}

std::optional<std::vector<std::string>> Node::optional_strings(std::string_view key) const {
  const std::optional<Node> member = optional_node(key);
  return member ? std::optional(member->strings()) : std::nullopt;
}

Error Node::error(std::string_view message) const { return located(position(), path_, message); }

void Node::expect(Kind expected) const {
  if (kind() == expected) return;
  throw error(fmt::format("expected {}, found {}", to_string(expected), to_string(kind())));
}

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "true or false";
    case Kind::kNumber:
      return "a number";
    case Kind::kString:
      return "text";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
  }
  return "nothing";
}

std::string to_string(const Position& position) {
  if (!position.file) return "";
  if (position.line == 0) return *position.file;
  return fmt::format("{}:{}:{}", *position.file, position.line, position.column);
}

}  // namespace tidemark::config
