#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/schema_text.h"
#include "tidemark/cli/workspace.h"
#include "tidemark/config/yaml_text.h"
#include "tidemark/info/load_package.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

using workdir::PackageStage;

// The newest of those that are furthest from being loaded.
std::string newest_load_id(const workdir::WorkingDirectory& directory, std::string_view pipeline) {
  for (PackageStage stage :
       {PackageStage::kExtracted, PackageStage::kNormalized, PackageStage::kLoaded}) {
    const auto load_ids = directory.packages(stage);
    if (!load_ids.empty()) {
      return load_ids.back();
    }
  }
  throw Error(ErrorCode::kNotFound,
              fmt::format("There are no load packages for the pipeline {}", pipeline));
}

std::string schema_update_text(const info::LoadPackageInfo& package, int verbosity) {
  if (package.schema_update.empty()) {
    return "";
  }
  if (verbosity == 0) {
    return "\nAdd -v option to see schema update. Note that it could be large.\n";
  }
  return "\nSchema update:\n" +
         config::yaml_text(json::Object{{"tables", without_names(package.schema_update)}}) + "\n";
}

}  // namespace

ExitCode show_load_package(const Console& console, std::string_view pipeline,
                           const LoadPackageArguments& arguments) {
  auto directory = open_to_read(console, pipeline);
  const std::string load_id =
      arguments.load_id ? *arguments.load_id : newest_load_id(*directory, pipeline);
  const info::LoadPackageInfo package = directory->package_info(load_id);
  if (console.is_json()) {
    console.result(json::write_pretty(info::to_json(package)));
    return kDone;
  }
  console.result(fmt::format("Package {} found in {}\n{}{}", load_id, package.package_path,
                             info::to_text(package, console.verbosity()),
                             schema_update_text(package, console.verbosity())));
  return kDone;
}

}  // namespace tidemark::cli
