#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tidemark/base/secret.h"

namespace tidemark::db {

struct SqliteUrl {
  // As the URL has it: relative after `sqlite:///`, absolute after `sqlite:////`.
  std::string file;

  bool operator==(const SqliteUrl&) const = default;
};

// Empty parts are libpq's to fill in, from its environment variables and defaults.
struct PostgresUrl {
  std::string user = {};
  Secret password = {};
  std::string host = {};
  std::string port = {};
  std::string database = {};
  // The query in its order, decoded: libpq's own parameters (`sslmode`, `options`).
  std::vector<std::pair<std::string, std::string>> parameters = {};

  bool operator==(const PostgresUrl&) const = default;
};

using DatabaseUrl = std::variant<SqliteUrl, PostgresUrl>;

// A URL as SQLAlchemy spells it: `sqlite:///relative.db`, `sqlite:////absolute.db`,
// `postgresql://user:password@host:port/database?options=-csearch_path%3Dmeltano`; a driver
// (`postgresql+psycopg`) says nothing. Error kUnsupported for other databases and for SQLite in
// memory, kInvalid for what is no such URL; the message has no part that may be secret.
DatabaseUrl parse_database_url(std::string_view url);

// The URL without user, password and parameters: `postgresql://host:port/database`.
std::string describe(const DatabaseUrl& url);

}  // namespace tidemark::db
