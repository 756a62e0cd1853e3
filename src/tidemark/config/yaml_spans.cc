#include "tidemark/config/yaml_spans.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/config/yaml_events.h"

namespace tidemark::config {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kFlowEnds = " \t\r\n,[]{}";

// Without entries.
YamlSpan span_of(YamlSpan::Shape shape, size_t begin, size_t content, size_t end) {
  YamlSpan span;
  span.shape = shape;
  span.begin = begin;
  span.content = content;
  span.end = end;
  return span;
}

bool is_space(char c) { return kSpace.find(c) != std::string_view::npos; }

// Goes through the text beside the parser's events. Every event says where its node begins; what
// lies between is found by looking.
class SpanReader {
 public:
  using Kind = YamlEvent::Kind;
  using Shape = YamlSpan::Shape;

  SpanReader(std::string_view text, const std::string& file, const std::vector<YamlEvent>& events)
      : text_(text), file_(file), events_(events) {}

  YamlSpan read_root() {
    if (events_.empty()) return {};
    return read_value(events_.front().offset, false);
  }

 private:
  const YamlEvent& take() { return events_[next_++]; }
  bool is_at(Kind kind) const { return events_[next_].kind == kind; }
  char at(size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

  [[noreturn]] void fail(const YamlEvent& event) const {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{}:{}:{}: this cannot be edited in place; please edit it by hand",
                            file_, event.line, event.column));
  }

  // Past blanks, line breaks and comments.
  size_t skip_space(size_t place) const {
    while (place < text_.size()) {
      if (is_space(text_[place])) {
        ++place;
      } else if (text_[place] == '#' && (place == 0 || is_space(text_[place - 1]))) {
        place = line_end(text_, place);
      } else {
        break;
      }
    }
    return place;
  }

  size_t skip_separators(size_t place) const {
    place = skip_space(place);
    while (at(place) == ',') place = skip_space(place + 1);
    return place;
  }

  // Past anchors and tags.
  size_t skip_properties(size_t place) const {
    while (at(place) == '&' || at(place) == '!') {
      const bool is_verbatim = text_.substr(place).starts_with("!<");
      const size_t end = text_.find_first_of(is_verbatim ? kSpace : kFlowEnds, place);
      place = skip_space(std::min(end, text_.size()));
    }
    return place;
  }

  YamlSpan read_value(size_t from, bool in_flow) {
    const YamlEvent& event = take();
    const size_t begin = skip_space(from);
    if (event.kind == Kind::kNull) return read_null(event, from, begin);
    if (begin != event.offset) fail(event);
    switch (event.kind) {
      case Kind::kAlias:
        return read_alias(begin);
      case Kind::kScalar:
        return read_scalar(event, begin);
      case Kind::kListStart:
        return read_list(event, begin);
      case Kind::kMapStart:
        return read_map(event, begin, in_flow);
      default:
        fail(event);
    }
  }

  // `~` and `null` are scalars; what is not there at all has the place behind its colon or dash.
  YamlSpan read_null(const YamlEvent& event, size_t from, size_t begin) const {
    const size_t content =
        begin == event.offset && event.anchor != 0 ? skip_properties(begin) : begin;
    for (std::string_view word : {"~", "null", "Null", "NULL"}) {
      const size_t end = content + word.size();
      const bool is_word =
          begin == event.offset && text_.substr(content).starts_with(word) &&
          (end >= text_.size() || kFlowEnds.find(text_[end]) != std::string_view::npos);
      if (is_word) return span_of(Shape::kScalar, begin, content, end);
    }
    if (event.anchor != 0) fail(event);
    return span_of(Shape::kNothing, from, from, from);
  }

  YamlSpan read_alias(size_t begin) const {
    const size_t end = std::min(text_.find_first_of(kFlowEnds, begin), text_.size());
    return span_of(Shape::kAlias, begin, begin, end);
  }

  YamlSpan read_scalar(const YamlEvent& event, size_t begin) const {
    const size_t content = skip_properties(begin);
    size_t end = content;
    switch (at(content)) {
      case '\'':
      case '"':
        end = quoted_end(content);
        break;
      case '|':
      case '>':
        end = block_scalar_end(content);
        break;
      default:
        end = plain_end(event, content);
    }
    return span_of(Shape::kScalar, begin, content, end);
  }

  size_t quoted_end(size_t content) const {
    const char quote = text_[content];
    size_t place = content + 1;
    for (; place < text_.size(); ++place) {
      if (text_[place] == '\\' && quote == '"') {
        ++place;
      } else if (text_[place] == quote) {
        if (quote == '"' || at(place + 1) != quote) break;
        ++place;
      }
    }
    return std::min(place + 1, text_.size());
  }

  // A plain scalar says what stands there, but for the blanks between its lines.
  size_t plain_end(const YamlEvent& event, size_t content) const {
    size_t place = content;
    for (char c : event.text) {
      if (is_space(c)) continue;
      while (is_space(at(place)) && place < text_.size()) ++place;
      if (at(place) != c) fail(event);
      ++place;
    }
    return place;
  }

  // The lines of `|` and `>`: those that are empty or indented as far as the first that is not.
  size_t block_scalar_end(size_t content) const {
    const size_t header_end = line_end(text_, content);
    const std::string_view header = text_.substr(content, header_end - content);
    const bool keeps_breaks = header.substr(0, 3).find('+') != std::string_view::npos;
    size_t end = header_end;
    size_t indent = 0;
    for (size_t place = header_end + 1; place < text_.size();) {
      const size_t stop = line_end(text_, place);
      const size_t first = std::min(text_.find_first_not_of(' ', place), stop);
      const bool is_empty = text_.find_first_not_of(kSpace, place) >= stop;
      if (!is_empty && indent == 0) {
        indent = first - place;
        if (indent == 0 || !is_deeper(content, indent)) break;
      }
      if (!is_empty && first - place < indent) break;
      if (!is_empty || keeps_breaks) end = stop;
      place = stop + 1;
    }
    return end;
  }

  // Whether lines with this indent belong to the scalar whose header is at `content`, not to what
  // is around it.
  bool is_deeper(size_t content, size_t indent) const {
    const size_t begin = line_begin(text_, content);
    return indent > text_.find_first_not_of(' ', begin) - begin;
  }

  bool has_properties(const YamlEvent& event) const {
    return event.anchor != 0 || (!event.tag.empty() && event.tag != "?" && event.tag != "!");
  }

  YamlSpan read_list(const YamlEvent& event, size_t begin) {
    const size_t content = has_properties(event) ? skip_properties(begin) : begin;
    if (at(content) == '[')
      return read_flow(span_of(Shape::kFlowList, begin, content, content), Kind::kListEnd);
    YamlSpan span = span_of(Shape::kBlockList, begin, content, content);
    while (!is_at(Kind::kListEnd)) {
      YamlSpan::Entry& entry = span.entries.emplace_back();
      entry.begin = skip_space(span.end);
      if (at(entry.begin) != '-') fail(event);
      entry.separator = entry.begin + 1;
      entry.value = read_value(entry.separator, false);
      span.end = entry.end();
    }
    ++next_;
    return span;
  }

  YamlSpan read_map(const YamlEvent& event, size_t begin, bool in_flow) {
    const size_t content = has_properties(event) ? skip_properties(begin) : begin;
    if (at(content) == '{')
      return read_flow(span_of(Shape::kFlowMap, begin, content, content), Kind::kMapEnd);
    YamlSpan span = span_of(in_flow ? Shape::kPair : Shape::kBlockMap, begin, content, content);
    while (!is_at(Kind::kMapEnd)) {
      span.entries.push_back(read_member(skip_space(span.end), in_flow));
      span.end = span.entries.back().end();
    }
    ++next_;
    return span;
  }

  YamlSpan read_flow(YamlSpan span, Kind last) {
    span.end = span.content + 1;
    while (!is_at(last)) {
      const size_t place = skip_separators(span.end);
      if (last == Kind::kMapEnd) {
        span.entries.push_back(read_member(place, true));
      } else {
        YamlSpan::Entry& entry = span.entries.emplace_back();
        entry.begin = entry.separator = place;
        entry.value = read_value(place, true);
      }
      span.end = span.entries.back().end();
    }
    ++next_;
    span.end = skip_separators(span.end) + 1;
    return span;
  }

  YamlSpan::Entry read_member(size_t begin, bool in_flow) {
    YamlSpan::Entry entry;
    entry.begin = begin;
    const bool is_explicit = at(begin) == '?' && is_space(at(begin + 1));
    const YamlEvent& key = take();
    if (key.kind != Kind::kScalar) fail(key);
    const size_t key_begin = is_explicit ? skip_space(begin + 1) : begin;
    if (key_begin != key.offset) fail(key);
    entry.key = key.text;
    const size_t key_end = read_scalar(key, key_begin).end;
    const size_t colon = is_explicit || in_flow ? skip_space(key_end) : skip_blanks(key_end);
    entry.has_separator = at(colon) == ':';
    entry.separator = entry.has_separator ? colon + 1 : key_end;
    entry.value = read_value(entry.separator, in_flow);
    return entry;
  }

  size_t skip_blanks(size_t place) const {
    return std::min(text_.find_first_not_of(kBlanks, place), text_.size());
  }

  std::string_view text_;
  const std::string& file_;
  const std::vector<YamlEvent>& events_;
  size_t next_ = 0;
};

}  // namespace

YamlSpan read_yaml_spans(std::string_view text, const std::string& file) {
  const std::vector<YamlEvent> events = read_yaml_events(text, file);
  return SpanReader(text, file, events).read_root();
}

size_t line_begin(std::string_view text, size_t place) {
  if (place == 0) return 0;
  const size_t before = text.rfind('\n', place - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

size_t line_end(std::string_view text, size_t place) {
  return std::min(text.find('\n', place), text.size());
}

}  // namespace tidemark::config
