#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/json/node.h"
#include "tidemark/json/value.h"

namespace tidemark::json {

// A JSONPath in jsonpath-ng's dialect: `a.b`, `$.a.b`, `a[0].b`, `a[-1]`, `a[*].b`, `$..id`, `*`,
// quoted names `"a.b"`, dashes in plain names. `*` and `[*]` are the same: every member or element.
// Slices, unions and filters are not supported. Immutable.
class Path {
 public:
  // Error kInvalid names the text and the position; kUnsupported what jsonpath-ng knows beyond the
  // above.
  static Path parse(std::string_view text);

  const std::string& text() const { return text_; }
  // The name, when the path is one plain field.
  std::optional<std::string_view> single_field() const;

  // Matches in jsonpath-ng's order: below `..` a value comes before what is inside of it. Of
  // duplicate keys a name finds the last, `*` and `..` each.
  std::vector<Node> find(Node root) const;
  std::vector<const Value*> find(const Value& root) const;
  // The first of them. Names and indexes are followed without a search.
  std::optional<Node> find_first(Node root) const;
  // The full path of each match, `a.b.[0]`, in jsonpath-ng 1.16's spelling.
  std::vector<std::string> full_paths(const Value& root) const;
  // Removes every match but the root; how many there were.
  size_t erase(Value& root) const;

 private:
  struct Step {
    // kDescend: what follows is looked for in the value and in everything below it.
    enum class Kind { kField, kIndex, kAny, kDescend } kind;
    std::string name;
    int64_t index = 0;  // below zero: from the end
  };
  class Parser;
  class Eraser;
  template <typename Document, typename Visit>
  class Walker;

  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace tidemark::json
