#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/json/value.h"
#include "tidemark/state/context.h"
#include "tidemark/state/system_database.h"

namespace tidemark::state {

// Which half of a document a payload goes to: the column `payload_flags`.
enum class PayloadFlags { kNone = 0, kState = 1, kIncompleteState = 2 };

// A row that says RUNNING.
struct RunningRow {
  std::string run_id = {};
  Time started_at{};
  std::optional<Time> last_heartbeat_at = {};

  // From when on it counts as stale: 5 minutes after the last heartbeat, 24 hours after the start
  // of a run that never had one.
  Time stale_at() const;
  bool operator==(const RunningRow&) const = default;
};

// A row that said RUNNING of a run that had gone. It says FAIL now.
struct StaleRun {
  Time started_at{};
  std::string error = {};

  bool operator==(const StaleRun&) const = default;
};

// A run that is or was.
struct RunSummary {
  std::string run_id = {};
  std::string id = {};     // of the state
  std::string state = {};  // `RUNNING`, `SUCCESS`, `FAIL`
  std::optional<Time> started_at = {};
  std::optional<Time> ended_at = {};
  std::string trigger = {};

  bool operator==(const RunSummary&) const = default;
};

// The row of a run under way. Thread-safe; throws what the database throws. One that is destroyed
// before it ended stays RUNNING.
class RunRecord {
 public:
  // last_heartbeat_at = now. Meltano does it every second; after 5 minutes without it fails the
  // row.
  void beat();
  // payload.singer_state and the flags, which only grow.
  void note_state(const json::Value& singer_state, PayloadFlags flags);
  void succeed();
  // payload.error.
  void fail(std::string_view error);

 private:
  friend class RunRecords;
  RunRecord(SystemDatabase& database, Clock& clock, std::string id, int64_t row);
  void end(std::string_view state);

  SystemDatabase& database_;
  Clock& clock_;
  std::string id_;
  int64_t row_;
  std::mutex mutex_;
  json::Object payload_;
  PayloadFlags flags_ = PayloadFlags::kNone;
};

// Meltano's table `runs`, where it records what each run and each edit did, whichever state backend
// there is. Thread-safe; throws what the database throws.
class RunRecords {
 public:
  // The database is borrowed. trigger is $MELTANO_JOB_TRIGGER, else `cli`.
  RunRecords(SystemDatabase& database, std::string trigger, const Context& context);

  // Records that `state set`, `edit`, `merge`, `copy` or `move` gave an ID this payload. False when
  // there is no system database: none is made for that.
  bool insert_state_edit(std::string_view id, const json::Value& payload, PayloadFlags flags);

  // Fails the rows of an ID whose runs have gone: those of ended_runs (Lease::earlier_runs()) at
  // once, any other by its stale_at(). Nothing where there is no system database.
  std::vector<StaleRun> fail_stale(std::string_view id, const std::vector<std::string>& ended_runs);
  // The newest row of the ID that still says RUNNING: Meltano's runs hold no lease.
  std::optional<RunningRow> find_running(std::string_view id);
  // The newest runs, the last that started first; edits of states are none.
  std::vector<RunSummary> newest(size_t most);
  // A new row, RUNNING. Makes the system database where there is none, as Meltano does.
  std::unique_ptr<RunRecord> start(std::string_view id, std::string_view run_id);

 private:
  SystemDatabase& database_;
  std::string trigger_;
  Context context_;
};

}  // namespace tidemark::state
