#pragma once

#include <string>
#include <vector>

#include "tidemark/info/step_info.h"

namespace tidemark::info {

// What a resource gave.
struct ResourceMetrics {
  WriterMetrics written;
  // The cursor's numbers and other things dlt calls custom metrics; become fields of the row.
  json::Object custom;

  bool operator==(const ResourceMetrics&) const = default;
};

// Where a resource's rows come from: itself, or the resource whose rows it is given.
struct ResourceEdge {
  std::string load_id;
  std::string parent_name;
  std::string resource_name;

  bool operator==(const ResourceEdge&) const = default;
};

// What a resource was declared with.
struct ResourceHints {
  std::string load_id;
  std::string resource_name;
  json::Object hints;

  bool operator==(const ResourceHints&) const = default;
};

struct ExtractInfo : StepInfo {
  std::vector<WriterMetrics> job_metrics;
  std::vector<WriterMetrics> table_metrics;
  std::vector<ResourceMetrics> resource_metrics;
  std::vector<ResourceEdge> dag;
  std::vector<ResourceHints> hints;

  bool operator==(const ExtractInfo&) const = default;
};

// 1 adds rows and bytes of the resources to what dlt prints.
std::string to_text(const ExtractInfo& info, int verbosity);
// dlt's dictionary form, and back. Error kCorrupt.
json::Value to_json(const ExtractInfo& info);
ExtractInfo extract_info_from_json(const json::Value& value);

}  // namespace tidemark::info
