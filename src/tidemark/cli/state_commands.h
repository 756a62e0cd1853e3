#pragma once

#include "tidemark/cli/console.h"
#include "tidemark/cli/exit_code.h"
#include "tidemark/cli/state_arguments.h"
#include "tidemark/cli/state_session.h"

namespace tidemark::cli {

// The verbs of `state`. They throw Error for what fails.
ExitCode run_verb(const Console& console, StateSession& session, const StateListArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateGetArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateSetArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateEditArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateMergeArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateCopyArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateMoveArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateClearArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateExportArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateImportArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateShowArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateHistoryArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateDiffArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session,
                  const StateRollbackArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateRecoverArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateLocksArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateUnlockArguments& verb);
ExitCode run_verb(const Console& console, StateSession& session, const StateMigrateArguments& verb);

}  // namespace tidemark::cli
