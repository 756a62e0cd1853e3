#pragma once

#include <string>
#include <string_view>

#include "tidemark/cli/console.h"
#include "tidemark/state/service.h"

namespace tidemark::cli {

// What was written, its warnings shown. Everything else is an Error: kConflict with what changed,
// kLocked with the holder, kNotFound, kInvalid.
const state::Saved& expect_saved(const Console& console, const state::WriteResult& result);

// "+ path: after", "- path: before", both for a value that changed; one line each.
std::string difference_text(const std::vector<state::Difference>& differences);
json::Value difference_json(const std::vector<state::Difference>& differences);

// state::describe(), on one line of a terminal.
std::string holder_text(const state::HeldLease& lease);

// "ada@laptop: state set, run 0192…", or that another tool wrote it.
std::string author_text(const state::HistoryEntry& entry);

// "2026-11-30 12:32:24+0000", as Meltano's messages have it.
std::string time_text(Time time);

}  // namespace tidemark::cli
