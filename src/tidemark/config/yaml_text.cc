#include "tidemark/config/yaml_text.h"

#include <algorithm>

#include "tidemark/base/ascii.h"
#include "tidemark/json/write.h"

namespace tidemark::config {
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

bool is_plain(std::string_view text) {
  return !text.empty() && (is_letter(text[0]) || text[0] == '_') &&
         std::ranges::all_of(text, is_word_byte) && !is_reserved(text);
}

// A collection of which block style has lines.
bool is_block(const json::Value& value) {
  return (value.is_object() && !value.as_object().empty()) ||
         (value.is_array() && !value.as_array().empty());
}

class Writer {
 public:
  explicit Writer(const YamlStyle& style) : style_(style) {}

  void write(const json::Value& value, size_t column) {
    if (!is_block(value)) {
      out_ += yaml_flow_text(value) + style_.line_break;
    } else if (value.is_object()) {
      for (const auto& [key, member] : value.as_object()) {
        out_ += std::string(column, ' ') + yaml_scalar_text(key) + ':';
        write_nested(member, column + (member.is_array() ? style_.dash_indent : style_.indent));
      }
    } else {
      for (const json::Value& element : value.as_array()) write_element(element, column);
    }
  }

  std::string take() { return std::move(out_); }

 private:
  // What follows a key or a dash: on the same line, or a block of its own.
  void write_nested(const json::Value& value, size_t column) {
    out_ += is_block(value) ? style_.line_break : std::string(" ");
    write(value, column);
  }

  void write_element(const json::Value& element, size_t column) {
    const size_t start = out_.size() + column;
    if (element.is_object() && is_block(element)) {
      write(element, column + 2);
      out_[start] = '-';  // the first key stands behind the dash
      return;
    }
    out_ += std::string(column, ' ') + '-';
    write_nested(element, column + 2);
  }

  const YamlStyle& style_;
  std::string out_;
};

}  // namespace

std::string yaml_text(const json::Value& value, const YamlStyle& style, size_t column) {
  Writer writer(style);
  writer.write(value, column);
  return writer.take();
}

std::string yaml_flow_text(const json::Value& value) {
  if (value.is_string()) return yaml_scalar_text(value.as_string());
  std::string out;
  if (value.is_array()) {
    for (const json::Value& item : value.as_array()) {
      out += (out.empty() ? "" : ", ") + yaml_flow_text(item);
    }
    return "[" + out + "]";
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.as_object()) {
      out += (out.empty() ? "" : ", ") + yaml_scalar_text(key) + ": " + yaml_flow_text(member);
    }
    return "{" + out + "}";
  }
  return json::write(value);
}

std::string yaml_scalar_text(std::string_view text, char quote) {
  if (quote == '\0' && is_plain(text)) return std::string(text);
  const bool has_controls =
      std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  // A JSON string is a double-quoted one of YAML.
  if (has_controls || quote == '"') return json::write(text);
  std::string out = "'";
  for (char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

}  // namespace tidemark::config
