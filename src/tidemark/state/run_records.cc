#include "tidemark/state/run_records.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/base/uuid.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/state/database_text.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;

constexpr auto kHeartbeatFor = 5min;
constexpr auto kWithoutHeartbeatFor = 24h;
constexpr std::string_view kLeftBehind =
    "The run left its lease behind. The process was likely killed unceremoniously.";

// SQLite has no type for it; Meltano's text there has no dashes.
std::string stored_run_id(std::string run_id, db::SqlDialect dialect) {
  if (dialect == db::SqlDialect::kSqlite) std::erase(run_id, '-');
  return run_id;
}

std::string dashed_run_id(std::string run_id) {
  if (run_id.size() != 32) return run_id;
  for (const size_t place : {8, 13, 18, 23}) run_id.insert(place, 1, '-');
  return run_id;
}

std::optional<Time> time_of(const db::SqlRow& row, size_t column) {
  if (row.is_null(column)) return std::nullopt;
  const auto time = parse_iso_datetime(row.text(column));
  if (!time) return std::nullopt;
  return Time(std::chrono::microseconds(time->utc_micros()));
}

struct NumberedRow {
  int64_t number = 0;
  RunningRow row;
};

// The newest one first.
std::vector<NumberedRow> running_rows(db::SqlConnection& connection, std::string_view id) {
  std::vector<NumberedRow> rows;
  connection.query(
      "SELECT id, CAST(run_id AS VARCHAR), CAST(started_at AS VARCHAR), "
      "CAST(last_heartbeat_at AS VARCHAR) FROM runs WHERE job_name = $1 AND state = 'RUNNING' "
      "ORDER BY started_at DESC, id DESC",
      {id}, [&](const db::SqlRow& row) {
        const std::string run_id(row.is_null(1) ? "" : row.text(1));
        rows.push_back({.number = row.integer(0),
                        .row = {.run_id = dashed_run_id(run_id),
                                .started_at = time_of(row, 2).value_or(Time()),
                                .last_heartbeat_at = time_of(row, 3)}});
      });
  return rows;
}

// Why the run of the row must be gone; empty when it need not be.
std::string fault_of(const RunningRow& row, const std::vector<std::string>& ended_runs, Time now) {
  if (std::ranges::find(ended_runs, row.run_id) != ended_runs.end()) {
    return std::string(kLeftBehind);
  }
  if (now < row.stale_at()) return {};
  return fmt::format("{}. The process was likely killed unceremoniously.",
                     row.last_heartbeat_at ? "No heartbeat recorded for 5 minutes"
                                           : "Still running after 24 hours");
}

json::Object payload_of(db::SqlConnection& connection, int64_t number) {
  json::Value payload;
  connection.query("SELECT payload FROM runs WHERE id = $1", {number}, [&](const db::SqlRow& row) {
    if (!row.is_null(0)) payload = json::read_python(row.text(0));
  });
  return payload.is_object() ? std::move(payload.as_object()) : json::Object{};
}

// False when it ended meanwhile.
bool fail_row(db::SqlConnection& connection, int64_t number, std::string_view error,
              std::string_view when) {
  db::SqlTransaction transaction(connection);
  json::Object payload = payload_of(connection, number);
  payload.set("error", error);
  const std::string text = json::write_python(payload);
  const int64_t changed = connection.execute(
      "UPDATE runs SET state = 'FAIL', ended_at = $1, payload = $2 WHERE id = $3 AND state = "
      "'RUNNING'",
      {when, std::string_view(text), number});
  transaction.commit();
  return changed > 0;
}

}  // namespace

Time RunningRow::stale_at() const {
  return last_heartbeat_at ? *last_heartbeat_at + kHeartbeatFor : started_at + kWithoutHeartbeatFor;
}

RunRecord::RunRecord(SystemDatabase& database, Clock& clock, std::string id, int64_t row)
    : database_(database), clock_(clock), id_(std::move(id)), row_(row) {}

void RunRecord::beat() {
  const std::string when = timestamp_text(clock_.now());
  database_.write_if_there(
      operation("record the heartbeat of", id_), [&](db::SqlConnection& connection) {
        connection.execute("UPDATE runs SET last_heartbeat_at = $1 WHERE id = $2",
                           {std::string_view(when), row_});
      });
}

void RunRecord::note_state(const json::Value& singer_state, PayloadFlags flags) {
  const std::lock_guard guard(mutex_);
  payload_.set("singer_state", singer_state);
  flags_ = std::max(flags_, flags);
  const std::string text = json::write_python(payload_);
  database_.write_if_there(
      operation("record the state of", id_), [&](db::SqlConnection& connection) {
        connection.execute("UPDATE runs SET payload = $1, payload_flags = $2 WHERE id = $3",
                           {std::string_view(text), static_cast<int64_t>(flags_), row_});
      });
}

void RunRecord::succeed() {
  const std::lock_guard guard(mutex_);
  end("SUCCESS");
}

void RunRecord::fail(std::string_view error) {
  const std::lock_guard guard(mutex_);
  payload_.set("error", error);
  end("FAIL");
}

void RunRecord::end(std::string_view state) {
  const std::string when = timestamp_text(clock_.now());
  const std::string text = json::write_python(payload_);
  database_.write_if_there(operation("record the end of", id_), [&](db::SqlConnection& connection) {
    connection.execute(
        "UPDATE runs SET state = $1, ended_at = $2, payload = $3, payload_flags = $4 WHERE id = $5",
        {state, std::string_view(when), std::string_view(text), static_cast<int64_t>(flags_),
         row_});
  });
}

RunRecords::RunRecords(SystemDatabase& database, std::string trigger, const Context& context)
    : database_(database), trigger_(std::move(trigger)), context_(context) {}

bool RunRecords::insert_state_edit(std::string_view id, const json::Value& payload,
                                   PayloadFlags flags) {
  const Time now = context_.clock.now();
  const std::string when = timestamp_text(now);
  const std::string run_id = stored_run_id(make_uuid7(now, context_.random), database_.dialect());
  const std::string text = json::write_python(payload);
  const auto insert = [&](db::SqlConnection& connection) {
    db::SqlTransaction transaction(connection);
    connection.execute(
        "INSERT INTO runs (job_name, state, started_at, ended_at, payload, payload_flags, run_id, "
        "trigger) VALUES ($1, 'STATE_EDIT', $2, $2, $3, $4, $5, $6)",
        {id, std::string_view(when), std::string_view(text), static_cast<int64_t>(flags),
         std::string_view(run_id), std::string_view(trigger_)});
    transaction.commit();
  };
  return database_.write_if_there(operation("record the edit of", id), insert);
}

std::vector<StaleRun> RunRecords::fail_stale(std::string_view id,
                                             const std::vector<std::string>& ended_runs) {
  const Time now = context_.clock.now();
  const std::string when = timestamp_text(now);
  std::vector<NumberedRow> rows;
  database_.read(operation("look for runs of", id),
                 [&](db::SqlConnection& connection) { rows = running_rows(connection, id); });
  std::vector<StaleRun> stale;
  for (const NumberedRow& found : rows) {
    const std::string error = fault_of(found.row, ended_runs, now);
    if (error.empty()) continue;
    database_.write_if_there(
        operation("record the end of", id), [&](db::SqlConnection& connection) {
          if (!fail_row(connection, found.number, error, when)) return;
          stale.push_back({.started_at = found.row.started_at, .error = error});
        });
  }
  return stale;
}

std::optional<RunningRow> RunRecords::find_running(std::string_view id) {
  std::optional<RunningRow> newest;
  database_.read(operation("look for runs of", id), [&](db::SqlConnection& connection) {
    const auto rows = running_rows(connection, id);
    if (!rows.empty()) newest = rows.front().row;
  });
  return newest;
}

std::vector<RunSummary> RunRecords::newest(size_t most) {
  std::vector<RunSummary> runs;
  const auto text = [](const db::SqlRow& row, size_t column) {
    return std::string(row.is_null(column) ? "" : row.text(column));
  };
  database_.read("list the runs", [&](db::SqlConnection& connection) {
    connection.query(
        "SELECT CAST(run_id AS VARCHAR), job_name, state, CAST(started_at AS VARCHAR), "
        "CAST(ended_at AS VARCHAR), \"trigger\" FROM runs WHERE state IN ('SUCCESS', 'FAIL', "
        "'RUNNING') ORDER BY started_at DESC, id DESC LIMIT $1",
        {static_cast<int64_t>(most)}, [&](const db::SqlRow& row) {
          runs.push_back({.run_id = dashed_run_id(text(row, 0)),
                          .id = text(row, 1),
                          .state = text(row, 2),
                          .started_at = time_of(row, 3),
                          .ended_at = time_of(row, 4),
                          .trigger = text(row, 5)});
        });
  });
  return runs;
}

std::unique_ptr<RunRecord> RunRecords::start(std::string_view id, std::string_view run_id) {
  const std::string when = timestamp_text(context_.clock.now());
  const std::string stored = stored_run_id(std::string(run_id), database_.dialect());
  int64_t number = 0;
  database_.write(operation("record the start of", id), [&](db::SqlConnection& connection) {
    connection.query(
        "INSERT INTO runs (job_name, state, started_at, last_heartbeat_at, payload, payload_flags, "
        "run_id, trigger) VALUES ($1, 'RUNNING', $2, $2, '{}', 0, $3, $4) RETURNING id",
        {id, std::string_view(when), std::string_view(stored), std::string_view(trigger_)},
        [&](const db::SqlRow& row) { number = row.integer(0); });
  });
  return std::unique_ptr<RunRecord>(
      new RunRecord(database_, context_.clock, std::string(id), number));
}

}  // namespace tidemark::state
