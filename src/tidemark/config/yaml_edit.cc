#include "tidemark/config/yaml_edit.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/config/yaml.h"
#include "tidemark/config/yaml_edit_check.h"
#include "tidemark/config/yaml_spans.h"
#include "tidemark/config/yaml_style.h"
#include "tidemark/config/yaml_text.h"

namespace tidemark::config {
namespace {

using Entry = YamlSpan::Entry;
using Shape = YamlSpan::Shape;

bool is_block_value(const json::Value& value) {
  return (value.is_object() && !value.as_object().empty()) ||
         (value.is_array() && !value.as_array().empty());
}

// The value below the keys that are not there yet. Only maps can be made.
json::Value wrapped(const YamlPath& path, size_t from, json::Value value) {
  for (size_t i = path.size(); i > from; --i) {
    const auto* key = std::get_if<std::string>(&path[i - 1]);
    if (key == nullptr) throw Error(ErrorCode::kNotFound, "there is no such element of a list");
    value = json::Object{{*key, std::move(value)}};
  }
  return value;
}

// Text with one part of it replaced.
class Splice {
 public:
  explicit Splice(std::string_view text) : text_(text) {}

  std::string replace(size_t begin, size_t end, std::string_view by) const {
    return fmt::format("{}{}{}", text_.substr(0, begin), by, text_.substr(end));
  }
  std::string insert(size_t place, std::string_view what) const {
    return replace(place, place, what);
  }
  // Whole lines behind the one that ends at `place`. The text ends in a line break as it did
  // before.
  std::string insert_lines(size_t place, std::string lines, const std::string& line_break) const {
    if (place < text_.size()) return insert(place + 1, lines);
    lines.resize(lines.size() - line_break.size());
    return insert(place, line_break + lines);
  }

 private:
  std::string_view text_;
};

class Editor {
 public:
  Editor(std::string_view text, const std::string& file)
      : text_(text),
        splice_(text),
        file_(file),
        root_(read_yaml_spans(text, file)),
        style_(yaml_style_of(text, root_)) {}

  std::string set(const YamlPath& path, const json::Value& value) {
    return set_below(root_, path, 0, value);
  }

  std::string append(const YamlPath& path, const json::Value& value) {
    const YamlSpan* span = find(path);
    const bool is_list = span != nullptr && span->is_list();
    if (!is_list) return set(path, json::Array{value});
    if (span->is_flow()) return add_to_flow(*span, yaml_flow_text(value));
    return add_lines(*span, yaml_text(json::Array{value}, style_, column_of(*span)));
  }

  std::string remove(const YamlPath& path) {
    YamlPath parent_path = path;
    parent_path.pop_back();
    const YamlSpan* parent = find(parent_path);
    const Entry* entry = parent == nullptr ? nullptr : find_entry(*parent, path.back());
    if (entry == nullptr) throw Error(ErrorCode::kNotFound, "there is nothing to remove");
    if (parent->shape == Shape::kPair) {
      throw unsupported(parent->begin, "a member without braces cannot go alone");
    }
    const size_t index = static_cast<size_t>(entry - parent->entries.data());
    if (parent->entries.size() == 1) return remove_only(parent_path, *parent);
    return parent->is_flow() ? remove_from_flow(*parent, index) : remove_lines(*parent, index);
  }

  // What a set or an append may change: the last node of the path that is there, with its line.
  YamlRange range_of_set(const YamlPath& path) const {
    YamlRange range{.begin = root_.begin, .end = text_.size()};
    const YamlSpan* span = &root_;
    for (const YamlStep& step : path) {
      const Entry* entry = find_entry(*span, step);
      if (entry == nullptr) break;
      range = {.begin = entry->begin, .end = line_end(text_, entry->end())};
      span = &entry->value;
    }
    return range;
  }

  // What a removal may change: from the entry before to the one behind; the last one is replaced
  // together with what it is in.
  YamlRange range_of_removal(YamlPath path) const {
    const YamlStep step = path.back();
    path.pop_back();
    const YamlSpan& parent = *find(path);
    const std::vector<Entry>& entries = parent.entries;
    if (entries.size() == 1) return range_of_set(path);
    const auto index = static_cast<size_t>(find_entry(parent, step) - entries.data());
    const size_t line = std::min(line_end(text_, entries[index].end()) + 1, text_.size());
    const size_t next = index + 1 < entries.size() ? entries[index + 1].begin : parent.end;
    const size_t first =
        has_own_line(entries[index]) ? line_begin(text_, parent.begin) : parent.begin;
    return {.begin = index > 0 ? entries[index - 1].end() : first, .end = std::max(line, next)};
  }

 private:
  static const Entry* find_entry(const YamlSpan& span, const YamlStep& step) {
    if (const auto* index = std::get_if<size_t>(&step)) {
      return span.is_list() && *index < span.entries.size() ? &span.entries[*index] : nullptr;
    }
    if (!span.is_map() && span.shape != Shape::kPair) return nullptr;
    const auto entry = std::ranges::find(span.entries, std::get<std::string>(step), &Entry::key);
    return entry == span.entries.end() ? nullptr : &*entry;
  }

  const YamlSpan* find(const YamlPath& path) const {
    const YamlSpan* span = &root_;
    for (const YamlStep& step : path) {
      const Entry* entry = find_entry(*span, step);
      if (entry == nullptr) return nullptr;
      span = &entry->value;
    }
    return span;
  }

  Error unsupported(size_t place, std::string_view message) const {
    const auto line = std::ranges::count(text_.substr(0, place), '\n') + 1;
    return Error(ErrorCode::kUnsupported,
                 fmt::format("{}:{}: {}; please edit it by hand", file_, line, message));
  }

  size_t column_of(const YamlSpan& block) const {
    return block.content - line_begin(text_, block.content);
  }

  std::string set_below(const YamlSpan& span, const YamlPath& path, size_t step,
                        const json::Value& value) {
    if (step == path.size()) return replace_root(value);
    const Entry* entry = find_entry(span, path[step]);
    if (entry == nullptr) return add_below(span, path, step, value);
    const YamlSpan& inner = entry->value;
    if (step + 1 == path.size()) return replace(span, *entry, value);
    if (inner.shape == Shape::kAlias) {
      throw unsupported(inner.begin, "this stands in place of what its anchor names");
    }
    const bool is_member =
        inner.shape == Shape::kPair && find_entry(inner, path[step + 1]) != nullptr;
    const bool goes_on =
        inner.is_map() || is_member || std::holds_alternative<size_t>(path[step + 1]);
    return goes_on ? set_below(inner, path, step + 1, value)
                   : replace(span, *entry, wrapped(path, step + 1, value));
  }

  // A new member of the root or of a map.
  std::string add_below(const YamlSpan& span, const YamlPath& path, size_t step,
                        const json::Value& value) {
    const auto* key = std::get_if<std::string>(&path[step]);
    if (key == nullptr) throw Error(ErrorCode::kNotFound, "there is no such element of a list");
    json::Value inner = wrapped(path, step + 1, value);
    if (!span.is_map()) return replace_root(json::Object{{*key, std::move(inner)}});
    if (span.is_flow()) {
      return add_to_flow(span,
                         fmt::format("{}: {}", yaml_scalar_text(*key), yaml_flow_text(inner)));
    }
    return add_lines(span,
                     yaml_text(json::Object{{*key, std::move(inner)}}, style_, column_of(span)));
  }

  std::string replace_root(const json::Value& value) {
    if (root_.shape != Shape::kNothing) {
      throw unsupported(root_.begin, "the document is no map");
    }
    const bool needs_break = !text_.empty() && !text_.ends_with('\n');
    return splice_.insert(text_.size(),
                          (needs_break ? style_.line_break : "") + yaml_text(value, style_));
  }

  std::string add_to_flow(const YamlSpan& span, const std::string& what) {
    if (span.entries.empty()) return splice_.insert(span.content + 1, what);
    return splice_.insert(span.entries.back().end(), ", " + what);
  }

  // Whole lines behind the last entry of a block.
  std::string add_lines(const YamlSpan& block, const std::string& lines) {
    return splice_.insert_lines(line_end(text_, block.entries.back().end()), lines,
                                style_.line_break);
  }

  std::string replace(const YamlSpan& parent, const Entry& entry, const json::Value& value) {
    const YamlSpan& old = entry.value;
    const bool is_inline = !parent.is_block() || !is_block_value(value) || old.is_flow();
    if (!is_inline) return replace_by_lines(parent, entry, value);
    const std::string text = inline_text(old, value);
    if (old.is_block()) return replace_block(entry, " " + text);
    if (old.shape != Shape::kNothing) return splice_.replace(begin_of(old), old.end, text);
    return splice_.insert(entry.separator, (entry.has_separator ? " " : ": ") + text);
  }

  // A tag is of the value that it stands before, an anchor of its place.
  size_t begin_of(const YamlSpan& span) const {
    const bool is_anchored =
        text_.substr(span.begin, span.content - span.begin).find('&') != std::string_view::npos;
    return is_anchored ? span.content : span.begin;
  }

  // Text keeps the quotes of the text it takes the place of.
  std::string inline_text(const YamlSpan& old, const json::Value& value) const {
    const char quote = old.shape == Shape::kScalar ? text_[old.content] : '\0';
    const bool is_quoted = value.is_string() && (quote == '\'' || quote == '"');
    return is_quoted ? yaml_scalar_text(value.as_string(), quote) : yaml_flow_text(value);
  }

  // A block by text behind the colon or dash; a comment there stays.
  std::string replace_block(const Entry& entry, const std::string& text) {
    const YamlSpan& old = entry.value;
    const size_t first_line_end = line_end(text_, entry.separator);
    if (old.content < first_line_end) return splice_.replace(entry.separator, old.end, text);
    const std::string shorter = splice_.replace(first_line_end, block_end(old), "");
    return Splice(shorter).insert(entry.separator, text);
  }

  size_t block_end(const YamlSpan& block) const { return line_end(text_, block.end); }

  std::string replace_by_lines(const YamlSpan& parent, const Entry& entry,
                               const json::Value& value) {
    const YamlSpan& old = entry.value;
    const size_t first_line_end = line_end(text_, entry.separator);
    const bool has_own_lines = old.is_block() && old.content > first_line_end;
    const std::string shorter = has_own_lines ? splice_.replace(first_line_end, block_end(old), "")
                                              : splice_.replace(entry.separator, old.end, "");
    return Splice(shorter).insert_lines(line_end(shorter, entry.separator),
                                        yaml_text(value, style_, column_below(parent, value)),
                                        style_.line_break);
  }

  size_t column_below(const YamlSpan& parent, const json::Value& value) const {
    const size_t column = column_of(parent);
    if (parent.is_list()) return column + 2;
    return column + (value.is_array() ? style_.dash_indent : style_.indent);
  }

  // What had one entry is empty.
  std::string remove_only(const YamlPath& path, const YamlSpan& span) {
    const std::string empty = span.is_map() ? "{}" : "[]";
    if (span.is_flow()) return remove_with_comma(span.entries.front());
    if (path.empty()) return splice_.replace(span.content, span.end, empty);
    YamlPath parent = path;
    parent.pop_back();
    return replace_block(*find_entry(*find(parent), path.back()), " " + empty);
  }

  // With what is between it and its neighbour, unless that is a comment.
  std::string remove_from_flow(const YamlSpan& span, size_t index) {
    const Entry& entry = span.entries[index];
    const size_t begin = index > 0 ? span.entries[index - 1].end() : entry.begin;
    const size_t end = index > 0 ? entry.end() : span.entries[1].begin;
    return has_comment(begin, entry.begin) || has_comment(entry.end(), end)
               ? remove_with_comma(entry)
               : splice_.replace(begin, end, "");
  }

  std::string remove_with_comma(const Entry& entry) {
    const size_t next = text_.find_first_not_of(" \t\r\n", entry.end());
    return splice_.replace(entry.begin, text_[next] == ',' ? next + 1 : entry.end(), "");
  }

  bool has_own_line(const Entry& entry) const {
    const size_t begin = line_begin(text_, entry.begin);
    return text_.substr(begin, entry.begin - begin).find_first_not_of(' ') ==
           std::string_view::npos;
  }

  bool has_comment(size_t begin, size_t end) const {
    return text_.substr(begin, end - begin).find('#') != std::string_view::npos;
  }

  std::string remove_lines(const YamlSpan& span, size_t index) {
    const Entry& entry = span.entries[index];
    if (!has_own_line(entry)) return remove_behind_dash(span, index);
    const size_t begin = line_begin(text_, entry.begin);
    const size_t end = line_end(text_, entry.end());
    if (end < text_.size()) return splice_.replace(begin, end + 1, "");
    const size_t last = text_.substr(0, begin).find_last_not_of("\r\n");
    return splice_.replace(last == std::string_view::npos ? 0 : last + 1, end, "");
  }

  // The first entry shares its line with the dash around it: the next one takes its place, unless
  // there is a comment between them.
  std::string remove_behind_dash(const YamlSpan& span, size_t index) {
    const Entry& entry = span.entries[index];
    if (index > 0) throw unsupported(entry.begin, "this does not stand on a line of its own");
    const size_t next = span.entries[1].begin;
    return splice_.replace(entry.begin, has_comment(entry.end(), next) ? entry.end() : next, "");
  }

  std::string_view text_;
  Splice splice_;
  const std::string& file_;
  YamlSpan root_;
  YamlStyle style_;
};

std::string path_text(const YamlPath& path) {
  std::string text;
  for (const YamlStep& step : path) {
    if (const auto* key = std::get_if<std::string>(&step)) {
      text += fmt::format("{}{}", text.empty() ? "" : ".", *key);
    } else {
      text += fmt::format("[{}]", std::get<size_t>(step));
    }
  }
  return text;
}

Error changes_more(const std::string& file, const YamlPath& path) {
  return {ErrorCode::kUnsupported,
          fmt::format("{}: {} cannot be changed without changing something else, such as what an "
                      "anchor there stands for; please edit it by hand",
                      file, path_text(path))};
}

}  // namespace

std::string set_in_yaml(std::string_view text, const std::string& file, const YamlPath& path,
                        const json::Value& value) {
  json::Value intended = read_yaml(text, file).to_json();
  Editor editor(text, file);
  std::string edited = editor.set(path, value);
  const bool is_right = set_value(intended, path, value) &&
                        is_right_edit(text, edited, file, editor.range_of_set(path), intended);
  if (!is_right) throw changes_more(file, path);
  return edited;
}

std::string append_in_yaml(std::string_view text, const std::string& file, const YamlPath& path,
                           const json::Value& value) {
  json::Value intended = read_yaml(text, file).to_json();
  Editor editor(text, file);
  std::string edited = editor.append(path, value);
  const bool is_right = append_value(intended, path, value) &&
                        is_right_edit(text, edited, file, editor.range_of_set(path), intended);
  if (!is_right) throw changes_more(file, path);
  return edited;
}

std::string remove_from_yaml(std::string_view text, const std::string& file, const YamlPath& path) {
  json::Value intended = read_yaml(text, file).to_json();
  Editor editor(text, file);
  std::string edited = editor.remove(path);
  const bool is_right = remove_value(intended, path) &&
                        is_right_edit(text, edited, file, editor.range_of_removal(path), intended);
  if (!is_right) throw changes_more(file, path);
  return edited;
}

}  // namespace tidemark::config
