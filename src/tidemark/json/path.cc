#include "tidemark/json/path.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::json {

namespace {

// What jsonpath-ng goes on with where this dialect ends.
constexpr std::string_view kBeyond = ",:?|&~(`";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_name_part(char c) { return is_name_start(c) || is_digit(c) || c == '-'; }

}  // namespace

class Path::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<Step> parse() {
    skip_space();
    if (take('$')) {
      skip_space();
      if (at_ == text_.size()) return {};
      if (peek() != '.' && peek() != '[') fail("expected '.' or '[' after '$'");
    } else if (peek() != '[') {
      read_name();
    }
    for (skip_space(); at_ < text_.size(); skip_space()) read_step();
    return std::move(steps_);
  }

 private:
  void read_step() {
    if (peek() == '[') return read_bracket();
    if (!take('.')) fail("expected '.' or '['");
    if (take('.')) steps_.push_back({.kind = Step::Kind::kDescend, .name = {}});
    skip_space();
    if (peek() == '[') return read_bracket();
    read_name();
  }

  void read_name() {
    if (take('*')) return add_any();
    if (peek() == '"' || peek() == '\'') return add_field(read_quoted());
    const size_t start = at_;
    if (is_name_start(peek())) {
      while (is_name_part(peek())) ++at_;
      return add_field(std::string(text_.substr(start, at_ - start)));
    }
    add_field(std::to_string(read_integer("a name")));
  }

  void read_bracket() {
    take('[');
    skip_space();
    if (take('*')) {
      add_any();
    } else if (peek() == '"' || peek() == '\'' || is_name_start(peek())) {
      read_name();
    } else {
      const int64_t index = read_integer("an index, '*' or a quoted name");
      steps_.push_back({.kind = Step::Kind::kIndex, .name = {}, .index = index});
    }
    skip_space();
    if (!take(']')) fail("expected ']'");
  }

  std::string read_quoted() {
    const char quote = text_[at_++];
    std::string name;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\') ++at_;
      if (at_ < text_.size()) name.push_back(text_[at_++]);
    }
    if (!take(quote)) fail("expected the closing quote");
    return name;
  }

  int64_t read_integer(std::string_view expected) {
    int64_t value = 0;
    const char* start = text_.data() + at_;
    const auto [end, error] = std::from_chars(start, text_.data() + text_.size(), value);
    if (error != std::errc()) fail(fmt::format("expected {}", expected));
    at_ += static_cast<size_t>(end - start);
    return value;
  }

  void add_any() { steps_.push_back({.kind = Step::Kind::kAny, .name = {}}); }
  void add_field(std::string name) {
    steps_.push_back({.kind = Step::Kind::kField, .name = std::move(name)});
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void skip_space() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }

  [[noreturn]] void fail(std::string_view what) const {
    const bool is_known = at_ < text_.size() && kBeyond.find(text_[at_]) != std::string_view::npos;
    throw Error(is_known ? ErrorCode::kUnsupported : ErrorCode::kInvalid,
                fmt::format("JSONPath '{}', position {}: {}{}", text_, at_ + 1, what,
                            is_known ? " (slices, unions and filters are not supported)" : ""));
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Step> steps_;
};

Path Path::parse(std::string_view text) {
  Path path;
  path.text_ = text;
  path.steps_ = Parser(text).parse();
  return path;
}

std::optional<std::string_view> Path::single_field() const {
  if (steps_.size() != 1 || steps_[0].kind != Step::Kind::kField) return std::nullopt;
  return steps_[0].name;
}

namespace {

// A step that was taken: a member's key or an element's place.
struct Label {
  std::string_view key;
  std::optional<int64_t> index;
};

std::optional<size_t> place_of(int64_t index, size_t count) {
  const int64_t place = index < 0 ? index + static_cast<int64_t>(count) : index;
  if (place < 0 || place >= static_cast<int64_t>(count)) return std::nullopt;
  return static_cast<size_t>(place);
}

// The two kinds of document under one interface for the walk.
struct NodeDocument {
  using Ref = Node;

  static std::optional<Node> member(Node node, std::string_view key) { return node.find(key); }

  static std::optional<Node> element(Node node, int64_t index) {
    if (!node.is_array()) return std::nullopt;
    // Counted, because the count on the tape saturates.
    size_t count = 0;
    for (Node item = node.first(); item != node.end(); item = item.next()) ++count;
    const auto place = place_of(index, count);
    if (!place) return std::nullopt;
    Node item = node.first();
    for (size_t i = 0; i < *place; ++i) item = item.next();
    return item;
  }

  template <typename Visit>
  static void for_each_child(Node node, Visit visit) {
    if (node.is_array()) {
      int64_t index = 0;
      for (Node item = node.first(); item != node.end(); item = item.next()) {
        visit(Label{{}, index++}, item);
      }
    } else if (node.is_object()) {
      for (Node key = node.first(); key != node.end(); key = key.next().next()) {
        visit(Label{key.string(), {}}, key.next());
      }
    }
  }
};

struct ValueDocument {
  using Ref = const Value*;

  static std::optional<Ref> member(Ref value, std::string_view key) {
    const Value* found = value->find(key);
    return found ? std::optional<Ref>(found) : std::nullopt;
  }

  static std::optional<Ref> element(Ref value, int64_t index) {
    if (!value->is_array()) return std::nullopt;
    const auto place = place_of(index, value->as_array().size());
    return place ? std::optional<Ref>(&value->as_array()[*place]) : std::nullopt;
  }

  template <typename Visit>
  static void for_each_child(Ref value, Visit visit) {
    if (value->is_array()) {
      int64_t index = 0;
      for (const Value& item : value->as_array()) visit(Label{{}, index++}, &item);
    } else if (value->is_object()) {
      for (const auto& [key, member] : value->as_object()) visit(Label{key, {}}, &member);
    }
  }
};

// Python's repr() of a name.
std::string quoted_name(std::string_view name) {
  const bool has_single = name.find('\'') != std::string_view::npos;
  const bool has_double = name.find('"') != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out.append({'\\', c});
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      out.push_back(c);
    }
  }
  out.push_back(quote);
  return out;
}

// Whether jsonpath-ng prints the name without quotes.
bool is_plain_name(std::string_view name) {
  if (name.starts_with('@')) name.remove_prefix(1);
  if (name.empty() || is_digit(name[0]) || name[0] == '-' || name[0] == '@') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return is_name_part(c) && static_cast<unsigned char>(c) < 0x80;
  });
}

std::string spell(const std::vector<Label>& labels) {
  if (labels.empty()) return "$";
  std::string out;
  for (const Label& label : labels) {
    if (!out.empty()) out.push_back('.');
    if (label.index) {
      fmt::format_to(std::back_inserter(out), "[{}]", *label.index);
    } else {
      out += is_plain_name(label.key) ? std::string(label.key) : quoted_name(label.key);
    }
  }
  return out;
}

}  // namespace

// Calls visit(match, labels) for each match.
template <typename Document, typename Visit>
class Path::Walker {
 public:
  using Ref = typename Document::Ref;

  Walker(const std::vector<Step>& steps, Visit visit) : steps_(steps), visit_(std::move(visit)) {}

  void walk(Ref value, size_t place = 0) {
    if (place == steps_.size()) return visit_(value, labels_);
    const Step& step = steps_[place];
    switch (step.kind) {
      case Step::Kind::kField:
        if (const auto member = Document::member(value, step.name)) {
          into({step.name, {}}, *member, place + 1);
        }
        break;
      case Step::Kind::kIndex:
        if (const auto element = Document::element(value, step.index)) {
          into({{}, step.index}, *element, place + 1);
        }
        break;
      case Step::Kind::kAny:
        each_child(value, place + 1);
        break;
      case Step::Kind::kDescend:
        walk(value, place + 1);
        each_child(value, place);
        break;
    }
  }

 private:
  void each_child(Ref value, size_t place) {
    Document::for_each_child(value, [&](Label label, Ref child) { into(label, child, place); });
  }

  void into(Label label, Ref child, size_t place) {
    labels_.push_back(label);
    walk(child, place);
    labels_.pop_back();
  }

  const std::vector<Step>& steps_;
  Visit visit_;
  std::vector<Label> labels_;
};

class Path::Eraser {
 public:
  explicit Eraser(const std::vector<Step>& steps) : steps_(steps) {}

  size_t erase(Value& value, size_t place) const {
    if (place == steps_.size()) return 0;
    const bool is_last = place + 1 == steps_.size();
    const Step& step = steps_[place];
    switch (step.kind) {
      case Step::Kind::kField: {
        Value* member = value.find(step.name);
        if (!member) return 0;
        return is_last ? value.as_object().erase(step.name) : erase(*member, place + 1);
      }
      case Step::Kind::kIndex:
        return value.is_array() ? erase_element(value.as_array(), place) : 0;
      case Step::Kind::kAny:
        return is_last ? clear(value) : erase_in_children(value, place + 1);
      case Step::Kind::kDescend: {
        const size_t count = erase(value, place + 1);
        return count + erase_in_children(value, place);
      }
    }
    return 0;
  }

 private:
  size_t erase_element(Array& array, size_t place) const {
    const auto found = place_of(steps_[place].index, array.size());
    if (!found) return 0;
    if (place + 1 < steps_.size()) return erase(array[*found], place + 1);
    array.erase(array.begin() + static_cast<std::ptrdiff_t>(*found));
    return 1;
  }

  size_t erase_in_children(Value& value, size_t place) const {
    size_t count = 0;
    if (value.is_array()) {
      for (Value& item : value.as_array()) count += erase(item, place);
    } else if (value.is_object()) {
      for (auto& [key, member] : value.as_object()) count += erase(member, place);
    }
    return count;
  }

  static size_t clear(Value& value) {
    size_t count = 0;
    if (value.is_array()) {
      count = std::exchange(value.as_array(), {}).size();
    } else if (value.is_object()) {
      count = std::exchange(value.as_object(), {}).size();
    }
    return count;
  }

  const std::vector<Step>& steps_;
};

std::vector<Node> Path::find(Node root) const {
  std::vector<Node> found;
  const auto visit = [&](Node node, const auto&) { found.push_back(node); };
  Walker<NodeDocument, decltype(visit)>(steps_, visit).walk(root);
  return found;
}

std::optional<Node> Path::find_first(Node root) const {
  std::optional<Node> place = root;
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kField) {
      place = NodeDocument::member(*place, step.name);
    } else if (step.kind == Step::Kind::kIndex) {
      place = NodeDocument::element(*place, step.index);
    } else {
      const std::vector<Node> found = find(root);
      return found.empty() ? std::nullopt : std::optional(found.front());
    }
    if (!place) break;
  }
  return place;
}

std::vector<const Value*> Path::find(const Value& root) const {
  std::vector<const Value*> found;
  const auto visit = [&](const Value* value, const auto&) { found.push_back(value); };
  Walker<ValueDocument, decltype(visit)>(steps_, visit).walk(&root);
  return found;
}

std::vector<std::string> Path::full_paths(const Value& root) const {
  std::vector<std::string> found;
  const auto visit = [&](const Value*, const auto& labels) { found.push_back(spell(labels)); };
  Walker<ValueDocument, decltype(visit)>(steps_, visit).walk(&root);
  return found;
}

size_t Path::erase(Value& root) const { return Eraser(steps_).erase(root, 0); }

}  // namespace tidemark::json
