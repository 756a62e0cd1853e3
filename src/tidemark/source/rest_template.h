#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/json/value.h"

namespace tidemark::rest {

// Text with {placeholders}; {{ and }} stand for braces, as in Python's str.format. Immutable.
class Template {
 public:
  // What a name stands for. Throws when it stands for nothing.
  using Lookup = std::function<json::Value(std::string_view name)>;

  // Error kInvalid for a brace without its partner and for what Python allows behind a name (! and
  // :).
  explicit Template(std::string_view text);

  std::vector<std::string> names() const;
  // Whether the text is one placeholder and nothing else.
  bool is_placeholder() const;
  // Error kInvalid for a value that is null, an array or an object.
  std::string expand(const Lookup& lookup) const;
  // The value of the only placeholder, else the expanded text.
  json::Value expand_value(const Lookup& lookup) const;

 private:
  struct Part {
    bool is_name = false;
    std::string text;
  };
  std::vector<Part> parts_;
};

// value with every text in it expanded, keys included. A text that is only a placeholder becomes
// its value when keeps_types, else the value's text; a null stays null.
json::Value expand(const json::Value& value, const Template::Lookup& lookup, bool keeps_types);
// The names of all placeholders in value.
std::vector<std::string> placeholder_names(const json::Value& value);

// A string, number or boolean as a URL has it: text without quotes, true and false. Error kInvalid
// for the rest.
std::string to_text(const json::Value& value);

}  // namespace tidemark::rest
