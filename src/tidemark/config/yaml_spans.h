#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::config {

// Where a node of a YAML text stands. Places are bytes.
struct YamlSpan {
  enum class Shape {
    kNothing,  // a null that nobody wrote: begin, content and end are one place
    kScalar,
    kAlias,
    kFlowList,
    kFlowMap,
    kPair,  // `[a: 1]`: a map of one member without braces
    kBlockList,
    kBlockMap,
  };
  struct Entry;

  Shape shape = Shape::kNothing;
  size_t begin = 0;    // with anchor and tag
  size_t content = 0;  // behind them
  size_t end = 0;      // behind the last byte; of a block collection that of its last entry
  std::vector<Entry> entries;

  bool is_map() const { return shape == Shape::kFlowMap || shape == Shape::kBlockMap; }
  bool is_list() const { return shape == Shape::kFlowList || shape == Shape::kBlockList; }
  bool is_block() const { return shape == Shape::kBlockList || shape == Shape::kBlockMap; }
  bool is_flow() const { return shape == Shape::kFlowList || shape == Shape::kFlowMap; }
};

// An element of a list, or a member of a map; merge keys are members too.
struct YamlSpan::Entry {
  std::string key = {};
  size_t begin = 0;      // the key, `? ` in front of it, or the dash
  size_t separator = 0;  // behind the colon or the dash; without either behind the key, or begin
  bool has_separator = true;
  YamlSpan value;

  size_t end() const { return value.end; }
};

// The spans of a document that config::read_yaml() reads. Error kUnsupported, with file and line,
// for a text whose nodes do not stand where the parser says.
YamlSpan read_yaml_spans(std::string_view text, const std::string& file);

// Of the line that `place` is on: its first byte, and the place of its line break or the end of the
// text. The line break is `\n`; a `\r` in front of it belongs to the line.
size_t line_begin(std::string_view text, size_t place);
size_t line_end(std::string_view text, size_t place);

}  // namespace tidemark::config
