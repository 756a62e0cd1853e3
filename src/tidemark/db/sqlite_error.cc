#include "tidemark/db/sqlite_error.h"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <sqlite3.h>

namespace tidemark::db {
namespace {

ErrorCode classify_system_error(int system_error) {
  switch (system_error) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::kUnauthorized;
    case EISDIR:
    case ENAMETOOLONG:
      return ErrorCode::kInvalid;
    default:
      return ErrorCode::kUnavailable;
  }
}

ErrorCode classify_constraint(int extended_code) {
  switch (extended_code) {
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_ROWID:
      return ErrorCode::kConflict;
    default:
      return ErrorCode::kInvalid;
  }
}

// SQLITE_ERROR covers all that is wrong with a statement; only its text tells them apart.
ErrorCode classify_statement(std::string_view message) {
  if (message.starts_with("no such table")) return ErrorCode::kNotFound;
  if (message.ends_with("already exists")) return ErrorCode::kConflict;
  return ErrorCode::kInvalid;
}

ErrorCode classify(int extended_code, std::string_view message, int system_error) {
  switch (extended_code & 0xFF) {
    case SQLITE_ERROR:
      return classify_statement(message);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::kLocked;
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
      return classify_system_error(system_error);
    case SQLITE_FULL:
    case SQLITE_NOMEM:
    case SQLITE_PROTOCOL:
      return ErrorCode::kUnavailable;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return ErrorCode::kUnauthorized;
    case SQLITE_INTERRUPT:
      return ErrorCode::kCancelled;
    case SQLITE_CORRUPT:
      return ErrorCode::kCorrupt;
    case SQLITE_CONSTRAINT:
      return classify_constraint(extended_code);
    case SQLITE_NOTADB:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
      return ErrorCode::kInvalid;
    default:
      return ErrorCode::kInternal;
  }
}

}  // namespace

Error sqlite_error(int extended_code, std::string_view message, int system_error) {
  std::string text = fmt::format("SQLite: {}", message);
  if (system_error != 0) {
    text += fmt::format(": {}", std::generic_category().message(system_error));
  }
  return Error(classify(extended_code, message, system_error), std::move(text));
}

}  // namespace tidemark::db
