#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/info/extract_info.h"
#include "tidemark/info/load_info.h"
#include "tidemark/info/normalize_info.h"
#include "tidemark/json/value.h"

namespace tidemark::info {

inline constexpr int kTraceEngineVersion = 2;

// Where a setting came from.
struct ResolvedConfigValue {
  std::string key;
  std::optional<std::string> value;  // never of a secret
  bool is_secret_hint = false;
  std::vector<std::string> sections;
  std::string provider_name;  // "Environment Variables", "tidemark.yml"
  std::string config_type_name;
  std::string provider_location;  // file and line, when the provider's name does not say

  bool operator==(const ResolvedConfigValue&) const = default;
};

// An error with what it was about.
struct ExceptionTrace {
  std::string message;
  std::string exception_type;  // the error's code
  bool is_terminal = false;    // trying again does not help
  std::optional<std::string> load_id;
  std::optional<std::string> source_name;
  std::optional<std::string> resource_name;
  std::optional<std::string> job_id;

  bool operator==(const ExceptionTrace&) const = default;
};

enum class Step { kRun, kSync, kExtract, kNormalize, kLoad };
std::string_view to_string(Step step);  // "run", ...

struct StepTrace {
  std::string span_id;  // 32 hex digits
  Step step = Step::kRun;
  Time started_at;
  std::optional<Time> finished_at;
  // What came out of it, also when it failed half-way. A run's is that of its load.
  std::variant<std::monostate, ExtractInfo, NormalizeInfo, LoadInfo> step_info;
  std::optional<std::string> step_exception;  // of a step that failed
  std::vector<ExceptionTrace> exception_traces;

  bool operator==(const StepTrace&) const = default;
};

// What the last run of a pipeline did, step by step.
struct Trace {
  std::string transaction_id;  // 32 hex digits
  std::string pipeline_name;
  json::Object execution_context;
  Time started_at;
  std::vector<StepTrace> steps;
  std::optional<Time> finished_at;
  std::vector<ResolvedConfigValue> resolved_config_values;

  // Of the newest such step; nullptr when there is none or it left nothing.
  const ExtractInfo* last_extract_info() const;
  const NormalizeInfo* last_normalize_info() const;
  const LoadInfo* last_load_info() const;

  bool operator==(const Trace&) const = default;
};

// The trace to keep after an operation: a single step joins the steps of the last trace, of which
// the newest 100 stay; anything else replaces it.
Trace merge(std::optional<Trace> last, Trace next);

// As dlt prints them. 1 adds where settings came from, and span ids.
std::string to_text(const StepTrace& step, int verbosity);
std::string to_text(const Trace& trace, int verbosity);

// dlt's dictionary form, with the values of settings that are no secrets and with the step `run`,
// whose load info is not written a second time (docs/formats/trace.md). And back: Error kCorrupt,
// or kUnsupported for a newer engine.
json::Value to_json(const Trace& trace);
Trace trace_from_json(const json::Value& value);

}  // namespace tidemark::info
