#include "tidemark/cli/try_config.h"

#include <optional>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/run_options.h"
#include "tidemark/cli/run_session.h"
#include "tidemark/runner/config_trial.h"
#include "tidemark/runner/run_directory.h"

namespace tidemark::cli {
namespace {

using project::PluginType;

void check_type(const ConfigTarget& target) {
  if (!target.plugin) {
    throw Error(ErrorCode::kUnsupported,
                "Testing of the Meltano project configuration is not supported");
  }
  const PluginType type = target.plugin->type();
  if (type == PluginType::kExtractors || type == PluginType::kLoaders) return;
  throw Error(ErrorCode::kUnsupported,
              fmt::format("Operation not supported for {} '{}'", project::words_of(type).singular,
                          target.plugin->name()));
}

void try_plugin(const runner::RunContext& context, const project::Plugin& plugin) {
  const auto directory =
      runner::RunDirectory::make(context.project.system_directory(), context.clock, context.random);
  const runner::PreparedPlugin prepared = runner::prepare_plugin(
      context, plugin, directory->make_folder("plugin"), config::Node::map({}), {});
  if (plugin.type() == PluginType::kExtractors) {
    runner::try_tap(context, prepared);
    return;
  }
  context.log.warning(
      "Testing a loader will write test data to your target system. This test will create a "
      "table/collection called 'meltano_test_stream'. You may need to manually clean up this test "
      "data after the test completes.");
  runner::try_target(context, prepared);
  context.log.info(
      "Test data was written to your target system. You may want to clean up the "
      "'meltano_test_stream' table/collection.");
}

}  // namespace

ExitCode try_config(const Console& console, const ConfigTarget& target,
                    const ConfigTestArguments& arguments) {
  check_type(target);
  RunSession session(console, target.project, std::nullopt);
  const runner::RunContext context = session.context();
  if (install_for_run(context, {*target.plugin}, arguments.install)) return kDone;
  try {
    try_plugin(context, *target.plugin);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kCancelled) throw;
    throw Error(error.code(),
                fmt::format("Plugin configuration is invalid\n{}\n"
                            "Run 'tidemark config list {}' to review the plugin settings.",
                            error.message(), target.plugin->name()));
  }
  console.result("Plugin configuration is valid");
  return kDone;
}

}  // namespace tidemark::cli
