#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/base/sleeper.h"
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

// Where Meltano keeps the logs of runs.
os::Path log_directory(const CliContext& context);

// The system database that the options of a backend name. Error kInvalid when they name none.
std::unique_ptr<state::SystemDatabase> open_system_database(
    const state::BackendOptions& options, std::function<void(std::string_view text)> notice,
    const state::Context& context);

// What plugins of a project are started with: its log, with Meltano's messages on stderr as the
// project's settings and the command line want them, and what stops them.
class RunSession {
 public:
  // timeout in seconds. Both references must outlive the session.
  RunSession(const Console& console, const project::Project& project,
             std::optional<uint64_t> timeout);
  RunSession(const RunSession&) = delete;
  RunSession& operator=(const RunSession&) = delete;

  runner::RunContext context();

 private:
  const project::Project& project_;
  runner::Log log_;
  runner::RunControl control_;
  Clock& clock_;
  Random& random_;
  Sleeper& sleeper_;
};

// The project's state backend and system database, for runs that keep a state.
class RunStores {
 public:
  // All that the references and the context name must outlive it.
  RunStores(const Console& console, const runner::RunContext& context,
            const StateStoreOptions& options);
  RunStores(const RunStores&) = delete;
  RunStores& operator=(const RunStores&) = delete;

  runner::LineStores stores();

 private:
  const Console& console_;
  // States are saved behind a signal too.
  Cancellation never_;
  state::Context state_context_;
  state::BackendOptions options_;
  state::Backend backend_;
  std::unique_ptr<state::SystemDatabase> database_;
  std::unique_ptr<state::RunRecords> records_;
};

}  // namespace tidemark::cli
