#include "tidemark/project/meltano_settings.h"

#include <string_view>
#include <utility>

namespace tidemark::project {
namespace {

using Kind = SettingKind;
using Definition = SettingDefinition;
using Definitions = std::vector<SettingDefinition>;

void append(Definitions& to, Definitions definitions) {
  for (Definition& definition : definitions) to.push_back(std::move(definition));
}

Definition secret(std::string name, std::string description) {
  return {.name = std::move(name), .description = std::move(description), .is_sensitive = true};
}

Definition text(std::string name, std::string description, json::Value value = {}) {
  return {.name = std::move(name),
          .default_value = std::move(value),
          .description = std::move(description)};
}

Definition boolean(std::string name, std::string description, json::Value value = {}) {
  Definition definition = text(std::move(name), std::move(description), std::move(value));
  definition.kind = Kind::kBoolean;
  return definition;
}

Definition number(Kind kind, std::string name, std::string description, json::Value value) {
  Definition definition = text(std::move(name), std::move(description), std::move(value));
  definition.kind = kind;
  return definition;
}

Definition options(std::string name, std::string description, std::vector<json::Value> words,
                   std::string_view value) {
  Definition definition = text(std::move(name), std::move(description), value);
  definition.kind = Kind::kOptions;
  definition.options = std::move(words);
  return definition;
}

Definition env_specific(Definition definition) {
  definition.is_env_specific = true;
  return definition;
}

Definitions project_definitions() {
  return {
      text("default_environment", "Environment of `run` and `el` when none is asked for"),
      boolean("send_anonymous_usage_stats", "Of Meltano only: tidemark sends none", true),
      boolean("disable_tracking", "Of Meltano only: tidemark tracks nothing"),
      text("project_id", "Names the project for Meltano"),
      env_specific(text("database_uri",
                        "System database: SQLite or PostgreSQL, as SQLAlchemy "
                        "spells its URL",
                        "sqlite:///$MELTANO_SYS_DIR_ROOT/meltano.db")),
      number(Kind::kInteger, "database_max_retries",
             "How often connecting to the system database is tried again", 3),
      number(Kind::kInteger, "database_retry_timeout", "Seconds between two of these tries", 5),
      env_specific(
          boolean("project_readonly", "Whether the project's files stay as they are", false)),
      text("hub_api_root", "Of Meltano only: API of the hub of plugins"),
      text("hub_url", "Of Meltano only: address of the hub of plugins", "https://hub.meltano.com"),
      secret("hub_url_auth", "Of Meltano only: Authorization header for the hub"),
      number(Kind::kInteger, "elt.buffer_size",
             "Bytes between two plugins; a message may have half of it", 104'857'600),
      text("python", "Interpreter for the plugins' virtual environments"),
      boolean("auto_install", "Whether plugins are installed when they are needed", true),
  };
}

Definitions state_backend_definitions() {
  return {
      env_specific(text("state_backend.uri",
                        "Where state lives: systemdb, file://, s3://, gs:// or azure://",
                        "systemdb")),
      env_specific(number(Kind::kDecimal, "state_backend.lock_timeout_seconds",
                          "Seconds after which an unchanged lock counts as left behind", 10)),
      env_specific(number(Kind::kInteger, "state_backend.lock_retry_seconds",
                          "Read and not used, as in Meltano", 1)),
      boolean("state_backend.allow_unconditional",
              "Whether a bucket that ignores conditional writes is used all the same", false),
  };
}

Definitions cloud_definitions() {
  return {
      secret("state_backend.azure.connection_string", "Of the Azure storage account"),
      text("state_backend.azure.storage_account_url",
           "Address of the storage account, with the host's own identity"),
      secret("state_backend.gcs.application_credentials", "Older name of the path"),
      secret("state_backend.gcs.application_credentials_json",
             "Service account as JSON text; not beside a path"),
      secret("state_backend.gcs.application_credentials_path", "File of a service account"),
      secret("state_backend.s3.aws_access_key_id", "With the secret access key, or without both"),
      secret("state_backend.s3.aws_secret_access_key", "With the access key ID"),
      secret("state_backend.s3.aws_session_token", "Of temporary keys"),
      text("state_backend.s3.endpoint_url", "Of a server that speaks S3"),
      text("state_backend.s3.profile", "Of AWS's credentials and config files"),
      text("state_backend.s3.region", "Region of the bucket"),
      boolean("state_backend.s3.path_style",
              "Whether the bucket stands in the path, not in the host; the default where there "
              "is an endpoint_url"),
  };
}

Definitions remaining_definitions() {
  Definition collectors = text("snowplow.collector_endpoints", "Of Meltano only",
                               json::Array{"https://sp.meltano.com"});
  collectors.kind = Kind::kArray;
  return {
      env_specific(options("cli.log_level", "Least level of messages that are shown",
                           {"debug", "info", "warning", "error", "critical", "disabled"}, "info")),
      text("cli.log_config", "Of Meltano only: file that configures Python's logging",
           "logging.yaml"),
      options("cli.log_format", "Form of messages",
              {"colored", "uncolored", "json", "key_value", "plain"}, "colored"),
      boolean("cli.disable_version_check", "Of Meltano only: tidemark asks nobody", false),
      collectors,
      options("venv.backend", "What makes virtual environments", {"virtualenv", "uv"}, "uv"),
      boolean("experimental", "Of Meltano only", false),
      boolean("ff.strict_env_var_mode",
              "Whether a variable that is not set is an error instead of empty text", false),
      boolean("ff.plugin_locks_required", "Of Meltano only", false),
  };
}

}  // namespace

const std::vector<SettingDefinition>& meltano_settings() {
  static const Definitions all = [] {
    Definitions definitions = project_definitions();
    append(definitions, state_backend_definitions());
    append(definitions, cloud_definitions());
    append(definitions, remaining_definitions());
    return definitions;
  }();
  return all;
}

}  // namespace tidemark::project
