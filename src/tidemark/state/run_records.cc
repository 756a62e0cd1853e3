#include "tidemark/state/run_records.h"

#include <algorithm>
#include <utility>

#include "tidemark/base/uuid.h"
#include "tidemark/json/write.h"
#include "tidemark/state/database_text.h"

namespace tidemark::state {

RunRecords::RunRecords(SystemDatabase& database, std::string trigger, const Context& context)
    : database_(database), trigger_(std::move(trigger)), context_(context) {}

bool RunRecords::insert_state_edit(std::string_view id, const json::Value& payload,
                                   PayloadFlags flags) {
  const Time now = context_.clock.now();
  const std::string when = timestamp_text(now);
  std::string run_id = make_uuid7(now, context_.random);
  // SQLite has no type for it; Meltano's text there has no dashes.
  if (database_.dialect() == db::SqlDialect::kSqlite) std::erase(run_id, '-');
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

}  // namespace tidemark::state
