#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/info/load_package.h"
#include "tidemark/json/value.h"

namespace tidemark::info {

// Rows by table, in the order of the tables.
using RowCounts = std::vector<std::pair<std::string, uint64_t>>;

// `orders: 3 row(s)`, one line each.
std::string to_text(const RowCounts& counts);
uint64_t total(const RowCounts& counts);
// Adds counts of the same tables; new ones go to the end.
void add(RowCounts& counts, const RowCounts& more);

// Choices made for the user that lost something, or might have: nothing is guessed silently.
struct Losses {
  uint64_t variant_columns = 0;            // made for values that did not fit their column
  uint64_t rounded_decimals = 0;           // with more digits than the column's scale shows
  uint64_t numbers_as_text = 0;            // of which no numeric type holds all digits
  uint64_t dropped_values = 0;             // values that went nowhere
  uint64_t duplicate_keys = 0;             // values that a later one under the same key replaced
  uint64_t collided_names = 0;             // two paths that normalize to one name
  uint64_t rows_of_other_cursor_type = 0;  // rows whose cursor value is not of the cursor's type
  uint64_t null_only_columns = 0;          // never had a value, so they were not made

  bool empty() const { return *this == Losses(); }
  Losses& operator+=(const Losses& other);
  bool operator==(const Losses&) const = default;
};

// `2 variant column(s), 1 dropped value(s)`: what is not zero. Empty when nothing is.
std::string to_text(const Losses& losses);
json::Value to_json(const Losses& losses);
Losses losses_from_json(const json::Value& value);

// What every step says about itself. Names are dlt's.
struct StepInfo {
  std::string pipeline_name;
  std::vector<std::string> loads_ids;
  std::vector<LoadPackageInfo> load_packages;
  bool first_run = false;          // before this step
  std::optional<Time> started_at;  // nothing when there was nothing to do
  std::optional<Time> finished_at;
  std::vector<std::string> warnings;  // one line each, for people

  bool is_empty() const { return loads_ids.empty(); }
  bool operator==(const StepInfo&) const = default;
};

// What was written for a job, a table or a resource of one package.
struct WriterMetrics {
  std::string load_id;
  std::string name;       // job id, table or resource
  std::string file_path;  // of a job
  uint64_t items_count = 0;
  uint64_t file_size = 0;  // bytes before compression
  Time created;
  Time last_modified;

  bool operator==(const WriterMetrics&) const = default;
};

// The lines about the packages that end every step's text; each starts with a newline.
std::string packages_to_text(const StepInfo& step, int verbosity);
// `WARNING: ...`, each with a newline in front.
std::string warnings_to_text(const StepInfo& step);

// The part of the dictionary form that all steps share.
json::Object step_to_json(const StepInfo& step);
void read_step(const json::Value& value, StepInfo& step);

// name_key is "job_id", "table_name" or "resource_name".
json::Value to_json(const WriterMetrics& metrics, std::string_view name_key);
json::Array to_json(const std::vector<WriterMetrics>& metrics, std::string_view name_key);
std::vector<WriterMetrics> writer_metrics_from_json(const json::Array& rows,
                                                    std::string_view name_key);
json::Array to_json(const RowCounts& counts);
RowCounts row_counts_from_json(const json::Array& rows);

}  // namespace tidemark::info
