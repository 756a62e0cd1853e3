#pragma once

#include <string>
#include <vector>

#include "tidemark/info/step_info.h"

namespace tidemark::info {

struct NormalizeInfo : StepInfo {
  std::vector<WriterMetrics> job_metrics;
  std::vector<WriterMetrics> table_metrics;
  Losses losses;

  // Rows by table over all packages.
  RowCounts row_counts() const;
  bool operator==(const NormalizeInfo&) const = default;
};

std::string to_text(const NormalizeInfo& info, int verbosity);
// dlt's dictionary form, and back. Error kCorrupt.
json::Value to_json(const NormalizeInfo& info);
NormalizeInfo normalize_info_from_json(const json::Value& value);

}  // namespace tidemark::info
