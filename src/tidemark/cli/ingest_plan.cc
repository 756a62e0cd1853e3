#include "tidemark/cli/ingest_plan.h"

#include <memory>
#include <span>

#include <fmt/format.h>

#include "tidemark/base/hash.h"
#include "tidemark/json/write.h"
#include "tidemark/schema/naming.h"

namespace tidemark::cli {
namespace {

// What a source is called, without folders, suffixes and the query of an address. A pattern such as
// *.csv has no name of its own: its folder's is taken.
std::string stem_of(std::string_view source) {
  if (source == "-") {
    return "stdin";
  }
  std::filesystem::path path(source.substr(0, source.find_first_of("?#")));
  for (; !path.empty() && path.has_relative_path(); path = path.parent_path()) {
    std::string name = path.filename().string();
    name = name.substr(0, name.find('.', 1));
    if (name.find_first_of("*?[") == name.npos && !name.empty() && name != "." && name != "..") {
      return name;
    }
  }
  return "data";
}

std::string absolute_source(std::string_view source, const std::filesystem::path& directory) {
  return source == "-" || is_web_address(source) ? std::string(source)
                                                 : (directory / source).lexically_normal().string();
}

source::WriteDisposition disposition_of(const IngestArguments& arguments) {
  const std::string& name = arguments.write_disposition;
  if (name == "merge" || (name.empty() && !arguments.key.empty())) {
    return source::WriteDisposition::kMerge;
  }
  return name == "replace" ? source::WriteDisposition::kReplace : source::WriteDisposition::kAppend;
}

// Enough to keep two files of one name apart, short enough to type.
std::string short_hash(std::string_view text) {
  constexpr size_t kBytes = 4;
  const Digest256 digest = sha256(text);
  return to_hex(std::span<const uint8_t>(digest).first(kBytes));
}

}  // namespace

bool is_web_address(std::string_view source) {
  return source.starts_with("https://") || source.starts_with("http://");
}

IngestPlan plan_ingest(const IngestArguments& arguments, const std::filesystem::path& directory) {
  IngestPlan plan;
  plan.source = absolute_source(arguments.source, directory);
  plan.name = schema::make_naming("snake_case", std::nullopt, true)
                  ->normalize_identifier(stem_of(plan.source));
  plan.dataset = arguments.dataset.empty() ? plan.name + "_dataset" : arguments.dataset;
  plan.destination =
      parse_destination(arguments.to.empty() ? plan.name + ".duckdb" : arguments.to, directory);
  plan.pipeline =
      fmt::format("{}_{}", plan.name,
                  short_hash(fmt::format("{}\n{}\n{}", plan.source, plan.destination.type,
                                         json::write(plan.destination.options))));
  plan.resource.name = plan.name;
  plan.resource.table_name = arguments.table;
  plan.resource.primary_key = arguments.key;
  plan.resource.write_disposition = disposition_of(arguments);
  plan.resource.as_json = arguments.as_json;
  if (!arguments.cursor.empty()) {
    plan.resource.incremental.emplace(arguments.cursor, source::IncrementalOptions{});
  }
  return plan;
}

}  // namespace tidemark::cli
