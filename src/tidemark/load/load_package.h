#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/clock.h"
#include "tidemark/base/sleeper.h"
#include "tidemark/destination/destination.h"
#include "tidemark/extract/progress.h"
#include "tidemark/json/value.h"
#include "tidemark/schema/schema.h"

namespace tidemark::load {

// What of a sealed package goes to the destination.
struct PackageContent {
  std::string load_id;
  const schema::Schema* schema = nullptr;
  std::vector<destination::TableParts> parts;
  // Root tables whose chains are to hold just these rows, even when there are none.
  std::vector<std::string> replaced_tables;
  std::vector<std::string> dropped_tables;  // children before parents
  std::vector<std::string> truncated_tables;
};

struct FailedTable {
  std::string table;  // the root of its chain
  std::string message;
  bool is_transient = false;  // trying again later can help
};

struct LoadOptions {
  bool raise_on_failed_jobs = true;
  // Of the whole package, while what fails is kUnavailable or kTimeout.
  int max_attempts = 5;
  Clock* clock = nullptr;
  const Cancellation* cancellation = nullptr;
  extract::ProgressListener* progress = nullptr;  // may be null
  Sleeper* sleeper = nullptr;                     // waits between attempts
  // Told which table made the package fail for now, before the error is thrown.
  std::function<void(const FailedTable&)> failed;
};

struct LoadOutcome {
  bool was_committed = false;  // an earlier run had committed it and not come further
  json::Object schema_update;  // what was added: {table: partial table}
  std::vector<destination::LoadedTable> tables;
  std::vector<FailedTable> failed;  // for good; left out, under raise_on_failed_jobs = false
};

// Loads a package in one transaction and commits it; once it returns, rows, schema, state and load
// row are durable. Idempotent: a package that is committed already is only reported. Throws Error
// with the table in front; nothing of the package is in the destination then.
LoadOutcome load_package(destination::Destination& destination, const std::string& dataset,
                         const PackageContent& package, const LoadOptions& options);

}  // namespace tidemark::load
