#include "tidemark/pipeline/sync_step.h"

#include <algorithm>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/state/state_row.h"
#include "tidemark/state/sync.h"

namespace tidemark::pipeline {

namespace {

using destination::Session;

// Nothing when there is no such database yet.
std::unique_ptr<Session> connect(RunState& run, destination::Access access) {
  try {
    return run.options.destination->connect(run.dataset, access);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kNotFound) return nullptr;
    throw;
  }
}

std::string describe_cursors(const state::PipelineState& state) {
  std::string text;
  for (const state::Cursor& cursor : state.cursors()) {
    text += fmt::format("{}{}.{} = {}", text.empty() ? "" : ", ", cursor.resource, cursor.path,
                        json::write(cursor.last_value));
  }
  return text.empty() ? "none" : text;
}

void download_schema(RunState& run, Session& session, const std::string& name) {
  const auto text = session.newest_schema(name);
  if (!text) {
    run.directory->write_schema(schema::Schema::make(name));
    return;
  }
  try {
    run.directory->write_schema(schema::Schema::from_json(json::read(*text).as_object(), false));
  } catch (Error& error) {
    error.add_context(fmt::format("schema {} in dataset {}", name, run.dataset));
    throw;
  }
}

void take_over(RunState& run, Session& session, const state::PipelineState& remote) {
  run.directory->remove_schemas();
  for (const std::string& name : remote.schema_names()) download_schema(run, session, name);
  run.state.take_over(remote);
}

void download_missing_schemas(RunState& run, Session& session) {
  for (const std::string& name : run.state.schema_names()) {
    if (!run.directory->read_schema(name)) download_schema(run, session, name);
  }
}

void compare(RunState& run, Session& session, const state::PipelineState& remote) {
  const state::SyncDecision decision = state::decide_sync(run.state, remote);
  if (decision.must_warn) {
    run.warn(
        fmt::format("the destination's state of pipeline {} wins over the local one: cursors "
                    "there {}; here {}",
                    run.options.name, describe_cursors(remote), describe_cursors(run.state)));
  }
  if (decision.take_remote) {
    take_over(run, session, remote);
  } else {
    download_missing_schemas(run, session);
  }
}

// The dataset is new: what the working directory knows is of another one (dlt 1.31 wipes it as
// well).
void forget_if_dataset_is_gone(RunState& run, bool has_dataset) {
  const bool has_data = !run.state.is_first_run() || !run.state.schema_names().empty();
  if (has_data && (!has_dataset || !run.state.default_schema_name())) start_over(run);
}

}  // namespace

bool sync_with_destination(RunState& run, destination::Access access) {
  const auto session = connect(run, access);
  if (session == nullptr || !session->has_state_tables()) {
    forget_if_dataset_is_gone(run, session != nullptr && session->has_dataset());
    return false;
  }
  run.newest_load_id = session->newest_load_id();
  const auto row = session->newest_state(run.options.name);
  if (!row) {
    download_missing_schemas(run, *session);
    return false;
  }
  compare(run, *session, state::decode_state(row->state));
  run.state.set_local("first_run", false);
  note_run_context(run);
  run.state.bump();
  run.directory->write_state(run.state);
  return true;
}

void require_writable(RunState& run) { connect(run, destination::Access::kUpdate); }

void start_over(RunState& run) {
  run.directory->wipe();
  const std::string initial_cwd(run.state.initial_cwd().value_or(run.runtime.run_dir));
  const auto destination_type = run.options.destination->capabilities().factory;
  run.state = state::PipelineState::create(run.options.name, initial_cwd);
  run.state.set_dataset_name(run.dataset);
  run.state.set_destination(destination_type, std::nullopt);
  run.state.set_local(kLocationKey, run.options.destination->location());
  run.state.rehash();
  run.directory->write_state(run.state);
}

}  // namespace tidemark::pipeline
