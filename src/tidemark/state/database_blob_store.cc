#include "tidemark/state/database_blob_store.h"

#include <utility>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/base/hash.h"
#include "tidemark/blob/key.h"
#include "tidemark/state/database_text.h"

namespace tidemark::state {
namespace {

// The key of the table orders by bytes.
constexpr std::string_view kSqliteTable =
    "CREATE TABLE IF NOT EXISTS tidemark_records (name TEXT NOT NULL PRIMARY KEY, version TEXT NOT "
    "NULL, content BLOB NOT NULL)";
constexpr std::string_view kPostgresTable =
    "CREATE TABLE IF NOT EXISTS tidemark_records (name TEXT COLLATE \"C\" NOT NULL PRIMARY KEY, "
    "version TEXT NOT NULL, content BYTEA NOT NULL)";

// A record to be written.
struct Record {
  std::string_view name;
  std::string version;
  std::string_view content;
};

bool put_always(db::SqlConnection& connection, const Record& record) {
  connection.execute(
      "INSERT INTO tidemark_records (name, version, content) VALUES ($1, $2, $3) "
      "ON CONFLICT (name) DO UPDATE SET version = excluded.version, content = excluded.content",
      {record.name, std::string_view(record.version), db::SqlBytes{record.content}});
  return true;
}

bool put_if_absent(db::SqlConnection& connection, const Record& record) {
  return connection.execute(
             "INSERT INTO tidemark_records (name, version, content) VALUES ($1, $2, $3) "
             "ON CONFLICT DO NOTHING",
             {record.name, std::string_view(record.version), db::SqlBytes{record.content}}) > 0;
}

bool put_if_match(db::SqlConnection& connection, const Record& record,
                  const blob::Version& expected) {
  return connection.execute(
             "UPDATE tidemark_records SET version = $1, content = $2 WHERE name = $3 "
             "AND version = $4",
             {std::string_view(record.version), db::SqlBytes{record.content}, record.name,
              std::string_view(expected.text)}) > 0;
}

bool put_record(db::SqlConnection& connection, const Record& record,
                const blob::Condition& condition) {
  if (const auto* match = std::get_if<blob::IfMatch>(&condition)) {
    return put_if_match(connection, record, match->version);
  }
  return std::holds_alternative<blob::Always>(condition) ? put_always(connection, record)
                                                         : put_if_absent(connection, record);
}

bool exists(db::SqlConnection& connection, std::string_view key) {
  bool found = false;
  connection.query("SELECT name FROM tidemark_records WHERE name = $1", {key},
                   [&](const db::SqlRow&) { found = true; });
  return found;
}

bool remove_record(db::SqlConnection& connection, std::string_view key,
                   const blob::Condition& condition) {
  const auto* match = std::get_if<blob::IfMatch>(&condition);
  if (match == nullptr) {
    connection.execute("DELETE FROM tidemark_records WHERE name = $1", {key});
    return true;
  }
  const bool is_removed =
      connection.execute("DELETE FROM tidemark_records WHERE name = $1 AND version = $2",
                         {key, std::string_view(match->version.text)}) > 0;
  return is_removed || !exists(connection, key);
}

void make_table(db::SqlConnection& connection) {
  try {
    connection.run_script(connection.dialect() == db::SqlDialect::kSqlite ? kSqliteTable
                                                                          : kPostgresTable);
  } catch (const Error& error) {
    // On PostgreSQL IF NOT EXISTS does not see a table that another transaction is making.
    if (error.code() != ErrorCode::kConflict) throw;
  }
}

// Runs statements on the table; false when there is no table yet.
template <typename Statements>
bool run_if_table(const Statements& statements) {
  try {
    statements();
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNotFound) throw;
    return false;
  }
}

}  // namespace

DatabaseBlobStore::DatabaseBlobStore(SystemDatabase& database) : database_(database) {}

std::optional<blob::Blob> DatabaseBlobStore::get(std::string_view key) {
  std::optional<blob::Blob> found;
  check("get", key);
  read(operation("get", key), [&](db::SqlConnection& connection) {
    connection.query("SELECT content, version FROM tidemark_records WHERE name = $1", {key},
                     [&](const db::SqlRow& row) {
                       found = {std::string(row.bytes(0)), {std::string(row.text(1))}};
                     });
  });
  return found;
}

std::optional<blob::BlobInfo> DatabaseBlobStore::stat(std::string_view key) {
  std::optional<blob::BlobInfo> found;
  check("stat", key);
  read(operation("stat", key), [&](db::SqlConnection& connection) {
    connection.query("SELECT length(content), version FROM tidemark_records WHERE name = $1", {key},
                     [&](const db::SqlRow& row) {
                       found = {static_cast<uint64_t>(row.integer(0)), {std::string(row.text(1))}};
                     });
  });
  return found;
}

std::optional<blob::Version> DatabaseBlobStore::put(std::string_view key, std::string_view bytes,
                                                    const blob::Condition& condition) {
  check("put", key);
  const Record record{key, to_hex(sha256(bytes)), bytes};
  bool is_put = false;
  database_.write(operation("put", key), [&](db::SqlConnection& connection) {
    const auto run = [&] {
      db::SqlTransaction transaction(connection);
      is_put = put_record(connection, record, condition);
      transaction.commit();
    };
    if (run_if_table(run)) return;
    make_table(connection);
    run();
  });
  return is_put ? std::optional(blob::Version{record.version}) : std::nullopt;
}

bool DatabaseBlobStore::remove(std::string_view key, const blob::Condition& condition) {
  check("remove", key);
  blob::check_remove_condition(condition);
  bool is_gone = true;
  database_.write_if_there(operation("remove", key), [&](db::SqlConnection& connection) {
    run_if_table([&] {
      db::SqlTransaction transaction(connection);
      is_gone = remove_record(connection, key, condition);
      transaction.commit();
    });
  });
  return is_gone;
}

void DatabaseBlobStore::list(const blob::Listing& listing,
                             const std::function<void(const blob::Listed& listed)>& visit) {
  struct Entry {
    std::string name;
    uint64_t size;
  };
  std::vector<Entry> entries;
  read(operation("list", listing.prefix), [&](db::SqlConnection& connection) {
    connection.query(
        "SELECT name, length(content) FROM tidemark_records WHERE name >= $1 "
        "AND substr(name, 1, length($1)) = $1 AND name > $2 "
        "AND ($3 = '' OR substr(name, 1, length($3)) <> $3) ORDER BY name",
        {std::string_view(listing.prefix), std::string_view(listing.after),
         std::string_view(listing.skipped)},
        [&](const db::SqlRow& row) {
          if (!blob::is_listed(listing, row.text(0))) return;
          entries.push_back({std::string(row.text(0)), static_cast<uint64_t>(row.integer(1))});
        });
  });
  // Without a connection in use: visit may take its time, or call the store.
  for (const Entry& entry : entries) visit({.key = entry.name, .size = entry.size});
}

void DatabaseBlobStore::read(std::string_view operation, const SystemDatabase::Work& work) {
  database_.read(operation,
                 [&](db::SqlConnection& connection) { run_if_table([&] { work(connection); }); });
}

void DatabaseBlobStore::check(std::string_view verb, std::string_view key) const {
  blob::in_call(verb, key, *this, [&] { blob::check_key(key); });
}

}  // namespace tidemark::state
