#include "tidemark/runner/tap_catalog.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/error.h"
#include "tidemark/base/sha1.h"
#include "tidemark/json/python_number.h"
#include "tidemark/json/write.h"
#include "tidemark/os/scratch_files.h"
#include "tidemark/project/plugin_installation.h"
#include "tidemark/runner/catalog_cache.h"
#include "tidemark/singer/catalog.h"

namespace tidemark::runner {
namespace {

using project::LayeredSettings;
using project::Plugin;

constexpr std::string_view kFileName = "tap.properties.json";

std::string text_setting(const LayeredSettings& settings, std::string_view name) {
  const config::Node value = settings.find(name).value;
  return value.is_string() ? value.string() : "";
}

std::vector<std::string> list_setting(const LayeredSettings& settings, std::string_view name) {
  const config::Node value = settings.find(name).value;
  return value.is_null() ? std::vector<std::string>() : value.strings();
}

json::Object map_setting(const LayeredSettings& settings, std::string_view name) {
  const json::Value value = settings.find(name).value.to_json();
  return value.is_object() ? value.as_object() : json::Object();
}

bool allows_cache(const LayeredSettings& settings) {
  const config::Node value = settings.find("_use_cached_catalog").value;
  return value.kind() != config::Kind::kBool || value.boolean();
}

singer::CatalogRules rules_of(const LayeredSettings& settings) {
  return {.select = list_setting(settings, "_select"),
          .metadata = map_setting(settings, "_metadata"),
          .schema = map_setting(settings, "_schema"),
          .select_filter = list_setting(settings, "_select_filter")};
}

std::string read_custom(const RunContext& context, const std::string& name) {
  const os::Path file = context.project.root() / name;
  std::optional<std::string> text = os::read_file_if_exists(file);
  if (!text) {
    throw Error(ErrorCode::kNotFound, fmt::format("Could not find catalog file {}", file.native()));
  }
  context.log.info(fmt::format("Using custom catalog in {}", file.native()));
  return *std::move(text);
}

singer::Catalog read_catalog(const std::string& text, const Plugin& tap) {
  try {
    return singer::Catalog::read(text);
  } catch (Error& error) {
    error.add_context(fmt::format("Catalog discovery failed: invalid catalog of {}", tap.name()));
    throw;
  }
}

// How the catalog of one tap is made.
class Maker {
 public:
  Maker(const RunContext& context, const PreparedPlugin& tap)
      : context_(context),
        tap_(tap),
        key_(catalog_cache_key(tap.plugin, tap.settings)),
        cache_(context.project.system_directory() / "run" / tap.plugin.name(), context.random) {}

  std::optional<std::string> make(const std::vector<std::string>& arguments, bool is_refreshed) {
    if (const std::string custom = text_setting(tap_.settings, "_catalog"); !custom.empty()) {
      return filtered(read_custom(context_, custom));
    }
    std::optional<std::string> found = find(arguments, is_refreshed);
    if (!takes_rules()) return found;
    if (!found) {
      throw Error(ErrorCode::kNotFound,
                  fmt::format("Applying catalog rules failed: catalog file is missing: {} cannot "
                              "be asked for its catalog, and the extra `catalog` names none",
                              tap_.plugin.name()));
    }
    std::string text = ruled(*found);
    if (!key_.empty()) cache_.put(key_, text);
    return text;
  }

 private:
  bool can(std::string_view capability) const {
    return project::has_capability(tap_.plugin, capability);
  }
  bool takes_rules() const { return can("catalog") || can("properties"); }

  std::optional<std::string> find(const std::vector<std::string>& arguments, bool is_refreshed) {
    const bool may_be_cached = !key_.empty() && !is_refreshed && allows_cache(tap_.settings);
    if (may_be_cached) {
      if (std::optional<std::string> cached = cache_.find(key_)) return cached;
    }
    if (can("discover")) return discover(context_, tap_, arguments);
    const os::Path given = project::plugin_directory(context_.project, tap_.plugin) / kFileName;
    std::optional<std::string> text = os::read_file_if_exists(given);
    return text ? text : cache_.find_any();
  }

  std::string filtered(const std::string& text) const {
    if (!takes_rules()) return text;
    singer::Catalog catalog = read_catalog(text, tap_.plugin);
    catalog.apply_filter(list_setting(tap_.settings, "_select_filter"));
    return catalog.text();
  }

  std::string ruled(const std::string& text) const {
    singer::Catalog catalog = read_catalog(text, tap_.plugin);
    for (const std::string& warning : catalog.apply(rules_of(tap_.settings))) {
      context_.log.warning(warning);
    }
    return catalog.text();
  }

  const RunContext& context_;
  const PreparedPlugin& tap_;
  std::string key_;
  CatalogCache cache_;
};

}  // namespace

std::optional<os::Path> write_catalog(const RunContext& context, const PreparedPlugin& tap,
                                      const std::vector<std::string>& arguments,
                                      bool is_refreshed) {
  const std::optional<std::string> text = Maker(context, tap).make(arguments, is_refreshed);
  if (!text || text->empty()) return std::nullopt;
  os::Path file = tap.folder / kFileName;
  os::write_scratch_file(file, *text);
  return file;
}

std::vector<std::string> catalog_arguments(const PreparedPlugin& tap,
                                           const std::optional<os::Path>& catalog) {
  if (!catalog) return {};
  if (project::has_capability(tap.plugin, "catalog")) return {"--catalog", catalog->native()};
  if (project::has_capability(tap.plugin, "properties")) return {"--properties", catalog->native()};
  return {};
}

std::string discover(const RunContext& context, const PreparedPlugin& tap,
                     const std::vector<std::string>& arguments) {
  context.log.info("Running catalog discovery");
  Launch launch = tap.launch(arguments);
  launch.arguments.emplace_back("--discover");
  std::string output;
  Chain chain({std::move(launch)}, {});
  const std::vector<PluginEnd> ends = chain.wait(
      {.log_line = [&](size_t, std::string_view line) { log_plugin_line(context.log, tap, line); },
       .output = [&](std::string_view bytes) { output += bytes; },
       .ask = [&] { return context.control.ask(); }});
  context.control.throw_if_stopped();
  const PluginEnd& end = ends.front();
  if (!end.end.is_success()) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("Catalog discovery failed: {} ended with {}; its last lines:\n{}",
                            tap.plugin.name(), describe(end.end), fmt::join(end.last_lines, "\n")));
  }
  return output;
}

std::string catalog_cache_key(const Plugin& tap, const LayeredSettings& settings) {
  const std::optional<std::string> url = project::pip_url(tap);
  if (!url || url->starts_with("-e") || !text_setting(settings, "_catalog").empty()) return {};
  json::Object all;
  for (const project::SettingDefinition& definition : settings.definitions()) {
    if (!definition.is_extra())
      all.set(definition.name, settings.find(definition.name).value.to_json());
  }
  for (const std::string_view extra : {"_schema", "_metadata"}) {
    all.set(extra, settings.find(extra).value.to_json());
  }
  return sha1_hex(json::write_python(json::with_python_numbers(std::move(all))));
}

}  // namespace tidemark::runner
