#include "tidemark/project/state_backend_settings.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/config/nearest.h"

namespace tidemark::project {
namespace {

using config::Node;

// Numbers above this are mistakes, and none of what they are used for overflows below it.
constexpr double kMostSeconds = 1e9;

class Reader {
 public:
  explicit Reader(const LayeredSettings& settings) : settings_(settings) {}

  std::optional<Placed<std::string>> text(std::string_view name) const {
    return read<std::string>(name, [](const Node& node) { return node.string(); });
  }

  std::optional<Placed<Secret>> secret(std::string_view name) const {
    return read<Secret>(name, [](const Node& node) { return node.secret(); });
  }

  std::optional<Placed<bool>> boolean(std::string_view name) const {
    return read<bool>(name, [](const Node& node) { return node.boolean(); });
  }

  Placed<std::chrono::milliseconds> duration(std::string_view name) const {
    return required(name, read<std::chrono::milliseconds>(name, [](const Node& node) {
                      return std::chrono::milliseconds(std::llround(seconds(node) * 1000));
                    }));
  }

  Placed<int> count(std::string_view name) const {
    return required(name, read<int>(name, [](const Node& node) {
                      const int64_t number = node.integer();
                      if (number < 0 || number > std::numeric_limits<int>::max()) {
                        throw node.error("expected a number that is not below zero");
                      }
                      return static_cast<int>(number);
                    }));
  }

  // What has a default and may not be given away by a variable that is not set.
  template <typename Value>
  Placed<Value> required(std::string_view name, std::optional<Placed<Value>> value) const {
    if (value) return std::move(*value);
    throw settings_.find(name)
        .written.with_path(std::string(name))
        .error("nothing is left of it: a variable in it is not set");
  }

 private:
  template <typename Value, typename Function>
  std::optional<Placed<Value>> read(std::string_view name, Function function) const {
    const Setting setting = settings_.find(name);
    if (setting.value.is_null()) return std::nullopt;
    const Node node = setting.value.with_path(std::string(name));
    return Placed<Value>{function(node), origin_of(setting)};
  }

  static double seconds(const Node& node) {
    const double number = node.number();
    if (!(number >= 0 && number <= kMostSeconds)) {
      throw node.error("expected seconds that are not below zero");
    }
    return number;
  }

  const LayeredSettings& settings_;
};

// A misspelt setting would send states elsewhere without a word. Maps of other names belong to
// add-ons of Meltano, and names with `x-` to whoever writes them.
bool is_misspelt(std::string_view name) {
  constexpr std::string_view kPrefix = "state_backend.";
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  const std::string_view group = name.substr(0, name.find('.'));
  const bool is_of_addon =
      group.size() < name.size() && group != "s3" && group != "gcs" && group != "azure";
  return !is_of_addon && !group.starts_with("x-");
}

void check_names(const LayeredSettings& settings) {
  for (const SettingDefinition& definition : settings.definitions()) {
    if (!definition.is_custom || !is_misspelt(definition.name)) continue;
    std::vector<std::string_view> known;
    for (const SettingDefinition& other : settings.definitions()) {
      if (!other.is_custom && other.name.starts_with("state_backend.")) known.push_back(other.name);
    }
    throw settings.find(definition.name)
        .written.with_path(definition.name)
        .error("unknown setting" + config::suggestion(definition.name, known));
  }
}

}  // namespace

StateBackendSettings read_state_backend_settings(const LayeredSettings& settings) {
  check_names(settings);
  const Reader reader(settings);
  StateBackendSettings read;
  read.uri = reader.required("state_backend.uri", reader.secret("state_backend.uri"));
  read.lock_timeout = reader.duration("state_backend.lock_timeout_seconds");
  read.allow_unconditional = reader.required("state_backend.allow_unconditional",
                                             reader.boolean("state_backend.allow_unconditional"));
  read.s3 = {
      .aws_access_key_id = reader.secret("state_backend.s3.aws_access_key_id"),
      .aws_secret_access_key = reader.secret("state_backend.s3.aws_secret_access_key"),
      .aws_session_token = reader.secret("state_backend.s3.aws_session_token"),
      .endpoint_url = reader.text("state_backend.s3.endpoint_url"),
      .profile = reader.text("state_backend.s3.profile"),
      .region = reader.text("state_backend.s3.region"),
      .path_style = reader.boolean("state_backend.s3.path_style"),
  };
  read.gcs = {
      .application_credentials = reader.secret("state_backend.gcs.application_credentials"),
      .application_credentials_json =
          reader.secret("state_backend.gcs.application_credentials_json"),
      .application_credentials_path =
          reader.secret("state_backend.gcs.application_credentials_path"),
  };
  read.azure = {
      .connection_string = reader.secret("state_backend.azure.connection_string"),
      .storage_account_url = reader.text("state_backend.azure.storage_account_url"),
  };
  read.database_uri = reader.secret("database_uri");
  read.database_max_retries = reader.count("database_max_retries");
  const Placed<int> retry_timeout = reader.count("database_retry_timeout");
  read.database_retry_timeout = {std::chrono::seconds(retry_timeout.value), retry_timeout.origin};
  return read;
}

std::string origin_of(const Setting& setting) {
  if (setting.source == SettingSource::kDefault && setting.written.position().file == nullptr) {
    return std::string(kDefaultOrigin);
  }
  if (setting.source == SettingSource::kOverride) return "the command line";
  return to_string(setting.written.position());
}

}  // namespace tidemark::project
