#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "tidemark/schema/table_view.h"
#include "tidemark/workdir/part_file.h"

namespace tidemark::workdir {

// What the rows of a package are sealed in.
enum class JobFormat {
  kColumns,  // part files of ours
  // dlt's, which dlt loads as well:
  kInsertValues,
  kJsonLines,
};

// As job files are called: `columns`, `insert_values`, `jsonl`.
std::string_view to_string(JobFormat format);
std::optional<JobFormat> parse_job_format(std::string_view name);

// Writes the rows of a finished part into a job file of dlt's beside it, compressed with gzip, and
// removes the part. A chunk at a time is in memory. table is that of the schema. What summary of
// the job says; it has no checksum, since gzip brings its own. Error kUnsupported for a table whose
// name is too long for dlt's rule of job files.
PartSummary rewrite_part(const std::filesystem::path& directory, const PartSummary& part,
                         const schema::TableView& table, JobFormat format);

}  // namespace tidemark::workdir
