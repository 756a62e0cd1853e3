#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tidemark/cli/config_arguments.h"
#include "tidemark/cli/install_flags.h"
#include "tidemark/cli/logs_arguments.h"
#include "tidemark/cli/schedule_arguments.h"
#include "tidemark/cli/state_arguments.h"

namespace tidemark::cli {

// Accepted at any place of the command line.
struct CommonOptions {
  int verbosity = 0;
  bool assume_yes = false;
  bool no_color = false;
  bool json = false;
  bool json_log = false;
  std::optional<std::string> pipelines_dir = {};
  std::optional<std::string> environment = {};  // of the project
  bool no_environment = false;
  std::optional<std::string> env_file = {};  // instead of the project's .env
};

// What `run` takes for pipelines of `pipelines:`.
struct PipelineRunOptions {
  std::vector<std::string> select;
  std::optional<uint64_t> limit_pages;
  std::optional<std::string> from;  // the cursors' window, from <= value < to: both or neither
  std::optional<std::string> to;
  std::string refresh;  // "", "drop_sources", "drop_resources", "drop_data"
  bool dev_mode = false;
};

// What `run` takes for taps, mappers and targets.
struct PluginRunOptions {
  bool refresh_catalog = false;
  bool no_state_update = false;
  bool require_state = false;
  bool force = false;
  bool observe = false;
  std::optional<std::string> state_id_suffix;
  bool merge_state = false;
  std::string state_strategy;  // "", "auto", "merge", "overwrite"
  std::optional<std::string> run_id;
  InstallFlags install;
  StateStoreOptions store;
};

struct RunArguments {
  std::vector<std::string> blocks;
  bool full_refresh = false;
  bool dry_run = false;
  std::optional<uint64_t> timeout;  // seconds
  PipelineRunOptions pipeline;
  PluginRunOptions plugins;
};

// Of `el EXTRACTOR LOADER`, and of `elt`, its older name.
struct ElArguments {
  std::string extractor;
  std::string loader;
  bool full_refresh = false;
  std::vector<std::string> select;   // streams
  std::vector<std::string> exclude;  // streams
  std::optional<std::string> catalog;
  std::optional<std::string> state;
  std::optional<std::string> state_id;
  bool dry = false;
  std::string dump;       // "", "catalog", "state", "extractor-config", "loader-config"
  std::string transform;  // of `elt` only: "skip", "run", "only"
  PluginRunOptions plugins;
};

struct InstallArguments {
  std::vector<std::string> plugins;  // empty: all
  std::string plugin_type;
  std::optional<uint64_t> parallelism;
  bool clean = false;
  bool force = false;
};

struct InvokeArguments {
  std::string plugin;  // or `plugin:command`
  std::vector<std::string> words;
  std::string plugin_type;
  bool list_commands = false;
  std::string dump;  // "", "config", "catalog"
  std::vector<std::string> print_var;
  bool refresh_catalog = false;
  InstallFlags install;
};

// What flags say of a plugin that `add --custom` defines.
struct CustomPlugin {
  std::optional<std::string> name_space = {};
  std::optional<std::string> pip_url = {};  // empty, or `n`: pip does not install it
  std::optional<std::string> executable = {};
  std::optional<std::string> capabilities = {};  // with commas
  std::optional<std::string> settings = {};      // `name[:kind]`, with commas
};

// Of `add PLUGIN...`.
struct AddArguments {
  std::vector<std::string> plugins;
  std::string plugin_type;
  bool custom = false;
  CustomPlugin definition;
  std::optional<std::string> from_ref;
  std::optional<std::string> inherit_from;
  std::optional<std::string> as;
  std::optional<std::string> variant;
  std::optional<std::string> python;
  bool no_update = false;  // as without it: nobody else is asked for definitions
  bool install = false;
  bool no_install = false;
  bool force_install = false;
};

// Of `remove PLUGIN...`.
struct RemoveArguments {
  std::vector<std::string> plugins;
  std::string plugin_type;
};

// Of `select EXTRACTOR [STREAMS [PROPERTIES]]`: writes a pattern, or lists what is selected.
struct SelectArguments {
  std::string extractor;
  std::string streams = "*";
  std::string properties = "*";
  bool exclude = false;  // the pattern is one with `!`
  bool remove = false;
  bool clear = false;
  bool list = false;
  bool all = false;  // also lists what is not selected
  bool refresh_catalog = false;
  InstallFlags install;
};

// Of `ingest SOURCE`, and of `init SOURCE`, which writes them down instead.
struct IngestArguments {
  std::string source;  // path, glob, "-" or URL; empty only for init
  std::string to;      // empty: a DuckDB file in the current folder
  std::string table;
  std::string dataset;
  std::string format;  // empty: by suffix
  std::vector<std::string> key;
  std::string cursor;
  std::string write_disposition;  // empty: merge with a key, else append
  bool as_json = false;
  std::optional<uint64_t> limit_pages;
};

struct InitArguments {
  IngestArguments ingest;
};

struct ListArguments {};
struct InfoArguments {};
struct TraceArguments {};
struct FailedJobsArguments {};
struct AbortPackagesArguments {};
struct RetryArguments {};

struct LoadPackageArguments {
  std::optional<std::string> load_id;
};

struct SchemaArguments {
  std::string format = "yaml";  // "json", "yaml"
  bool remove_defaults = false;
};

struct SyncArguments {
  std::optional<std::string> destination;
  std::optional<std::string> dataset;
};

struct DropArguments {
  std::vector<std::string> resources;  // names, or re:REGEX
  bool drop_all = false;
  std::vector<std::string> state_paths;
  std::optional<std::string> schema;
  bool state_only = false;
  std::optional<std::string> destination;
  std::optional<std::string> dataset;
};

struct QueryArguments {
  std::string sql;
  bool csv = false;
};

using PipelineVerb =
    std::variant<InfoArguments, TraceArguments, LoadPackageArguments, SchemaArguments,
                 SyncArguments, DropArguments, FailedJobsArguments, AbortPackagesArguments,
                 RetryArguments, QueryArguments>;

struct PipelineArguments {
  std::string name;
  PipelineVerb verb;
};

struct CompletionArguments {
  std::string shell;  // "bash", "zsh", "fish"
};

// What the scripts ask: what may stand in the place of the last word.
struct CompleteArguments {
  std::vector<std::string> words;
};

// Text that answers the command line itself: --help, --version, or what is wrong with it.
struct Answer {
  std::string text;
  bool is_usage_error = false;
};

using Command =
    std::variant<Answer, RunArguments, ElArguments, InstallArguments, InvokeArguments, AddArguments,
                 RemoveArguments, SelectArguments, LogsArguments, JobArguments, ScheduleArguments,
                 IngestArguments, InitArguments, ListArguments, PipelineArguments, ConfigArguments,
                 StateArguments, CompletionArguments, CompleteArguments>;

struct Arguments {
  CommonOptions common;
  Command command;
};

// args are those behind the program's name.
Arguments parse_arguments(const std::vector<std::string>& args);

}  // namespace tidemark::cli
