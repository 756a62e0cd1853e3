#include "tidemark/db/postgres_error.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

namespace tidemark::db {
namespace {

struct Rule {
  std::string_view text;
  ErrorCode code;
};

// SQLSTATEs and, of two digits, classes of them; the first that fits. Appendix A of PostgreSQL's
// manual: https://www.postgresql.org/docs/15/errcodes-appendix.html
constexpr std::array kStates = {
    Rule{"25006", ErrorCode::kUnauthorized},  // read_only_sql_transaction
    Rule{"25P03", ErrorCode::kTimeout},       // idle_in_transaction_session_timeout
    Rule{"55P03", ErrorCode::kLocked},        // lock_not_available
    Rule{"57014", ErrorCode::kTimeout},       // query_canceled, by statement_timeout
    Rule{"23505", ErrorCode::kConflict},      // unique_violation
    Rule{"40", ErrorCode::kConflict},         // serialization_failure, deadlock_detected
    Rule{"42P07", ErrorCode::kConflict},      // duplicate_table
    Rule{"42710", ErrorCode::kConflict},      // duplicate_object
    Rule{"42P01", ErrorCode::kNotFound},      // undefined_table
    Rule{"3D", ErrorCode::kNotFound},         // invalid_catalog_name
    Rule{"3F", ErrorCode::kNotFound},         // invalid_schema_name
    Rule{"28", ErrorCode::kUnauthorized},
    Rule{"42501", ErrorCode::kUnauthorized},  // insufficient_privilege
    Rule{"08", ErrorCode::kUnavailable},
    Rule{"53", ErrorCode::kUnavailable},  // disk_full, too_many_connections
    Rule{"57", ErrorCode::kUnavailable},  // admin_shutdown, cannot_connect_now
    Rule{"58", ErrorCode::kUnavailable},
    Rule{"XX001", ErrorCode::kCorrupt},
    Rule{"XX002", ErrorCode::kCorrupt},
    Rule{"0A", ErrorCode::kUnsupported},
    Rule{"22", ErrorCode::kInvalid},
    Rule{"23", ErrorCode::kInvalid},
    Rule{"42", ErrorCode::kInvalid},
};

// Of libpq's own messages; the rest is a server that is not there.
constexpr std::array kPhrases = {
    Rule{"no password supplied", ErrorCode::kUnauthorized},
    Rule{"certificate verify failed", ErrorCode::kUnauthorized},
    Rule{"server certificate for", ErrorCode::kUnauthorized},
    Rule{"authentication", ErrorCode::kUnauthorized},
    Rule{"invalid connection option", ErrorCode::kInvalid},
    Rule{"invalid integer value", ErrorCode::kInvalid},
    Rule{"invalid port number", ErrorCode::kInvalid},
    Rule{" value: ", ErrorCode::kInvalid},
    Rule{"does not exist\nEither provide the file", ErrorCode::kInvalid},
    Rule{"does not support SSL", ErrorCode::kInvalid},
};

bool is_sqlstate(std::string_view text) {
  return text.size() == 5 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
         });
}

// The place of "XXXXX" in "FATAL:  XXXXX: text", whatever the severity is called there.
size_t find_sqlstate(std::string_view text) {
  constexpr std::string_view kBefore = ":  ";
  for (size_t at = text.find(kBefore); at != std::string_view::npos;
       at = text.find(kBefore, at + 1)) {
    const size_t state = at + kBefore.size();
    if (state + 7 <= text.size() && is_sqlstate(text.substr(state, 5)) &&
        text.substr(state + 5, 2) == ": ") {
      return state;
    }
  }
  return std::string_view::npos;
}

// Without the line that names a place in the server's source, on one line.
std::string fold(std::string_view text) {
  std::string folded;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty() || line.starts_with("LOCATION:")) continue;
    if (!folded.empty()) folded += "; ";
    folded += line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
  }
  return folded;
}

ErrorCode classify_phrase(std::string_view text) {
  const auto* found = std::ranges::find_if(
      kPhrases, [&](const Rule& rule) { return text.find(rule.text) != std::string_view::npos; });
  return found == kPhrases.end() ? ErrorCode::kUnavailable : found->code;
}

}  // namespace

Error postgres_error(std::string_view sqlstate, std::string_view message) {
  const auto* found = std::ranges::find_if(
      kStates, [&](const Rule& rule) { return sqlstate.starts_with(rule.text); });
  return Error(found == kStates.end() ? ErrorCode::kInternal : found->code,
               fmt::format("PostgreSQL: {}", message));
}

Error postgres_connect_error(std::string_view text) {
  const size_t state = find_sqlstate(text);
  if (state == std::string_view::npos) {
    return Error(classify_phrase(text), fmt::format("PostgreSQL: {}", fold(text)));
  }
  return postgres_error(text.substr(state, 5), fold(text.substr(state + 7)));
}

}  // namespace tidemark::db
