#include "tidemark/state/database_state_store.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/os/local_time.h"
#include "tidemark/state/database_text.h"

namespace tidemark::state {
namespace {

// The two columns of a row as they are stored; nothing is SQL's NULL.
struct Halves {
  std::optional<std::string> completed;
  std::optional<std::string> partial;
};

// JSON text has no NUL, so it can end the first of the two.
constexpr char kEnd = '\0';
constexpr char kNull = '-';
constexpr char kText = '+';

Revision to_revision(const Halves& halves) {
  const auto tagged = [](const std::optional<std::string>& half) {
    return half ? kText + *half : std::string(1, kNull);
  };
  return {tagged(halves.completed) + kEnd + tagged(halves.partial)};
}

Halves to_halves(const Revision& revision) {
  const auto untagged = [](std::string_view half) -> std::optional<std::string> {
    if (!half.starts_with(kText)) return std::nullopt;
    return std::string(half.substr(1));
  };
  const std::string_view text = revision.text;
  const size_t end = std::min(text.find(kEnd), text.size());
  return {untagged(text.substr(0, end)), untagged(text.substr(std::min(end + 1, text.size())))};
}

json::Value parse_half(const std::optional<std::string>& text, std::string_view column) {
  if (!text) return nullptr;
  try {
    json::Value value = json::read_python(*text);
    if (value.is_object() || value.is_null()) return value;
    throw Error(ErrorCode::kCorrupt,
                fmt::format("expected an object, found: {}", kind_name(value)));
  } catch (const Error& error) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("column {}: {}; {}", column, error.message(), kHowToRepair));
  }
}

Document parse(const Halves& halves) {
  return {.completed = parse_half(halves.completed, "completed_state"),
          .partial = parse_half(halves.partial, "partial_state")};
}

Halves write(const Document& document) {
  const auto text = [](const json::Value& half) -> std::optional<std::string> {
    if (half.is_null()) return std::nullopt;
    return json::write_python(half);
  };
  return {text(document.completed), text(document.partial)};
}

std::optional<std::string> text_or_null(const db::SqlRow& row, size_t column) {
  if (row.is_null(column)) return std::nullopt;
  return std::string(row.text(column));
}

db::SqlValue value_of(const std::optional<std::string>& text) {
  if (!text) return nullptr;
  return std::string_view(*text);
}

std::optional<Halves> select(db::SqlConnection& connection, std::string_view id) {
  std::optional<Halves> found;
  connection.query("SELECT completed_state, partial_state FROM state WHERE state_id = $1", {id},
                   [&](const db::SqlRow& row) {
                     found = {.completed = text_or_null(row, 0), .partial = text_or_null(row, 1)};
                   });
  return found;
}

bool exists(db::SqlConnection& connection, std::string_view id) {
  bool found = false;
  connection.query("SELECT state_id FROM state WHERE state_id = $1", {id},
                   [&](const db::SqlRow&) { found = true; });
  return found;
}

bool insert(db::SqlConnection& connection, std::string_view id, const Halves& halves) {
  return connection.execute(
             "INSERT INTO state (state_id, partial_state, completed_state) VALUES ($1, $2, $3) "
             "ON CONFLICT DO NOTHING",
             {id, value_of(halves.partial), value_of(halves.completed)}) > 0;
}

bool update(db::SqlConnection& connection, std::string_view id, const Halves& halves,
            const Halves& expected, std::string_view updated_at) {
  return connection.execute(
             "UPDATE state SET partial_state = $1, completed_state = $2, updated_at = $3 "
             "WHERE state_id = $4 AND partial_state IS NOT DISTINCT FROM $5 "
             "AND completed_state IS NOT DISTINCT FROM $6",
             {value_of(halves.partial), value_of(halves.completed), updated_at, id,
              value_of(expected.partial), value_of(expected.completed)}) > 0;
}

bool erase(db::SqlConnection& connection, std::string_view id, const Halves& expected) {
  return connection.execute(
             "DELETE FROM state WHERE state_id = $1 AND partial_state IS NOT DISTINCT FROM $2 "
             "AND completed_state IS NOT DISTINCT FROM $3",
             {id, value_of(expected.partial), value_of(expected.completed)}) > 0;
}

}  // namespace

DatabaseStateStore::DatabaseStateStore(SystemDatabase& database, Clock& clock)
    : database_(database), clock_(clock) {}

std::optional<StoredState> DatabaseStateStore::load(std::string_view id) {
  std::optional<StoredState> found;
  database_.read(operation("load", id), [&](db::SqlConnection& connection) {
    if (const auto halves = select(connection, id)) found = {parse(*halves), to_revision(*halves)};
  });
  return found;
}

std::optional<RawState> DatabaseStateStore::load_raw(std::string_view id) {
  std::optional<RawState> found;
  database_.read(operation("load", id), [&](db::SqlConnection& connection) {
    if (const auto halves = select(connection, id)) {
      found = {fmt::format("completed_state: {}\npartial_state: {}\n",
                           halves->completed.value_or("NULL"), halves->partial.value_or("NULL")),
               to_revision(*halves)};
    }
  });
  return found;
}

std::optional<Revision> DatabaseStateStore::save(std::string_view id, const Document& document,
                                                 const std::optional<Revision>& expected) {
  return compare_and_swap(id, document, expected, {});
}

bool DatabaseStateStore::can_save_exclusively() const {
  return database_.dialect() == db::SqlDialect::kPostgres;
}

std::optional<Revision> DatabaseStateStore::save_exclusively(
    std::string_view id, const Document& document, const std::optional<Revision>& expected) {
  if (!can_save_exclusively()) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{}: SQLite keeps no reader out of a save", database_.describe()));
  }
  // Waits until every transaction that has read the table has ended, so none writes back later
  // what it read before this save.
  return compare_and_swap(
      id, document, expected,
      "SET LOCAL lock_timeout = '2s'; LOCK TABLE state IN ACCESS EXCLUSIVE MODE");
}

std::optional<Revision> DatabaseStateStore::compare_and_swap(
    std::string_view id, const Document& document, const std::optional<Revision>& expected,
    std::string_view preparation) {
  const Halves halves = write(document);
  bool is_saved = false;
  const auto save = [&](db::SqlConnection& connection) {
    db::SqlTransaction transaction(connection);
    if (!preparation.empty()) connection.run_script(preparation);
    is_saved = expected ? update(connection, id, halves, to_halves(*expected),
                                 timestamp_text(os::local_time(clock_.now())))
                        : insert(connection, id, halves);
    transaction.commit();
  };
  if (expected) {
    database_.write_if_there(operation("save", id), save);
  } else {
    database_.write(operation("save", id), save);
  }
  return is_saved ? std::optional(to_revision(halves)) : std::nullopt;
}

bool DatabaseStateStore::remove(std::string_view id, const Revision& expected) {
  bool is_gone = true;
  database_.write_if_there(operation("remove", id), [&](db::SqlConnection& connection) {
    db::SqlTransaction transaction(connection);
    is_gone = erase(connection, id, to_halves(expected)) || !exists(connection, id);
    transaction.commit();
  });
  return is_gone;
}

void DatabaseStateStore::list(std::string_view pattern,
                              const std::function<void(std::string_view id)>& visit) {
  std::vector<std::string> ids;
  const auto add = [&](const db::SqlRow& row) { ids.emplace_back(row.text(0)); };
  const std::string order =
      database_.dialect() == db::SqlDialect::kPostgres ? R"( COLLATE "C")" : "";
  std::string like(pattern);
  std::ranges::replace(like, '*', '%');
  database_.read("list", [&](db::SqlConnection& connection) {
    if (like.empty()) {
      connection.query("SELECT state_id FROM state ORDER BY state_id" + order, {}, add);
    } else {
      connection.query(
          "SELECT state_id FROM state WHERE state_id LIKE $1 ORDER BY state_id" + order,
          {std::string_view(like)}, add);
    }
  });
  // Without a connection in use: visit may take its time, or call the store.
  for (const std::string& id : ids) visit(id);
}

void DatabaseStateStore::list_whole(std::string_view pattern,
                                    const std::function<void(std::string_view id)>& visit) {
  list(pattern, visit);
}

}  // namespace tidemark::state
