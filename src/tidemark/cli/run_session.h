#pragma once

#include <memory>

#include "tidemark/base/cancellation.h"
#include "tidemark/cli/arguments.h"
#include "tidemark/cli/console.h"
#include "tidemark/project/project.h"
#include "tidemark/runner/block_line.h"
#include "tidemark/runner/log.h"
#include "tidemark/runner/run_control.h"
#include "tidemark/state/backend.h"
#include "tidemark/state/run_records.h"
#include "tidemark/state/system_database.h"

namespace tidemark::cli {

// Meltano's messages as the project's settings and the command line want them, on stderr.
runner::Log::Options log_options(const Console& console, const project::Project& project);

// What runs of plugins need: the project's log, state backend and system database.
class RunSession {
 public:
  // timeout in seconds. Both references must outlive the session.
  RunSession(const Console& console, const project::Project& project,
             const StateStoreOptions& store, std::optional<uint64_t> timeout);
  RunSession(const RunSession&) = delete;
  RunSession& operator=(const RunSession&) = delete;

  runner::RunContext context();
  runner::LineStores stores();
  runner::Log& log() { return log_; }

 private:
  const Console& console_;
  const project::Project& project_;
  runner::Log log_;
  runner::RunControl control_;
  // States are saved behind a signal too.
  Cancellation never_;
  state::Context state_context_;
  state::BackendOptions options_;
  state::Backend backend_;
  std::unique_ptr<state::SystemDatabase> database_;
  std::unique_ptr<state::RunRecords> records_;
};

}  // namespace tidemark::cli
