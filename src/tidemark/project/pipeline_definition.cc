#include "tidemark/project/pipeline_definition.h"

#include <string_view>

#include <fmt/format.h>

#include "tidemark/base/pipeline_name.h"
#include "tidemark/config/expand.h"

namespace tidemark::project {
namespace {

constexpr std::string_view kPipelineSuffix = "_pipeline";

std::string default_source_name(std::string_view pipeline) {
  if (pipeline.size() > kPipelineSuffix.size() && pipeline.ends_with(kPipelineSuffix)) {
    pipeline.remove_suffix(kPipelineSuffix.size());
  }
  return std::string(pipeline);
}

void validate_section(const config::Node& entry, std::string_view section,
                      std::initializer_list<std::string_view> keys) {
  if (const auto node = entry.optional_node(section)) node->expect_keys(keys);
}

}  // namespace

void validate_pipeline(const config::Node& entry) {
  entry.expect_keys({"name", "destination", "dataset", "source", "state", "dev_mode",
                     "restore_from_destination", "loader_file_format", "extract", "normalize",
                     "load"});
  const config::Node name = entry.require("name");
  // A name has no variables in it, and no `$`, which would look like one.
  const bool has_variable = name.string().find('$') != std::string::npos;
  if (has_variable || !is_pipeline_name(name.string())) {
    throw name.error(
        fmt::format("'{}' cannot be a pipeline's name: it names a directory, and none of {}$ may "
                    "be in it",
                    name.string(), kForbiddenInPipelineNames));
  }
  entry.require("destination");
  entry.require("source").require("type");
  validate_section(entry, "state", {"backend"});
  validate_section(entry, "extract", {"workers"});
  validate_section(entry, "normalize", {"workers"});
  validate_section(entry, "load", {"workers", "raise_on_failed_jobs"});
}

PipelineDefinition bind_pipeline(const config::Node& entry, const os::Environment& environment) {
  const config::Node node = config::expand(entry, environment, config::MissingVariable::kError);
  PipelineDefinition pipeline;
  pipeline.node = node;
  pipeline.name = node.require("name").string();
  pipeline.dataset = node.optional_string("dataset");
  pipeline.source = node.require("source");
  pipeline.source_name =
      pipeline.source.optional_string("name").value_or(default_source_name(pipeline.name));
  if (const auto state = node.optional_node("state")) {
    const auto backend = state->optional_node("backend");
    const bool is_none = backend && backend->choice({"auto", "none"}) == "none";
    pipeline.state_backend = is_none ? StateBackend::kNone : StateBackend::kAuto;
  }
  pipeline.is_dev_mode = node.optional_boolean("dev_mode").value_or(false);
  pipeline.restores_from_destination =
      node.optional_boolean("restore_from_destination").value_or(true);
  return pipeline;
}

}  // namespace tidemark::project
