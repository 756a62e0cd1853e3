#include "tidemark/cli/run_options.h"

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/base/uuid.h"
#include "tidemark/project/setting_definition.h"
#include "tidemark/runner/install.h"

namespace tidemark::cli {
namespace {

std::optional<std::string> run_variable(const CliContext& context, std::string_view name) {
  for (const std::string_view prefix : {"TIDEMARK_RUN_", "MELTANO_RUN_"}) {
    const std::string* value =
        context.environment->find_not_empty(fmt::format("{}{}", prefix, name));
    if (value != nullptr) return *value;
  }
  return std::nullopt;
}

state::StateStrategy strategy_of(const Console& console, const PluginRunOptions& options) {
  if (options.merge_state) {
    console.warning(
        "The --merge-state option is deprecated and will be removed in a future version. Use "
        "--state-strategy=merge instead.");
    return state::StateStrategy::kMerge;
  }
  const std::string& word = options.state_strategy;
  if (word.empty() || word == "auto") return state::StateStrategy::kAuto;
  if (word == "merge") return state::StateStrategy::kMerge;
  if (word == "overwrite") return state::StateStrategy::kOverwrite;
  throw Error(ErrorCode::kInvalid,
              fmt::format("'{}' is no strategy for states: auto, merge or overwrite", word));
}

std::string run_id_of(const CliContext& context, const PluginRunOptions& options) {
  if (!options.run_id) return make_uuid7(context.clock->now(), *context.random);
  if (const auto id = read_uuid(*options.run_id)) return *id;
  throw Error(ErrorCode::kInvalid, fmt::format("{} is not a valid UUID", *options.run_id));
}

}  // namespace

void add_run_variables(const CliContext& context, PluginRunOptions& options, bool& full_refresh) {
  const auto flag = [&](bool& option, std::string_view name) {
    const auto value = run_variable(context, name);
    option = option || (value && project::is_truthy(*value));
  };
  flag(full_refresh, "FULL_REFRESH");
  flag(options.refresh_catalog, "REFRESH_CATALOG");
  flag(options.no_state_update, "NO_STATE_UPDATE");
  flag(options.require_state, "REQUIRE_STATE");
  flag(options.force, "FORCE");
  flag(options.observe, "OBSERVE");
  if (!options.state_id_suffix) options.state_id_suffix = run_variable(context, "STATE_ID_SUFFIX");
  if (!options.run_id) options.run_id = run_variable(context, "ID");
  if (options.state_strategy.empty() && !options.merge_state) {
    options.state_strategy = run_variable(context, "STATE_STRATEGY").value_or("");
  }
}

std::optional<uint64_t> timeout_variable(const CliContext& context) {
  const std::optional<std::string> text = run_variable(context, "TIMEOUT");
  if (!text) return std::nullopt;
  uint64_t seconds = 0;
  const char* const end = text->data() + text->size();
  const auto [rest, fault] = std::from_chars(text->data(), end, seconds);
  if (fault == std::errc() && rest == end && seconds > 0) return seconds;
  throw Error(ErrorCode::kInvalid,
              fmt::format("the variable RUN_TIMEOUT says '{}': it is a number of seconds", *text));
}

runner::LineOptions line_options(const Console& console, const PluginRunOptions& options,
                                 bool is_full_refresh) {
  return {.run_id = run_id_of(console.context(), options),
          .suffix = options.state_id_suffix,
          .strategy = strategy_of(console, options),
          .updates_state = !options.no_state_update,
          .requires_state = options.require_state,
          .is_forced = options.force,
          .set = {.is_full_refresh = is_full_refresh,
                  .refreshes_catalog = options.refresh_catalog,
                  .is_observed = options.observe}};
}

bool install_for_run(const runner::RunContext& context, const std::vector<project::Plugin>& plugins,
                     const InstallFlags& flags) {
  const config::Node setting = context.project.settings().find("auto_install").value;
  const bool is_allowed = setting.kind() != config::Kind::kBool || setting.boolean();
  const bool is_wanted = flags.install || flags.only_install || is_allowed;
  if (is_wanted && !flags.no_install) runner::install_missing(context, plugins);
  return flags.only_install;
}

}  // namespace tidemark::cli
