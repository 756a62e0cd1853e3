#pragma once

#include <string_view>

#include "tidemark/cli/console.h"
#include "tidemark/cli/state_session.h"

namespace tidemark::cli {

// Asks before the state of an ID is overwritten, unless --force or --yes says so already; see
// Console::confirm(). What was asked about is all that the write may overwrite; --force overwrites
// whatever is there.
state::WriteOptions confirm_write(const Console& console, StateSession& session,
                                  std::string_view id, bool is_forced, std::string_view question);

}  // namespace tidemark::cli
