#include "tidemark/source/files_config.h"

#include <utility>
#include <vector>

#include "tidemark/source/files.h"
#include "tidemark/source/hints.h"

namespace tidemark::source {
namespace {

// A text of one byte.
char read_byte(const config::Node& node) {
  const std::string text = node.string();
  if (text.size() != 1) {
    throw node.error("expected one character");
  }
  return text[0];
}

CsvOptions read_csv_options(const config::Node& node) {
  CsvOptions csv;
  if (const auto delimiter = node.optional_node("delimiter")) {
    csv.delimiter = read_byte(*delimiter);
  }
  if (const auto quote = node.optional_node("quote")) {
    const bool is_off = quote->is_string() && quote->string().empty();
    csv.quote = is_off ? std::nullopt : std::optional(read_byte(*quote));
  }
  csv.header = node.optional_boolean("header").value_or(csv.header);
  csv.pad_rows = node.optional_boolean("pad_rows").value_or(csv.pad_rows);
  if (auto nulls = node.optional_strings("null_values")) {
    csv.null_values = std::move(*nulls);
  }
  return csv;
}

Resource read_resource(const config::Node& node, std::string name, const os::Path& directory) {
  ResourceOptions resource{.name = std::move(name)};
  read_hints(node, resource);
  if (const auto cursor = node.optional_node("incremental")) {
    resource.incremental = read_incremental(*cursor);
  }
  FilesOptions files_options;
  const std::string path = node.require("path").string();
  files_options.path = path == "-" ? path : (directory / path).lexically_normal().string();
  if (const auto format = node.optional_node("format")) {
    files_options.format = file_format(format->choice({"jsonl", "json", "csv"}));
  }
  files_options.csv = read_csv_options(node);
  return files(std::move(resource), std::move(files_options));
}

void expect_resource_keys(const config::Node& node) {
  node.expect_keys({"type", "name", "path", "format", "delimiter", "quote", "header", "null_values",
                    "pad_rows", "incremental", "primary_key", "merge_key", "write_disposition",
                    "table_name", "columns", "selected", "max_table_nesting", "as_json"});
}

}  // namespace

Source files_source(std::string name, const config::Node& node, const os::Path& directory) {
  std::vector<Resource> resources;
  if (const auto list = node.optional_node("resources")) {
    node.expect_keys({"type", "name", "resources"});
    for (const config::Node& item : list->items()) {
      expect_resource_keys(item);
      resources.push_back(read_resource(item, item.require("name").string(), directory));
    }
  } else {
    expect_resource_keys(node);
    resources.push_back(read_resource(node, name, directory));
  }
  return {std::move(name), std::move(resources)};
}

}  // namespace tidemark::source
