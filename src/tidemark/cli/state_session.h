#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemark/cli/console.h"
#include "tidemark/cli/state_arguments.h"
#include "tidemark/state/backend.h"
#include "tidemark/state/run_records.h"
#include "tidemark/state/service.h"

namespace tidemark::cli {

// The open state backend of the project in the current folder. Outside of a project, of the one
// that a flag or a variable names; Error kNotFound when nothing does.
class StateSession {
 public:
  // operation is what leases and histories say: `state set`.
  StateSession(const Console& console, const StateStoreOptions& options,
               std::string_view operation);
  StateSession(const StateSession&) = delete;
  StateSession& operator=(const StateSession&) = delete;

  state::StateService& service() { return service_; }
  state::StateStore& states() { return service_.states(); }
  state::Backend& backend() { return backend_; }
  const state::Author& author() const { return author_; }
  const state::Context& context() const { return context_; }

  // The backend that another URI names, with the same settings otherwise.
  state::Backend open(const std::string& uri) const;

  // Where the runs of the project keep what they could not save. Error kNotFound without a project.
  os::Path unsaved_directory() const;

  // Warns when the ID is of another environment of the project than the active one.
  void warn_of_environment(std::string_view id) const;

  // Adds Meltano's record of an edit to the system database, where there is one. A failure is a
  // warning: the state itself is written.
  void record_edit(std::string_view id, const json::Value& payload, state::PayloadFlags flags);

 private:
  // What the settings say, and the environment that they are of.
  struct Target {
    state::BackendOptions options;
    std::optional<std::string> environment;
    std::optional<os::Path> system_directory;
  };

  static Target find_target(const Console& console, const StateStoreOptions& options);

  const Console& console_;
  state::Context context_;
  state::Author author_;
  Target target_;
  state::Backend backend_;
  state::StateService service_;
};

}  // namespace tidemark::cli
