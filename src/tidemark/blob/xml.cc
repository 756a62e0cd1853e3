#include "tidemark/blob/xml.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/json/utf8.h"

namespace tidemark::blob {
namespace {

constexpr size_t kMaxDepth = 100;
constexpr std::string_view kBlanks = " \t\r\n";

[[noreturn]] void fail(std::string_view what) {
  throw Error(ErrorCode::kCorrupt, "the answer is no XML that can be read: " + std::string(what));
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(kBlanks) == std::string_view::npos;
}

void append_character_reference(std::string& out, std::string_view name) {
  const bool is_hex = name.starts_with("#x");
  const std::string_view digits = name.substr(is_hex ? 2 : 1);
  uint32_t code_point = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code_point, is_hex ? 16 : 10);
  const bool is_scalar = code_point <= 0x10FFFF && (code_point < 0xD800 || code_point > 0xDFFF);
  if (error != std::errc() || end != digits.data() + digits.size() || !is_scalar) {
    fail("bad character reference");
  }
  json::append_utf8(out, code_point);
}

void append_entity(std::string& out, std::string_view name) {
  if (name == "amp") {
    out += '&';
  } else if (name == "lt") {
    out += '<';
  } else if (name == "gt") {
    out += '>';
  } else if (name == "quot") {
    out += '"';
  } else if (name == "apos") {
    out += '\'';
  } else if (name.starts_with('#')) {
    append_character_reference(out, name);
  } else {
    fail("unknown entity");
  }
}

void append_decoded(std::string& out, std::string_view text) {
  while (true) {
    const size_t at = text.find('&');
    out += text.substr(0, at);
    if (at == std::string_view::npos) return;
    const size_t end = text.find(';', at);
    if (end == std::string_view::npos) fail("unfinished entity");
    append_entity(out, text.substr(at + 1, end - at - 1));
    text.remove_prefix(end + 1);
  }
}

class Reader {
 public:
  Reader(std::string_view document, const std::function<void(const XmlLeaf&)>& visit)
      : rest_(document), visit_(visit) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  void read() {
    while (!rest_.empty()) {
      if (rest_.front() != '<') {
        read_text();
      } else if (take("<?")) {
        (void)take_until("?>");
      } else if (take("<!--")) {
        (void)take_until("-->");
      } else if (take("<![CDATA[")) {
        add_text(take_until("]]>"));
      } else if (take("</")) {
        close(take_until(">"));
      } else {
        rest_.remove_prefix(1);
        open(take_tag());
      }
    }
    if (!open_.empty() || !had_root_) fail("it ends early");
  }

 private:
  struct Element {
    size_t parent_path_size = 0;
    std::string_view attributes;
    bool has_children = false;
  };

  bool take(std::string_view mark) {
    if (!rest_.starts_with(mark)) return false;
    rest_.remove_prefix(mark.size());
    return true;
  }

  std::string_view take_until(std::string_view mark) {
    const size_t end = rest_.find(mark);
    if (end == std::string_view::npos) fail("it ends early");
    const std::string_view taken = rest_.substr(0, end);
    rest_.remove_prefix(end + mark.size());
    return taken;
  }

  // An attribute may hold the mark that ends a tag.
  std::string_view take_tag() {
    char quote = '\0';
    for (size_t at = 0; at < rest_.size(); ++at) {
      const char c = rest_[at];
      if (c == '<') fail("a tag in a tag");
      if (c == '>' && quote == '\0') {
        const std::string_view tag = rest_.substr(0, at);
        rest_.remove_prefix(at + 1);
        return tag;
      }
      if (c == quote) {
        quote = '\0';
      } else if (quote == '\0' && (c == '"' || c == '\'')) {
        quote = c;
      }
    }
    fail("it ends early");
  }

  void read_text() {
    const std::string_view text = rest_.substr(0, rest_.find('<'));
    rest_.remove_prefix(text.size());
    if (open_.empty() && !is_blank(text)) fail("text outside of the root");
    append_decoded(text_, text);
  }

  void add_text(std::string_view text) {
    if (open_.empty()) fail("text outside of the root");
    text_ += text;
  }

  void open(std::string_view tag) {
    const bool is_empty = tag.ends_with('/');
    if (is_empty) tag.remove_suffix(1);
    const std::string_view name = tag.substr(0, tag.find_first_of(kBlanks));
    if (name.empty() || name.find_first_of("!/&=\"'") != std::string_view::npos) fail("a bad name");
    if (open_.empty() && had_root_) fail("two roots");
    if (open_.size() == kMaxDepth) fail("nested too deep");
    if (!open_.empty()) open_.back().has_children = true;
    had_root_ = true;
    open_.push_back({.parent_path_size = path_.size(), .attributes = tag.substr(name.size())});
    if (!path_.empty()) path_ += '/';
    path_ += name;
    text_.clear();
    if (is_empty) close(name);
  }

  void close(std::string_view tag) {
    const std::string_view name = tag.substr(0, tag.find_first_of(kBlanks));
    if (open_.empty()) fail("an end without a beginning");
    const Element element = open_.back();
    const size_t start = element.parent_path_size == 0 ? 0 : element.parent_path_size + 1;
    if (std::string_view(path_).substr(start) != name) fail("an end of another element");
    if (!element.has_children) {
      visit_({.path = path_, .attributes = element.attributes, .text = text_});
    }
    path_.resize(element.parent_path_size);
    text_.clear();
    open_.pop_back();
  }

  std::string_view rest_;
  const std::function<void(const XmlLeaf&)>& visit_;
  std::vector<Element> open_;
  std::string path_;
  std::string text_;
  bool had_root_ = false;
};

}  // namespace

void read_xml(std::string_view document, const std::function<void(const XmlLeaf& leaf)>& visit) {
  Reader(document, visit).read();
}

}  // namespace tidemark::blob
