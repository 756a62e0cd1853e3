#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/json/node.h"
#include "tidemark/json/value.h"

namespace tidemark::json {

// A JSONPath in jsonpath-ng's dialect: `a.b`, `$.a.b`, `a[0].b`, `a[*].b`, `$..id`, `*`, quoted
// names
// `"a.b"`, dashes in plain names. Immutable.
class Path {
 public:
  // Error kInvalid names the text and the position.
  static Path parse(std::string_view text);

  const std::string& text() const { return text_; }
  // The name, when the path is one plain field: rows are then read without a search.
  std::optional<std::string_view> single_field() const;

  // Matches in document order.
  std::vector<Node> find(Node root) const;
  std::vector<const Value*> find(const Value& root) const;
  // The full path of each match, `a.b.[0]`, in jsonpath-ng 1.16's spelling.
  std::vector<std::string> full_paths(const Value& root) const;
  // Removes every match; how many there were.
  size_t erase(Value& root) const;

 private:
  struct Step {
    enum class Kind { kField, kIndex, kAnyIndex, kAnyField, kDescend } kind;
    std::string name;
    size_t index = 0;
  };
  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace tidemark::json
