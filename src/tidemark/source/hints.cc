#include "tidemark/source/hints.h"

#include <fmt/format.h>

namespace tidemark::source {
namespace {

WriteDisposition read_disposition(const config::Node& node) {
  const std::string_view word = node.choice({"append", "replace", "merge"});
  if (word == "replace") return WriteDisposition::kReplace;
  return word == "merge" ? WriteDisposition::kMerge : WriteDisposition::kAppend;
}

void read_write_disposition(const config::Node& node, ResourceOptions& options) {
  if (!node.is_map()) {
    options.write_disposition = read_disposition(node);
    return;
  }
  node.expect_keys({"disposition", "strategy"});
  options.write_disposition = read_disposition(node.require("disposition"));
  if (const auto strategy = node.optional_node("strategy")) {
    options.merge_strategy = strategy->choice({"delete-insert", "upsert", "insert-only", "scd2"});
    if (options.write_disposition == WriteDisposition::kMerge &&
        options.merge_strategy != "delete-insert") {
      throw strategy->error(fmt::format("merge strategy {} is not supported; use delete-insert",
                                        options.merge_strategy));
    }
  }
}

void merge_column(const std::string& name, const config::Node& hints, json::Object& columns) {
  if (!hints.is_map()) throw hints.error("expected the hints of a column, a map");
  json::Value& column = columns[name];
  if (column.is_null()) column = json::Object();
  column.as_object().set("name", name);
  for (const auto& [key, value, position] : hints.members()) {
    column.as_object().set(key, value.to_json());
  }
}

// dlt takes a map by name or a list of maps with a name.
void read_columns(const config::Node& node, json::Object& columns) {
  if (node.is_map()) {
    for (const auto& [name, hints, position] : node.members()) merge_column(name, hints, columns);
    return;
  }
  for (const config::Node& hints : node.items()) {
    merge_column(hints.require("name").string(), hints, columns);
  }
}

int read_nesting(const config::Node& node) {
  const int64_t levels = node.integer();
  if (levels < 0 || levels > 1000) throw node.error("expected 0 to 1000 levels");
  return static_cast<int>(levels);
}

RangeEdge read_edge(const config::Node& node) {
  return node.choice({"open", "closed"}) == "open" ? RangeEdge::kOpen : RangeEdge::kClosed;
}

MissingCursor read_missing(const config::Node& node) {
  const std::string_view word = node.choice({"raise", "include", "exclude"});
  if (word == "include") return MissingCursor::kInclude;
  return word == "exclude" ? MissingCursor::kExclude : MissingCursor::kRaise;
}

}  // namespace

void read_hints(const config::Node& node, ResourceOptions& options) {
  const auto overlay = [&](std::string_view key, auto& hint, auto read) {
    const auto member = node.find(key);
    if (!member) return;
    hint = {};
    if (!member->is_null()) hint = read(*member);
  };
  const auto strings = [](const config::Node& names) { return names.strings(); };
  overlay("primary_key", options.primary_key, strings);
  overlay("merge_key", options.merge_key, strings);
  overlay("table_name", options.table_name, [](const config::Node& name) { return name.string(); });
  overlay("max_table_nesting", options.max_table_nesting, read_nesting);
  if (const auto disposition = node.optional_node("write_disposition")) {
    read_write_disposition(*disposition, options);
  }
  if (const auto columns = node.optional_node("columns")) read_columns(*columns, options.columns);
  options.as_json = node.optional_boolean("as_json").value_or(options.as_json);
  options.is_selected = node.optional_boolean("selected").value_or(options.is_selected);
}

std::pair<std::string, IncrementalOptions> read_incremental(const config::Node& node) {
  IncrementalOptions options;
  if (const auto initial = node.optional_node("initial_value")) {
    options.initial_value = initial->value();
  }
  if (const auto end = node.optional_node("end_value")) options.end_value = end->value();
  if (const auto function = node.optional_node("last_value_func")) {
    options.last_value_func =
        function->choice({"max", "min"}) == "min" ? LastValue::kMin : LastValue::kMax;
  }
  options.primary_key = node.optional_strings("primary_key");
  if (const auto order = node.optional_node("row_order")) {
    options.row_order =
        order->choice({"asc", "desc"}) == "asc" ? RowOrder::kAscending : RowOrder::kDescending;
  }
  if (const auto edge = node.optional_node("range_start")) options.range_start = read_edge(*edge);
  if (const auto edge = node.optional_node("range_end")) options.range_end = read_edge(*edge);
  options.lag = node.optional_number("lag");
  if (const auto missing = node.optional_node("on_cursor_value_missing")) {
    options.on_cursor_value_missing = read_missing(*missing);
  }
  return {node.require("cursor_path").string(), std::move(options)};
}

}  // namespace tidemark::source
