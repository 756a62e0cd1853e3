#pragma once

#include "tidemark/cli/command_spec.h"

namespace tidemark::cli {

// What each command takes, in files named after them. A spec may be read once: its targets are its
// own.
CommandSpec complete_spec();
CommandSpec completion_spec();
CommandSpec config_spec();
CommandSpec ingest_spec();
CommandSpec init_spec();
CommandSpec pipeline_spec();
CommandSpec run_spec();
CommandSpec el_spec();
CommandSpec elt_spec();
CommandSpec install_spec();
CommandSpec invoke_spec();
CommandSpec add_spec();
CommandSpec remove_spec();
CommandSpec select_spec();
CommandSpec logs_spec();
CommandSpec job_spec();
CommandSpec schedule_spec();
CommandSpec state_spec();

// All of them; both targets are of options that every command takes.
CommandSpec program_spec(CommonOptions& common, std::string& log_format);

}  // namespace tidemark::cli
