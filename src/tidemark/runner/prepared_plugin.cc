#include "tidemark/runner/prepared_plugin.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/error.h"
#include "tidemark/base/uuid.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/os/scratch_files.h"
#include "tidemark/project/plugin_config.h"
#include "tidemark/project/plugin_installation.h"
#include "tidemark/project/plugin_settings.h"
#include "tidemark/project/plugin_variables.h"

namespace tidemark::runner {
namespace {

using project::Plugin;
using project::PluginType;

// Meltano's word for the plugin in the names of its files.
std::string_view file_word(const Plugin& plugin) {
  switch (plugin.type()) {
    case PluginType::kExtractors:
      return "tap";
    case PluginType::kLoaders:
      return "target";
    case PluginType::kMappers:
      return "mapper";
    default:
      return "plugin";
  }
}

std::string python_level(LogLevel level) {
  return level == LogLevel::kDisabled ? "CRITICAL" : ascii_upper(to_string(level));
}

bool logs_json(const Plugin& plugin) {
  return project::has_capability(plugin, "structured-logging");
}

// Plugins made with the Singer SDK are told to log the bare message: time and level are ours to
// say. Those that can, say all they know as JSON.
std::string sdk_logging(const Plugin& plugin, LogLevel level) {
  const json::Object formatter =
      logs_json(plugin) ? json::Object{{"()", "singer_sdk.logging.StructuredFormatter"}}
                        : json::Object{{"format", "%(message)s"}};
  const json::Object handler{
      {"class", "logging.StreamHandler"}, {"formatter", "default"}, {"stream", "ext://sys.stderr"}};
  return json::write_pretty(json::Object{
      {"version", 1},
      {"disable_existing_loggers", false},
      {"formatters", json::Object{{"default", formatter}}},
      {"handlers", json::Object{{"default", handler}}},
      {"root",
       json::Object{{"level", python_level(level)}, {"handlers", json::Array{"default"}}}}});
}

// The same for pipelinewise-singer-python.
std::string pipelinewise_logging(LogLevel level) {
  return fmt::format(
      "[loggers]\nkeys=root\n\n[handlers]\nkeys=stderr\n\n[formatters]\nkeys=message\n\n"
      "[logger_root]\nlevel={}\nhandlers=stderr\n\n"
      "[handler_stderr]\nclass=StreamHandler\nformatter=message\nargs=(sys.stderr,)\n\n"
      "[formatter_message]\nformat=%(message)s\n",
      python_level(level));
}

os::Environment with_logging(const Plugin& plugin, const os::Path& folder, LogLevel level,
                             const os::Environment& environment) {
  const os::Path sdk = folder / fmt::format("{}.singer_sdk_logging.json", file_word(plugin));
  const os::Path pipelinewise =
      folder / fmt::format("{}.pipelinewise_logging.conf", file_word(plugin));
  os::write_scratch_file(sdk, sdk_logging(plugin, level));
  os::write_scratch_file(pipelinewise, pipelinewise_logging(level));
  os::Environment::Variables variables = environment.variables();
  variables.try_emplace("SINGER_SDK_LOG_CONFIG", sdk.native());
  variables.try_emplace("LOGGING_CONF_FILE", pipelinewise.native());
  return os::Environment(std::move(variables));
}

void refuse_native(const Plugin& plugin) {
  if (!plugin.entry().find("destination")) return;
  throw Error(ErrorCode::kUnsupported,
              fmt::format("{} has a `destination:`: native loaders are not run by this version; a "
                          "loader with an `executable` or `pip_url` is",
                          plugin.label()));
}

struct StructuredLine {
  LogLevel level;
  std::string message;
  json::Object fields;
};

// What the Singer SDK writes as JSON; nothing for any other line.
std::optional<StructuredLine> read_structured(std::string_view line) {
  constexpr std::array<std::string_view, 7> kParts{"level",       "pid",      "logger_name", "ts",
                                                   "thread_name", "app_name", "message"};
  if (!line.starts_with('{')) return std::nullopt;
  json::Value value;
  try {
    value = json::read_python(line);
  } catch (const Error&) {
    return std::nullopt;
  }
  const auto is_there = [&](std::string_view part) { return value.find(part) != nullptr; };
  if (!std::ranges::all_of(kParts, is_there)) return std::nullopt;
  const json::Value& level = *value.find("level");
  const json::Value& message = *value.find("message");
  if (!level.is_string() || !message.is_string()) return std::nullopt;
  StructuredLine structured{
      find_log_level(ascii_lower(level.as_string())).value_or(LogLevel::kInfo),
      message.as_string(),
      {}};
  for (auto& [key, member] : value.as_object()) {
    const bool is_shown = key != "level" && key != "message" && !member.is_null();
    if (is_shown) structured.fields.set(key == "logger_name" ? "plugin_logger" : key, member);
  }
  return structured;
}

}  // namespace

Launch PreparedPlugin::launch(const std::vector<std::string>& arguments) const {
  Launch launch{plugin.name(), program, {"--config", config_file.native()}, environment};
  launch.arguments.insert(launch.arguments.end(), arguments.begin(), arguments.end());
  return launch;
}

PreparedPlugin prepare_plugin(const RunContext& context, const Plugin& plugin,
                              const os::Path& folder, const config::Node& overrides,
                              const os::Environment& handed_on) {
  refuse_native(plugin);
  const project::Project& project = context.project;
  project::LayeredSettings settings =
      project::plugin_settings(project, plugin, overrides, handed_on);
  os::Environment environment =
      with_logging(plugin, folder, context.log.level(),
                   project::plugin_environment(project, plugin, settings, handed_on));
  if (const auto venv = project::virtual_environment(project, plugin)) {
    environment = project::in_virtual_environment(environment, *venv);
  }
  os::Path program =
      project::find_executable(project, plugin, project::executable_name(plugin), environment);
  os::Path config_file = folder / fmt::format("{}.{}.config.json", file_word(plugin),
                                              make_uuid7(context.clock.now(), context.random));
  os::write_scratch_file(config_file, json::write_python_pretty(project::plugin_config(settings)));
  return {.plugin = plugin,
          .settings = std::move(settings),
          .environment = std::move(environment),
          .program = std::move(program),
          .folder = folder,
          .config_file = std::move(config_file)};
}

void log_plugin_line(Log& log, const PreparedPlugin& plugin, std::string_view line) {
  const std::string& name = plugin.plugin.name();
  if (logs_json(plugin.plugin)) {
    if (auto structured = read_structured(line)) {
      log.plugin(name, structured->level, structured->message, std::move(structured->fields));
      return;
    }
  }
  log.plugin(name, LogLevel::kInfo, line, {{"stdio", "stderr"}});
}

}  // namespace tidemark::runner
