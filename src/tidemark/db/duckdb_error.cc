#include "tidemark/db/duckdb_error.h"

#include <array>
#include <string>

#include <fmt/format.h>

#include "tidemark/json/read.h"

namespace tidemark::db {
namespace {

constexpr std::string_view kOutOfMemory = "Out of Memory Error";

struct Rule {
  std::string_view text;
  ErrorCode code;
};

// Text anywhere in the message; these say more than the kind they come under.
constexpr std::array kPhrases = {
    Rule{"Could not set lock on file", ErrorCode::kLocked},
    Rule{"Can't open a connection to same database file with a different configuration",
         ErrorCode::kLocked},
    Rule{"Unique file handle conflict", ErrorCode::kLocked},
    Rule{"database does not exist", ErrorCode::kNotFound},
    Rule{"not a valid DuckDB database file", ErrorCode::kInvalid},
    Rule{"No space left on device", ErrorCode::kUnavailable},
    // What the system refuses now it refuses a second later.
    Rule{"Permission denied", ErrorCode::kUnauthorized},
    Rule{"Operation not permitted", ErrorCode::kUnauthorized},
    Rule{"Read-only file system", ErrorCode::kUnauthorized},
    Rule{"Is a directory", ErrorCode::kInvalid},
    Rule{"could not be opened because it was created with", ErrorCode::kUnsupported},
    Rule{"Trying to read a database file with version number", ErrorCode::kUnsupported},
};

// How the message begins: the kind of exception that DuckDB threw.
constexpr std::array kKinds = {
    Rule{"Out of Range Error", ErrorCode::kInvalid},
    Rule{"Conversion Error", ErrorCode::kInvalid},
    Rule{"Mismatch Type Error", ErrorCode::kInvalid},
    Rule{"Invalid type Error", ErrorCode::kInvalid},
    Rule{"Invalid Input Error", ErrorCode::kInvalid},
    Rule{"Invalid Configuration Error", ErrorCode::kInvalid},
    Rule{"Divide by Zero Error", ErrorCode::kInvalid},
    Rule{"Constraint Error", ErrorCode::kInvalid},
    Rule{"Parser Error", ErrorCode::kInvalid},
    Rule{"syntax error", ErrorCode::kInvalid},
    Rule{"Syntax Error", ErrorCode::kInvalid},
    Rule{"Binder Error", ErrorCode::kInvalid},
    Rule{"Catalog Error", ErrorCode::kInvalid},
    Rule{"Dependency Error", ErrorCode::kInvalid},
    Rule{"Sequence Error", ErrorCode::kInvalid},
    // A limit that somebody set too low for the data; trying again meets it again.
    Rule{kOutOfMemory, ErrorCode::kInvalid},
    Rule{"TransactionContext Error: Conflict", ErrorCode::kConflict},
    Rule{"TransactionContext Error: Catalog write-write conflict", ErrorCode::kConflict},
    Rule{"TransactionContext Error: Cannot write", ErrorCode::kInvalid},
    Rule{"Permission Error", ErrorCode::kUnauthorized},
    Rule{"INTERRUPT Error", ErrorCode::kCancelled},
    Rule{"Not implemented Error", ErrorCode::kUnsupported},
    Rule{"Missing Extension Error", ErrorCode::kUnsupported},
    Rule{"Serialization Error", ErrorCode::kCorrupt},
    Rule{"Data Corruption Error", ErrorCode::kCorrupt},
    Rule{"IO Error", ErrorCode::kUnavailable},
    Rule{"HTTP Error", ErrorCode::kUnavailable},
    Rule{"Connection Error", ErrorCode::kUnavailable},
};

// Some failures come as JSON, by whoever did not catch them.
std::string plain(std::string_view message) {
  if (!message.starts_with(R"({"exception_type":)")) return std::string(message);
  try {
    const json::Value thrown = json::read(message);
    const json::Value* type = thrown.find("exception_type");
    const json::Value* text = thrown.find("exception_message");
    if (text != nullptr) return fmt::format("{} Error: {}", type->as_string(), text->as_string());
  } catch (const Error&) {
    // Not what it looked like: shown as it is.
  }
  return std::string(message);
}

ErrorCode classify(std::string_view message) {
  for (const Rule& rule : kPhrases) {
    if (message.find(rule.text) != std::string_view::npos) return rule.code;
  }
  for (const Rule& rule : kKinds) {
    if (message.starts_with(rule.text)) return rule.code;
  }
  return ErrorCode::kInternal;
}

}  // namespace

Error duckdb_error(std::string_view message) {
  const std::string text = plain(message);
  return Error(classify(text), "DuckDB: " + text);
}

bool is_out_of_memory(const Error& error) {
  return error.message().find(fmt::format("DuckDB: {}", kOutOfMemory)) != std::string::npos;
}

}  // namespace tidemark::db
