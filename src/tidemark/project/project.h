#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/config/node.h"
#include "tidemark/os/environment.h"
#include "tidemark/os/files.h"
#include "tidemark/project/active_environment.h"
#include "tidemark/project/layered_settings.h"
#include "tidemark/project/pipeline_definition.h"
#include "tidemark/project/variables.h"

namespace tidemark::project {

// A project as its files say: `tidemark.yml` or `meltano.yml` with the files it includes and its
// `.env`. `pipelines:` and `destinations:` are checked whole when it is loaded; what else there is
// (plugins, environments, jobs, schedules, settings, keys of other tools) stays as it was written.
class Project {
 public:
  struct Options {
    os::Path file;                     // the project file, absolute
    os::Environment environment = {};  // of the process
    // Instead of `.env`; a relative one is against the project's folder.
    std::optional<os::Path> env_file = {};
    EnvironmentChoice environment_choice = {};
    // The destination types there are; other words are names of `destinations:`.
    std::vector<std::string_view> destination_types = {};
  };

  // Error kInvalid names file, line, key path and the nearest known key, or the version of Meltano
  // that the project requires and tidemark is not like; kNotFound an active
  // environment that the project does not have.
  static Project load(const Options& options);

  const os::Path& root() const { return root_; }
  // The project file and those it includes, in the order in which they were put together.
  const std::vector<os::Path>& files() const { return files_; }
  // The .env file, which may be missing.
  const os::Path& dotenv_file() const { return dotenv_file_; }
  // All files as one document, variables not expanded.
  const config::Node& document() const { return document_; }
  // Where Meltano keeps what it makes: $MELTANO_SYS_DIR_ROOT, else <root>/.meltano.
  const os::Path& system_directory() const { return system_directory_; }
  const std::optional<std::string>& environment_name() const { return environment_name_; }
  // What `$NAME` stands for in the project: .env, under the process, under what tidemark itself
  // sets, under `env:` of the project, under `env:` of the active environment (expanded by the
  // layers below it).
  const os::Environment& environment() const { return environment_; }
  // The variables that settings are read from, by layer: of the process; MELTANO_PROJECT_ROOT,
  // MELTANO_SYS_DIR_ROOT, MELTANO_ENVIRONMENT and MELTANO_USER_AGENT (which is tidemark's) under
  // `env:` of the project; .env.
  const Variables& process_variables() const { return process_variables_; }
  const Variables& own_variables() const { return own_variables_; }
  const Variables& dotenv() const { return dotenv_; }
  // Meltano's own settings. overrides is a map of what flags say.
  LayeredSettings settings(const config::Node& overrides = {}) const;
  // The entry of the active environment in `environments:`.
  std::optional<config::Node> active_environment() const;

  std::vector<std::string> pipeline_names() const;
  // Nothing when the project has no pipeline of that name. Error kInvalid when the entry cannot be
  // bound.
  std::optional<PipelineDefinition> find_pipeline(std::string_view name) const;

 private:
  void read_files(const os::Path& file);
  void read_environment(const Options& options);
  void set_own_variables();
  void add_active_environment();
  void validate() const;
  DestinationDefinition resolve_destination(const config::Node& destination) const;

  os::Path root_;
  std::vector<os::Path> files_;
  os::Path dotenv_file_;
  os::Path system_directory_;
  config::Node document_;
  std::optional<std::string> environment_name_;
  Variables process_variables_;
  Variables own_variables_;
  Variables dotenv_;
  os::Environment environment_;
  std::vector<std::string_view> destination_types_;
};

}  // namespace tidemark::project
