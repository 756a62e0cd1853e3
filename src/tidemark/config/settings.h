#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/config/node.h"
#include "tidemark/os/directories.h"
#include "tidemark/os/environment.h"

namespace tidemark::config {

// A setting as dlt names it: `sources.shop.api_key` is the key `api_key` in the sections `sources`
// and `shop`. It is looked for in all its sections, then with the last one left out, and so on.
struct SettingName {
  std::string key;
  std::vector<std::string> sections = {};
  // A section behind the others that is never left out: `credentials`.
  std::string inner_section = {};
  bool is_secret = false;
};

// `sources.shop.api_key` as a name.
SettingName setting_name(std::string_view dotted);

// Where a setting was found; what a trace shows of it. The value is nowhere in it.
struct ResolvedSetting {
  std::string key;
  std::vector<std::string> sections;
  std::string provider_name;      // `Environment Variables`, `secrets.toml`, `project file`
  std::string provider_location;  // the file: `secrets.toml`, `global:secrets.toml`; else empty
  bool is_secret = false;

  bool operator==(const ResolvedSetting&) const = default;
};

// The places settings come from, in the order of dlt 1.31 with the project file among them:
// environment
// (`TIDEMARK_LOAD__WORKERS`, then `LOAD__WORKERS`), the pipeline's entry in the project file,
// secrets.toml, config.toml, both of the project over those of the user. As in dlt every place is
// asked with the pipeline's name in front of all sections first; but a value in the project file
// yields only to the environment. One thread.
class Settings {
 public:
  struct Sources {
    os::Environment environment = {};
    // A map of sections: the pipeline's entry in the project file.
    std::optional<Node> project = {};
    // Maps of sections; null when there is no file.
    Node secrets = {};
    Node config = {};
    // Of secrets.toml and config.toml that belong to the user, not to the project.
    os::Path global_directory = {};
    // Where container platforms mount secrets; only secret settings are looked for.
    os::Path mounted_secrets = "/run/secrets";
  };

  // Reads secrets.toml and config.toml of both directories. Error kInvalid for bad TOML.
  static Sources read_sources(const os::Environment& environment,
                              const os::DltDirectories& directories);

  // pipeline may be empty.
  Settings(Sources sources, std::string pipeline);

  // Nothing when no place has it; null counts as nothing. Error kInvalid when a secret stands in
  // config.toml, or when the value is the placeholder of a new project.
  std::optional<Node> find(const SettingName& name);
  // Missing is Error kInvalid with every key that was tried.
  Node require(const SettingName& name);
  // The same for a secret, whatever name.is_secret says.
  Secret require_secret(SettingName name);

  // What these found, in the order they were asked.
  const std::vector<ResolvedSetting>& resolved() const { return resolved_; }

 private:
  struct Found;
  struct Query;

  std::optional<Found> search(const SettingName& name) const;
  std::optional<Found> search_environment(const Query& query, std::string_view pipeline) const;
  std::optional<Found> search_project(const Query& query) const;
  std::optional<Found> search_files(const Query& query, std::string_view pipeline) const;
  std::optional<Node> mounted_secret(const std::string& variable) const;
  std::string location_of(const Node& value, std::string_view file) const;
  std::string describe_tried(const SettingName& name) const;

  Sources sources_;
  std::vector<std::string> scopes_;  // the pipeline's name, then none
  std::vector<ResolvedSetting> resolved_;
};

}  // namespace tidemark::config
