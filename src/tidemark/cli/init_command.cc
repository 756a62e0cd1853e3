#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/ingest_plan.h"
#include "tidemark/config/yaml_text.h"
#include "tidemark/json/write.h"
#include "tidemark/os/files.h"

namespace tidemark::cli {
namespace {

namespace fs = std::filesystem;

// The text, for a project file: there $NAME would be a variable.
std::string literal(std::string_view text) {
  std::string written;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size() && text[i + 1] >= 'A' && text[i + 1] <= 'Z') {
      written += '\\';
    }
    written += text[i];
  }
  return written;
}

// Within the project's folder a path is written as the user would.
std::string written_path(const std::string& path, const fs::path& directory) {
  const fs::path relative = fs::path(path).lexically_relative(directory);
  const bool is_inside = !relative.empty() && *relative.begin() != "..";
  return literal(is_inside ? relative.string() : path);
}

// An address in its two parts: https://host and what lies below it.
std::pair<std::string, std::string> split_address(std::string_view address) {
  const size_t end = address.find_first_of("/?", address.find("//") + 2);
  if (end == address.npos) return {std::string(address), ""};
  std::string_view below = address.substr(end);
  if (below.starts_with('/')) below.remove_prefix(1);
  return {std::string(address.substr(0, end)), std::string(below)};
}

// An endpoint's path, where {name} would be a placeholder.
std::string endpoint_path(std::string_view below) {
  std::string path;
  for (const char c : below) {
    path += c;
    if (c == '{' || c == '}') path += c;
  }
  return literal(path);
}

json::Object resource_entry(const IngestPlan& plan) {
  const source::ResourceOptions& resource = plan.resource;
  json::Object entry;
  if (!resource.table_name.empty()) {
    entry.set("table_name", resource.table_name);
  }
  if (resource.primary_key.size() == 1) {
    entry.set("primary_key", resource.primary_key.front());
  } else if (!resource.primary_key.empty()) {
    entry.set("primary_key", json::Array(resource.primary_key.begin(), resource.primary_key.end()));
  }
  entry.set("write_disposition", source::to_string(resource.write_disposition));
  if (resource.as_json) {
    entry.set("as_json", true);
  }
  if (resource.incremental) {
    entry.set("incremental", json::Object{{"cursor_path", resource.incremental->first}});
  }
  return entry;
}

json::Object files_entry(const IngestPlan& plan, const std::string& format,
                         const fs::path& directory) {
  json::Object entry{
      {"type", "files"}, {"name", plan.name}, {"path", written_path(plan.source, directory)}};
  if (!format.empty()) {
    entry.set("format", format);
  }
  for (const auto& [key, value] : resource_entry(plan)) {
    entry.set(key, value);
  }
  return entry;
}

json::Object rest_entry(const IngestPlan& plan) {
  const auto [base_url, below] = split_address(plan.source);
  json::Object resource{{"name", plan.name},
                        {"endpoint", json::Object{{"path", endpoint_path(below)}}}};
  for (const auto& [key, value] : resource_entry(plan)) {
    if (key == "incremental") {
      resource.find("endpoint")->as_object().set(key, value);
    } else {
      resource.set(key, value);
    }
  }
  return {{"type", "rest"},
          {"name", plan.name},
          {"client", json::Object{{"base_url", literal(base_url)}}},
          {"resources", json::Array{std::move(resource)}}};
}

json::Object project_document(const IngestPlan& plan, const std::string& format,
                              const fs::path& directory) {
  json::Object destination{{"type", plan.destination.type}};
  for (const auto& [key, value] : plan.destination.options) {
    destination.set(
        key, key == "path" ? json::Value(written_path(value.as_string(), directory)) : value);
  }
  json::Object pipeline{
      {"name", plan.name},
      {"destination", std::move(destination)},
      {"dataset", plan.dataset},
      {"source",
       is_web_address(plan.source) ? rest_entry(plan) : files_entry(plan, format, directory)}};
  return {{"pipelines", json::Array{std::move(pipeline)}}};
}

}  // namespace

ExitCode init(const Console& console, const InitArguments& arguments) {
  const fs::path& directory = console.context().surroundings.current_directory;
  const fs::path file = directory / "tidemark.yml";
  for (const fs::path& present : {file, directory / "meltano.yml"}) {
    if (os::path_exists(present)) {
      throw Error(ErrorCode::kConflict, fmt::format("{} is there already", present.string()));
    }
  }
  std::string name;
  std::string text = "# A project of tidemark: pipelines and what they run on.\n";
  if (arguments.ingest.source.empty()) {
    text += "pipelines: []\n";
  } else {
    if (arguments.ingest.source == "-") {
      throw Error(ErrorCode::kInvalid,
                  "init -: a project cannot name what stands on standard input; give a path");
    }
    const IngestPlan plan = plan_ingest(arguments.ingest, directory);
    name = plan.name;
    text += config::yaml_text(project_document(plan, arguments.ingest.format, directory));
  }
  os::write_new_file(file, text);
  os::sync_directory(directory);
  if (console.is_json()) {
    console.result(json::write(json::Object{{"file", file.string()}, {"pipeline", name}}));
  } else {
    console.result(fmt::format("Wrote {}", file.string()));
    if (!name.empty()) {
      console.note(fmt::format("'tidemark run {}' runs it", name));
    }
  }
  return kDone;
}

}  // namespace tidemark::cli
