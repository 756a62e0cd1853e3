#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/schema_text.h"
#include "tidemark/cli/workspace.h"
#include "tidemark/config/yaml_text.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {

ExitCode show_schema(const Console& console, std::string_view pipeline,
                     const SchemaArguments& arguments) {
  auto directory = open_to_read(console, pipeline);
  const auto state = directory->read_state();
  const auto name = state ? state->default_schema_name() : std::nullopt;
  const auto schema = name ? directory->read_schema(*name) : std::nullopt;
  if (!schema) {
    throw Error(ErrorCode::kNotFound,
                fmt::format("the pipeline {} has no default schema yet", pipeline));
  }
  json::Object document = schema->document();
  if (const json::Value* tables = document.find("tables"); tables && arguments.remove_defaults) {
    document.set("tables", without_names(tables->as_object()));
  }
  const bool is_json = console.is_json() || arguments.format == "json";
  console.result(is_json ? json::write_pretty(std::move(document))
                         : config::yaml_text(std::move(document)));
  return kDone;
}

}  // namespace tidemark::cli
