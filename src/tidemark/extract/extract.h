#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/random.h"
#include "tidemark/base/secret.h"
#include "tidemark/extract/progress.h"
#include "tidemark/json/value.h"
#include "tidemark/normalize/part.h"
#include "tidemark/schema/coerce.h"
#include "tidemark/schema/naming.h"
#include "tidemark/schema/schema.h"
#include "tidemark/source/cursor_window.h"
#include "tidemark/source/resource.h"
#include "tidemark/workdir/part_file.h"

namespace tidemark::extract {

struct ExtractOptions {
  std::filesystem::path job_directory;  // new_jobs/ of the package that is being made
  std::string load_id;
  std::shared_ptr<const schema::Naming> naming;
  schema::Detections detections;
  size_t threads = 1;
  std::vector<std::string> select;      // resources; empty = all that are selected
  std::optional<uint64_t> limit_pages;  // for each resource
  // Of every cursor: no stored one is read or changed then. Error kInvalid for a selected resource
  // without a cursor or a parent, and for one that replaces its table.
  std::optional<source::CursorWindow> window;
  std::function<Secret(std::string_view)> secret;
  Random* random = nullptr;
  const Cancellation* cancellation = nullptr;
  ProgressListener* progress = nullptr;  // may be null
};

struct CursorMetrics {
  std::string path;
  uint64_t rows_seen = 0;
  uint64_t rows_of_other_type = 0;
  size_t initial_hashes = 0;
  size_t final_hashes = 0;
};

struct ResourceMetrics {
  std::string name;
  std::optional<std::string> parent;
  std::string table;
  uint64_t pages = 0;
  uint64_t rows_read = 0;
  uint64_t rows_kept = 0;
  uint64_t bytes = 0;  // of the pages
  std::vector<CursorMetrics> cursors;
};

// What came out: part files in the job directory, and what they change.
struct Extracted {
  schema::Schema schema;      // with all hints, tables and columns; not bumped
  json::Object source_state;  // state.sources.<source>
  std::vector<workdir::PartSummary> parts;
  std::vector<ResourceMetrics> resources;
  normalize::Counts counts;
  std::vector<std::string> replaced_tables;  // root tables that are to hold just the new rows
  std::vector<std::string> warnings;
};

// Runs the resources of a source: pages are filtered by the resource's cursor, normalized on all
// threads and written to part files, one a table. Nothing is held in memory but the pages under
// way. Throws Error with the resource's name in front; the part files made so far are then of no
// use.
Extracted extract(const source::Source& source, const schema::Schema& schema,
                  const json::Object& source_state, const ExtractOptions& options);

}  // namespace tidemark::extract
