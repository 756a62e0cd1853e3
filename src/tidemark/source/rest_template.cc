#include "tidemark/source/rest_template.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/typed.h"

namespace tidemark::rest {

Template::Template(std::string_view text) {
  const auto fail = [&](std::string_view why) {
    throw Error(ErrorCode::kInvalid, fmt::format("'{}': {}", text, why));
  };
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) parts_.push_back({.is_name = false, .text = std::exchange(literal, {})});
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_brace = c == '{' || c == '}';
    if (is_brace && i + 1 < text.size() && text[i + 1] == c)
      ++i;
    else if (c == '}')
      fail("a } has no {; a brace that means itself is written }}");
    else if (c == '{') {
      const size_t end = text.find('}', i);
      if (end == std::string_view::npos)
        fail("a { has no }; a brace that means itself is written {{");
      const std::string_view name = text.substr(i + 1, end - i - 1);
      if (name.empty()) fail("a placeholder has no name");
      if (name.find_first_of("!:{") != std::string_view::npos) {
        fail("a placeholder is only a name; conversions and formats are not supported");
      }
      flush();
      parts_.push_back({.is_name = true, .text = std::string(name)});
      i = end;
      continue;
    }
    literal += c;
  }
  flush();
}

std::vector<std::string> Template::names() const {
  std::vector<std::string> names;
  for (const Part& part : parts_) {
    if (part.is_name) names.push_back(part.text);
  }
  return names;
}

bool Template::is_placeholder() const { return parts_.size() == 1 && parts_.front().is_name; }

std::string Template::expand(const Lookup& lookup) const {
  std::string out;
  for (const Part& part : parts_) {
    if (!part.is_name) {
      out += part.text;
      continue;
    }
    try {
      out += to_text(lookup(part.text));
    } catch (Error& error) {
      error.add_context(fmt::format("placeholder {{{}}}", part.text));
      throw;
    }
  }
  return out;
}

json::Value Template::expand_value(const Lookup& lookup) const {
  return is_placeholder() ? lookup(parts_.front().text) : json::Value(expand(lookup));
}

json::Value expand(const json::Value& value, const Template::Lookup& lookup, bool keeps_types) {
  if (value.is_string()) {
    json::Value expanded = Template(value.as_string()).expand_value(lookup);
    return keeps_types || expanded.is_null() ? expanded : json::Value(to_text(expanded));
  }
  if (value.is_array()) {
    json::Array out;
    for (const json::Value& item : value.as_array())
      out.push_back(expand(item, lookup, keeps_types));
    return out;
  }
  if (value.is_object()) {
    json::Object out;
    for (const auto& [key, item] : value.as_object()) {
      out.set(Template(key).expand(lookup), expand(item, lookup, keeps_types));
    }
    return out;
  }
  return value;
}

std::vector<std::string> placeholder_names(const json::Value& value) {
  if (value.is_string()) return Template(value.as_string()).names();
  std::vector<std::string> names;
  const auto add = [&](const std::vector<std::string>& more) {
    names.insert(names.end(), more.begin(), more.end());
  };
  if (value.is_array()) {
    for (const json::Value& item : value.as_array()) add(placeholder_names(item));
  } else if (value.is_object()) {
    for (const auto& [key, item] : value.as_object()) {
      add(Template(key).names());
      add(placeholder_names(item));
    }
  }
  return names;
}

std::string to_text(const json::Value& value) {
  if (value.is_string()) {
    const auto typed = json::typed(value.as_string());
    return typed ? std::string(typed->second) : value.as_string();
  }
  if (value.is_number()) return value.as_number().text();
  if (value.is_bool()) return value.as_bool() ? "true" : "false";
  throw Error(ErrorCode::kInvalid,
              fmt::format("expected text, a number or a boolean, found {}", kind_name(value)));
}

}  // namespace tidemark::rest
