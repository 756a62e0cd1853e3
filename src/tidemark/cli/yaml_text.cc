#include "tidemark/cli/yaml_text.h"

#include <algorithm>
#include <string_view>

#include "tidemark/base/ascii.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_word_byte(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') ||
         std::string_view("_-./+=").find(c) != std::string_view::npos;
}

// Words that are no text to some reader of YAML.
bool is_reserved(std::string_view text) {
  constexpr std::string_view kWords[] = {"true", "false", "yes", "no", "on",
                                         "off",  "null",  "y",   "n"};
  return std::ranges::find(kWords, ascii_lower(text)) != std::end(kWords);
}

std::string scalar_text(const std::string& text) {
  const bool is_plain = !text.empty() && (is_letter(text[0]) || text[0] == '_') &&
                        std::ranges::all_of(text, is_word_byte) && !is_reserved(text);
  if (is_plain) {
    return text;
  }
  const bool has_controls =
      std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  if (has_controls) {
    return json::write(text);  // a JSON string is a double-quoted one of YAML
  }
  std::string out = "'";
  for (char c : text) {
    out += c == '\'' ? "''" : std::string(1, c);
  }
  return out + "'";
}

void append(std::string& out, const json::Value& value, size_t indent);

// What follows a key or a dash: on the same line, or a block of its own.
void append_nested(std::string& out, const json::Value& value, size_t indent) {
  const bool is_block = (value.is_object() && !value.as_object().empty()) ||
                        (value.is_array() && !value.as_array().empty());
  if (is_block) {
    out += '\n';
    append(out, value, indent);
    return;
  }
  out += ' ';
  append(out, value, indent);
}

void append_element(std::string& out, const json::Value& element, size_t indent) {
  const size_t start = out.size() + indent;
  if (element.is_object() && !element.as_object().empty()) {
    append(out, element, indent + 2);
    out[start] = '-';  // the first key stands behind the dash
    return;
  }
  out += std::string(indent, ' ') + '-';
  append_nested(out, element, indent + 2);
}

void append(std::string& out, const json::Value& value, size_t indent) {
  if (value.is_string()) {
    out += scalar_text(value.as_string()) + '\n';
  } else if (value.is_object() && !value.as_object().empty()) {
    for (const auto& [key, member] : value.as_object()) {
      out += std::string(indent, ' ') + scalar_text(key) + ':';
      // Lists stand at the level of their key, as PyYAML writes them.
      append_nested(out, member, member.is_array() ? indent : indent + 2);
    }
  } else if (value.is_array() && !value.as_array().empty()) {
    for (const json::Value& element : value.as_array()) {
      append_element(out, element, indent);
    }
  } else {
    out += json::write(value) + '\n';
  }
}

}  // namespace

std::string yaml_text(const json::Value& value) {
  std::string out;
  append(out, value, 0);
  return out;
}

}  // namespace tidemark::cli
