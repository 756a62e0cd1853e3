#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/base/secret.h"
#include "tidemark/json/value.h"

namespace tidemark::config {

enum class Kind { kNull, kBool, kNumber, kString, kList, kMap };

// Where a node was written; line and column from 1. Without a file for what was made in code.
// Without a line `file` is another place: `environment variable LOAD__WORKERS`.
struct Position {
  std::shared_ptr<const std::string> file = {};
  int line = 0;
  int column = 0;
};

// A part of a settings document (YAML, TOML or made in code): an immutable tree that knows where
// each value was written and by which keys it was reached. A node is a cheap handle that keeps its
// document alive; reading is safe from any thread.
//
// Whatever asserts something throws Error kInvalid as `FILE:LINE:COLUMN: key.path[0]: what was
// expected`. These errors never show the text of a value, which may be a secret; choice() does.
class Node {
 public:
  struct Member;

  // Null, made in code.
  Node();
  // value is null, a boolean, a number or a string.
  static Node scalar(json::Value value, Position position = {});
  static Node list(std::vector<Node> items, Position position = {});
  // The keys are distinct.
  static Node map(std::vector<Member> members, Position position = {});
  // Every node of it gets this position.
  static Node from_json(const json::Value& value, const Position& position = {});
  json::Value to_json() const;

  Kind kind() const;
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_string() const { return kind() == Kind::kString; }
  bool is_list() const { return kind() == Kind::kList; }
  bool is_map() const { return kind() == Kind::kMap; }
  const Position& position() const;
  // `pipelines[0].source.name`; empty for the root of a document.
  const std::string& path() const { return path_; }
  // The same node as if it had been reached by that path.
  Node with_path(std::string path) const;

  // The value of a null, boolean, number or string.
  const json::Value& value() const;
  // The elements of a list, the members of a map in the order they were written.
  std::vector<Node> items() const;
  std::vector<Member> members() const;
  // The member, which may be null; nothing when there is none. The node must be a map.
  std::optional<Node> find(std::string_view key) const;
  // The member; missing or null is an error.
  Node require(std::string_view key) const;

  // A map without other keys than these. The error names the nearest of them.
  void expect_keys(std::initializer_list<std::string_view> keys) const {
    expect_keys(std::span(keys.begin(), keys.size()));
  }
  void expect_keys(std::span<const std::string_view> keys) const;

  // Text only: a number must be quoted to become text, so that none changes its spelling unseen.
  std::string string() const;
  Secret secret() const;
  // A number, or the text of one (from `${VAR}` or an environment variable).
  int64_t integer() const;
  double number() const;
  // true or false, or one of dlt's words for them: yes true t y 1 on, no false f n 0 off, in any
  // case.
  bool boolean() const;
  // A list of texts, or one text alone.
  std::vector<std::string> strings() const;
  // One of these words, given back as the list has it.
  std::string_view choice(std::initializer_list<std::string_view> words) const;

  // The same of a member; nothing when it is missing or null.
  std::optional<std::string> optional_string(std::string_view key) const;
  std::optional<Secret> optional_secret(std::string_view key) const;
  std::optional<int64_t> optional_integer(std::string_view key) const;
  std::optional<double> optional_number(std::string_view key) const;
  std::optional<bool> optional_boolean(std::string_view key) const;
  std::optional<std::vector<std::string>> optional_strings(std::string_view key) const;
  std::optional<Node> optional_node(std::string_view key) const;

  // To throw: kInvalid with place and path in front of the message.
  Error error(std::string_view message) const;

 private:
  struct Data;
  struct DataMember;

  explicit Node(std::shared_ptr<const Data> data, std::string path = {});
  void expect(Kind kind) const;
  Node child(const DataMember& member) const;

  std::shared_ptr<const Data> data_;
  std::string path_;
};

struct Node::Member {
  std::string key;
  Node value;
  Position position = {};  // of the key
};

// "null", "true or false", "a number", "text", "a list", "a map".
std::string_view to_string(Kind kind);
// `FILE:LINE:COLUMN`, the file alone without a line, nothing without a file.
std::string to_string(const Position& position);

}  // namespace tidemark::config
