#include "tidemark/config/expand.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tidemark::config {
namespace {

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Python's \w; letters beyond ASCII are told by their lead and trail bytes.
bool is_word(char c) {
  return is_capital(c) || (c >= 'a' && c <= 'z') || is_digit(c) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

struct Reference {
  std::string_view name;
  size_t length = 0;  // in the text, with $ and braces; 0 when there is none
};

// The reference that starts with the $ at the front of text.
Reference reference_at(std::string_view text) {
  if (text.size() > 1 && text[1] == '{') {
    size_t end = 2;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == 2 || end == text.size() || text[end] != '}') return {};
    return {text.substr(2, end - 2), end + 1};
  }
  if (text.size() < 2 || !is_capital(text[1])) return {};
  size_t end = 2;
  while (end < text.size() && (is_capital(text[end]) || is_digit(text[end]) || text[end] == '_'))
    ++end;
  return {text.substr(1, end - 1), end};
}

class Expander {
 public:
  Expander(const os::Environment& environment, MissingVariable missing)
      : environment_(environment), missing_(missing) {}

  Node expand(const Node& node) const {
    if (node.is_list()) return expand_list(node);
    if (node.is_map()) return expand_map(node);
    if (!node.is_string()) return node;
    const std::string& text = node.value().as_string();
    return Node::scalar(expand_text(node, text), node.position());
  }

 private:
  Node expand_list(const Node& node) const {
    std::vector<Node> items;
    for (const Node& item : node.items()) items.push_back(expand(item));
    return Node::list(std::move(items), node.position());
  }

  Node expand_map(const Node& node) const {
    std::vector<Node::Member> members = node.members();
    for (Node::Member& member : members) member.value = expand(member.value);
    return Node::map(std::move(members), node.position());
  }

  std::string expand_text(const Node& node, std::string_view text) const {
    std::string out;
    while (!text.empty()) {
      const bool is_escaped = text.starts_with("\\$");
      const std::string_view rest = text.substr(is_escaped ? 1 : 0);
      const Reference reference = rest.starts_with('$') ? reference_at(rest) : Reference{};
      if (reference.length == 0) {
        out += text[0];
        text.remove_prefix(1);
        continue;
      }
      out += is_escaped ? rest.substr(0, reference.length) : value_of(node, reference.name);
      text = rest.substr(reference.length);
    }
    return out;
  }

  std::string_view value_of(const Node& node, std::string_view name) const {
    const std::string* value = environment_.find(name);
    if (value != nullptr) return *value;
    if (missing_ == MissingVariable::kEmpty) return "";
    throw node.error(
        fmt::format("environment variable '{}' is not set, nor does .env set it", name));
  }

  const os::Environment& environment_;
  MissingVariable missing_;
};

}  // namespace

Node expand(const Node& node, const os::Environment& environment, MissingVariable missing) {
  return Expander(environment, missing).expand(node).with_path(node.path());
}

}  // namespace tidemark::config
