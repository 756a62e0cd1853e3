#include "tidemark/state/meltano_schema.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::state {
namespace {

// Meltano's migrations in their order. From the last but one on the tables are those made below.
constexpr std::array<std::string_view, 16> kRevisions = {
    "b4c05e463b53", "6ef30ab7b8e5", "53e97221d99f", "a3e2b0a4937d", "990c0665f3ce", "ceb00d7ff3bd",
    "23ea52e6d784", "87d9638f6ac6", "367228df6a43", "e4fbabc3fed6", "d135f52a6f49", "13e8639c6d2b",
    "5b43800443d1", "f4c225a9492f", "6828cc5b1a4f", "c0efb3c314eb"};
constexpr size_t kFirstKnown = kRevisions.size() - 2;

// SQLite keeps these texts, so they are Meltano's to the blank, and its dump equals that of a
// database that Meltano made.
constexpr std::string_view kSqliteTables = R"sql(
CREATE TABLE IF NOT EXISTS alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE "runs" (
	id INTEGER NOT NULL, 
	job_name VARCHAR, 
	state VARCHAR(7), 
	started_at DATETIME, 
	ended_at DATETIME, 
	payload VARCHAR, 
	payload_flags INTEGER, run_id CHAR(32), "trigger" VARCHAR, last_heartbeat_at DATETIME, 
	PRIMARY KEY (id)
);
CREATE TABLE plugin_settings (
	label VARCHAR(255), 
	description TEXT, 
	name VARCHAR(255) NOT NULL, 
	namespace VARCHAR(255), 
	value BLOB, 
	enabled BOOLEAN, 
	PRIMARY KEY (name, namespace)
);
CREATE TABLE state (
	state_id VARCHAR(900) NOT NULL, 
	partial_state VARCHAR, 
	completed_state VARCHAR, 
	updated_at DATETIME, 
	PRIMARY KEY (state_id), 
	UNIQUE (state_id)
);
)sql";

// Names of constraints and of the sequence are those of the table that Meltano once renamed.
constexpr std::string_view kPostgresTables = R"sql(
CREATE TABLE IF NOT EXISTS alembic_version (
  version_num VARCHAR(32) NOT NULL,
  CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE SEQUENCE job_id_seq AS integer;
CREATE TABLE runs (
  id INTEGER DEFAULT nextval('job_id_seq') NOT NULL,
  job_name VARCHAR,
  state VARCHAR,
  started_at TIMESTAMP,
  ended_at TIMESTAMP,
  payload VARCHAR,
  payload_flags INTEGER,
  run_id UUID,
  trigger VARCHAR,
  last_heartbeat_at TIMESTAMP,
  CONSTRAINT job_pkey PRIMARY KEY (id)
);
ALTER SEQUENCE job_id_seq OWNED BY runs.id;
CREATE TABLE plugin_settings (
  label VARCHAR(255),
  description TEXT,
  name VARCHAR(255) NOT NULL,
  namespace VARCHAR(255) NOT NULL,
  value BYTEA,
  enabled BOOLEAN,
  PRIMARY KEY (name, namespace)
);
CREATE TABLE state (
  state_id VARCHAR(900) NOT NULL,
  partial_state VARCHAR,
  completed_state VARCHAR,
  updated_at TIMESTAMP,
  PRIMARY KEY (state_id)
);
)sql";

std::vector<std::string> texts(db::SqlConnection& connection, std::string_view sql) {
  std::vector<std::string> found;
  connection.query(sql, {}, [&](const db::SqlRow& row) { found.emplace_back(row.text(0)); });
  return found;
}

// Of an alembic_version that is missing: none.
std::vector<std::string> read_marks(db::SqlConnection& connection) {
  try {
    return texts(connection, "SELECT version_num FROM alembic_version");
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNotFound) throw;
    return {};
  }
}

// Which of Meltano's tables are there, but for that of the mark; `job` is an old name of `runs`.
std::vector<std::string> find_tables(db::SqlConnection& connection) {
  if (connection.dialect() == db::SqlDialect::kSqlite) {
    return texts(connection,
                 "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN "
                 "('runs', 'job', 'plugin_settings', 'state')");
  }
  return texts(connection,
               "SELECT relname FROM pg_class WHERE oid IN (to_regclass('runs'), "
               "to_regclass('job'), to_regclass('plugin_settings'), to_regclass('state'))");
}

MeltanoSchema schema_of_mark(const std::vector<std::string>& marks) {
  const auto* found = std::ranges::find(kRevisions, std::string_view(marks.front()));
  if (marks.size() > 1 || found == kRevisions.end()) return MeltanoSchema::kNewer;
  if (found >= kRevisions.begin() + kFirstKnown) return MeltanoSchema::kKnown;
  throw Error(ErrorCode::kUnsupported,
              fmt::format("its tables are of revision {}, older than Meltano 2.7.1; `meltano state "
                          "list` of a Meltano 4 brings them up to date",
                          marks.front()));
}

}  // namespace

MeltanoSchema inspect_meltano_schema(db::SqlConnection& connection) {
  std::vector<std::string> marks = read_marks(connection);
  if (!marks.empty()) return schema_of_mark(marks);
  const std::vector<std::string> tables = find_tables(connection);
  if (tables.empty()) return MeltanoSchema::kNone;
  // Somebody may have made all of them between the two looks.
  marks = read_marks(connection);
  if (!marks.empty()) return schema_of_mark(marks);
  throw Error(ErrorCode::kUnsupported,
              fmt::format("it has a table {} but no revision in alembic_version, so its tables are "
                          "not those of a Meltano system database; give database_uri a database or "
                          "a schema of its own",
                          tables.front()));
}

void create_meltano_schema(db::SqlConnection& connection) {
  db::SqlTransaction transaction(connection);
  const bool is_sqlite = connection.dialect() == db::SqlDialect::kSqlite;
  if (!is_sqlite) {
    // Lets one of us at a time look and make; the number means nothing.
    connection.run_script("SELECT pg_advisory_xact_lock(7237118950043)");
  }
  if (!find_tables(connection).empty()) return;
  connection.run_script(is_sqlite ? kSqliteTables : kPostgresTables);
  connection.execute("INSERT INTO alembic_version VALUES ($1)", {kRevisions.back()});
  transaction.commit();
}

}  // namespace tidemark::state
