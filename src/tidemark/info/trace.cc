#include "tidemark/info/trace.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/info/fields.h"
#include "tidemark/info/format.h"

namespace tidemark::info {
namespace {

constexpr size_t kStepsKept = 100;
constexpr std::array kSteps = {Step::kRun, Step::kSync, Step::kExtract, Step::kNormalize,
                               Step::kLoad};
// Of a step's dictionary form, what goes under `step_info`; the rest goes under `<step>_info`.
constexpr std::array<std::string_view, 6> kBaseKeys = {"pipeline",  "loads_ids",  "load_packages",
                                                       "first_run", "started_at", "finished_at"};

template <typename Info>
const Info* last_info(const std::vector<StepTrace>& steps, Step step) {
  for (auto at = steps.rbegin(); at != steps.rend(); ++at) {
    if (at->step == step) return std::get_if<Info>(&at->step_info);
  }
  return nullptr;
}

std::string duration_text(Time started_at, const std::optional<Time>& finished_at) {
  return finished_at ? format_duration(*finished_at - started_at) : "---";
}

std::string info_to_text(const StepTrace& step, int verbosity) {
  return std::visit(
      [&](const auto& info) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(info)>, std::monostate>) {
          return "";
        } else {
          return to_text(info, verbosity);
        }
      },
      step.step_info);
}

std::string to_text(const ResolvedConfigValue& config, int verbosity) {
  std::string text = "`";
  for (const std::string& section : config.sections) text += section + ".";
  text += fmt::format("{}` = {} from `{}`", config.key,
                      config.is_secret_hint ? "<secret>" : config.value.value_or("None"),
                      config.provider_name);
  if (!config.provider_location.empty() && config.provider_location != config.provider_name) {
    text += fmt::format(" in `{}`", config.provider_location);
  }
  if (verbosity > 1) text += fmt::format(" for `{}`", config.config_type_name);
  return text;
}

json::Value to_json(const ResolvedConfigValue& config) {
  json::Object object{{"key", config.key},
                      {"is_secret_hint", config.is_secret_hint},
                      {"sections", text_values(config.sections)},
                      {"provider_name", config.provider_name},
                      {"config_type_name", config.config_type_name},
                      {"provider_location", config.provider_location}};
  if (!config.is_secret_hint) object.set("value", text_value(config.value));
  return object;
}

ResolvedConfigValue config_from_json(const json::Value& value) {
  Fields fields(value);
  return {fields.text("key"),
          fields.optional_text("value"),
          fields.flag("is_secret_hint"),
          fields.texts("sections"),
          fields.text("provider_name"),
          fields.text("config_type_name"),
          fields.text("provider_location")};
}

json::Value to_json(const ExceptionTrace& exception) {
  return json::Object{{"message", exception.message},
                      {"exception_type", exception.exception_type},
                      {"is_terminal", exception.is_terminal},
                      {"load_id", text_value(exception.load_id)},
                      {"source_name", text_value(exception.source_name)},
                      {"resource_name", text_value(exception.resource_name)},
                      {"job_id", text_value(exception.job_id)}};
}

ExceptionTrace exception_from_json(const json::Value& value) {
  Fields fields(value);
  return {fields.text("message"),
          fields.text("exception_type"),
          fields.flag("is_terminal"),
          fields.optional_text("load_id"),
          fields.optional_text("source_name"),
          fields.optional_text("resource_name"),
          fields.optional_text("job_id")};
}

json::Value info_to_json(const StepTrace& step) {
  return std::visit(
      [](const auto& info) -> json::Value {
        if constexpr (std::is_same_v<std::decay_t<decltype(info)>, std::monostate>) {
          return nullptr;
        } else {
          return to_json(info);
        }
      },
      step.step_info);
}

json::Value to_json(const StepTrace& step) {
  json::Array exceptions;
  for (const ExceptionTrace& exception : step.exception_traces) {
    exceptions.push_back(to_json(exception));
  }
  json::Object object{{"span_id", step.span_id},
                      {"step", to_string(step.step)},
                      {"started_at", time_value(step.started_at)},
                      {"finished_at", time_value(step.finished_at)},
                      {"step_exception", text_value(step.step_exception)},
                      {"exception_traces",
                       exceptions.empty() ? json::Value() : json::Value(std::move(exceptions))}};
  json::Value info = step.step == Step::kRun ? json::Value() : info_to_json(step);
  if (info.is_null()) return object;
  json::Object base;
  json::Object rest;
  for (auto& [key, value] : info.as_object()) {
    bool is_base = std::find(kBaseKeys.begin(), kBaseKeys.end(), key) != kBaseKeys.end();
    (is_base ? base : rest).set(key, std::move(value));
  }
  object.set(fmt::format("{}_info", to_string(step.step)), std::move(rest));
  object.set("step_info", std::move(base));
  return object;
}

Step step_from(std::string_view name) {
  for (Step step : kSteps) {
    if (to_string(step) == name) return step;
  }
  throw Error(ErrorCode::kCorrupt, fmt::format("step {} is unknown", name));
}

void read_info(const json::Value& value, StepTrace& step) {
  Fields fields(value);
  std::string key = fmt::format("{}_info", to_string(step.step));
  if (fields.value(key).is_null()) return;
  json::Object whole = fields.object("step_info");
  for (const auto& [name, member] : fields.object(key)) whole.set(name, member);
  switch (step.step) {
    case Step::kExtract:
      step.step_info = extract_info_from_json(whole);
      break;
    case Step::kNormalize:
      step.step_info = normalize_info_from_json(whole);
      break;
    case Step::kLoad:
      step.step_info = load_info_from_json(whole);
      break;
    case Step::kRun:
    case Step::kSync:
      break;
  }
}

StepTrace step_from_json(const json::Value& value) {
  Fields fields(value);
  StepTrace step;
  step.span_id = fields.text("span_id");
  step.step = step_from(fields.text("step"));
  step.started_at = fields.time("started_at");
  step.finished_at = fields.optional_time("finished_at");
  step.step_exception = fields.optional_text("step_exception");
  for (const json::Value& exception : fields.list("exception_traces")) {
    step.exception_traces.push_back(exception_from_json(exception));
  }
  read_info(value, step);
  return step;
}

// A run ends after its load, so the load of a run is the newest one before it that is not older
// than it.
void give_runs_their_load(std::vector<StepTrace>& steps) {
  const StepTrace* load = nullptr;
  for (StepTrace& step : steps) {
    if (step.step == Step::kLoad) load = &step;
    if (step.step == Step::kRun && load != nullptr && load->started_at >= step.started_at) {
      step.step_info = load->step_info;
    }
  }
}

}  // namespace

std::string_view to_string(Step step) {
  switch (step) {
    case Step::kRun:
      return "run";
    case Step::kSync:
      return "sync";
    case Step::kExtract:
      return "extract";
    case Step::kNormalize:
      return "normalize";
    case Step::kLoad:
      return "load";
  }
  return "";
}

const ExtractInfo* Trace::last_extract_info() const {
  return last_info<ExtractInfo>(steps, Step::kExtract);
}

const NormalizeInfo* Trace::last_normalize_info() const {
  return last_info<NormalizeInfo>(steps, Step::kNormalize);
}

const LoadInfo* Trace::last_load_info() const { return last_info<LoadInfo>(steps, Step::kLoad); }

Trace merge(std::optional<Trace> last, Trace next) {
  if (next.steps.size() > 1 || !last) return next;
  std::vector<StepTrace>& steps = last->steps;
  std::move(next.steps.begin(), next.steps.end(), std::back_inserter(steps));
  if (steps.size() > kStepsKept) {
    steps.erase(steps.begin(), steps.end() - static_cast<ptrdiff_t>(kStepsKept));
  }
  last->finished_at = next.finished_at;
  last->resolved_config_values = std::move(next.resolved_config_values);
  return *std::move(last);
}

std::string to_text(const StepTrace& step, int verbosity) {
  std::string text = fmt::format("Step {} {} in {}.", to_string(step.step),
                                 step.step_exception ? "FAILED" : "COMPLETED",
                                 duration_text(step.started_at, step.finished_at));
  if (step.step_exception) text += "\nFailed due to: " + *step.step_exception;
  if (std::string info = info_to_text(step, verbosity); !info.empty()) text += "\n" + info;
  if (verbosity > 0) text += "\nspan id: " + step.span_id;
  return text;
}

std::string to_text(const Trace& trace, int verbosity) {
  bool has_failed = !trace.steps.empty() && trace.steps.back().step_exception;
  std::string text =
      fmt::format("Run started at {} and {} in {} with {} steps.",
                  format_datetime(trace.started_at), has_failed ? "FAILED" : "COMPLETED",
                  duration_text(trace.started_at, trace.finished_at), trace.steps.size());
  if (verbosity > 0 && !trace.resolved_config_values.empty()) {
    text += "\nFollowing config and secret values were resolved:";
    for (const ResolvedConfigValue& config : trace.resolved_config_values) {
      text += "\n" + to_text(config, verbosity);
    }
    text += "\n";
  }
  for (size_t i = 0; i < trace.steps.size(); ++i) {
    text += (i == 0 ? "\n" : "\n\n") + to_text(trace.steps[i], verbosity);
  }
  return text;
}

json::Value to_json(const Trace& trace) {
  json::Array steps;
  for (const StepTrace& step : trace.steps) steps.push_back(to_json(step));
  json::Array configs;
  for (const ResolvedConfigValue& config : trace.resolved_config_values) {
    configs.push_back(to_json(config));
  }
  return json::Object{{"transaction_id", trace.transaction_id},
                      {"pipeline_name", trace.pipeline_name},
                      {"execution_context", trace.execution_context},
                      {"started_at", time_value(trace.started_at)},
                      {"steps", std::move(steps)},
                      {"finished_at", time_value(trace.finished_at)},
                      {"resolved_config_values", std::move(configs)},
                      {"engine_version", kTraceEngineVersion}};
}

Trace trace_from_json(const json::Value& value) {
  Fields fields(value);
  if (fields.count("engine_version") > kTraceEngineVersion) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("trace of engine {} was written by a newer version; {} is the newest "
                            "one known",
                            fields.count("engine_version"), kTraceEngineVersion));
  }
  Trace trace;
  trace.transaction_id = fields.text("transaction_id");
  trace.pipeline_name = fields.text("pipeline_name");
  trace.execution_context = fields.object("execution_context");
  trace.started_at = fields.time("started_at");
  trace.finished_at = fields.optional_time("finished_at");
  for (const json::Value& config : fields.list("resolved_config_values")) {
    trace.resolved_config_values.push_back(config_from_json(config));
  }
  for (const json::Value& step : fields.list("steps")) trace.steps.push_back(step_from_json(step));
  give_runs_their_load(trace.steps);
  return trace;
}

}  // namespace tidemark::info
