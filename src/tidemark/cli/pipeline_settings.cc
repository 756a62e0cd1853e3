#include "tidemark/cli/pipeline_settings.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "tidemark/destination/registry.h"
#include "tidemark/workdir/dlt_job.h"

namespace tidemark::cli {
namespace {

using config::Node;
using config::Settings;

Error refusal(const Node& node, std::string_view message) {
  return Error(ErrorCode::kUnsupported, node.error(message).message());
}

// Keys of dlt and of the project file that have no meaning here: whoever wrote one expects an
// effect.
void refuse_what_has_no_effect(const Node& pipeline) {
  if (const auto extract = pipeline.optional_node("extract")) {
    if (const auto workers = extract->optional_node("workers")) {
      throw refusal(*workers,
                    "a source is read by one thread, whatever this says; normalize.workers is how "
                    "many threads turn its pages into columns");
    }
  }
  if (const auto state = pipeline.optional_node("state")) {
    const auto backend = state->optional_node("backend");
    if (backend && backend->string() == "auto") {
      throw refusal(*backend,
                    "a pipeline's state is not mirrored in a state backend: it lies in the "
                    "destination, with the rows. 'none', or nothing, says so");
    }
  }
}

std::optional<size_t> find_workers(Settings& settings, std::string_view section) {
  const auto node = settings.find({.key = "workers", .sections = {std::string(section)}});
  if (!node) {
    return std::nullopt;
  }
  const int64_t workers = node->integer();
  if (workers < 1) {
    throw node->error("expected at least one worker");
  }
  return static_cast<size_t>(workers);
}

// Of dlt's names; those that are not written here are known, so that they are told from typos.
workdir::JobFormat job_format_of(const Node& node) {
  const std::string_view name =
      node.choice({"columns", "insert_values", "jsonl", "parquet", "csv", "model"});
  if (const auto format = workdir::parse_job_format(name)) return *format;
  throw refusal(node,
                fmt::format("packages are not written as {}: insert_values and jsonl are what dlt "
                            "can load as well, columns (or nothing) loads fastest",
                            name));
}

std::optional<Node> find_runtime(Settings& settings, std::string_view key) {
  return settings.find({.key = std::string(key), .sections = {"runtime"}});
}

// Of seconds, which may have a fraction.
std::chrono::milliseconds milliseconds_of(const Node& node) {
  constexpr double kLongest = 1e9;
  const double seconds = node.number();
  if (!(seconds > 0) || seconds > kLongest) {
    throw node.error("expected a number of seconds above 0");
  }
  return std::chrono::milliseconds(static_cast<int64_t>(std::ceil(seconds * 1000)));
}

int attempts_of(const Node& node) {
  constexpr int64_t kMost = 1000;
  const int64_t attempts = node.integer();
  if (attempts < 1 || attempts > kMost) {
    throw node.error("expected a number of attempts from 1 to 1000");
  }
  return static_cast<int>(attempts);
}

double factor_of(const Node& node) {
  const double factor = node.number();
  if (!(factor >= 0) || !std::isfinite(factor)) {
    throw node.error("expected a factor of 0 or more");
  }
  return factor;
}

void note_resolved(const Settings& settings, pipeline::PipelineOptions& options) {
  options.config_values.clear();
  for (const config::ResolvedSetting& setting : settings.resolved()) {
    options.config_values.push_back({.key = setting.key,
                                     .value = std::nullopt,
                                     .is_secret_hint = setting.is_secret,
                                     .sections = setting.sections,
                                     .provider_name = setting.provider_name,
                                     .config_type_name = {},
                                     .provider_location = setting.provider_location});
  }
}

}  // namespace

void apply_settings(PipelineTarget& target) {
  pipeline::PipelineOptions& options = target.options;
  if (target.definition) {
    refuse_what_has_no_effect(target.definition->node);
    options.dev_mode = target.definition->is_dev_mode;
    options.restore_from_destination = target.definition->restores_from_destination;
  }
  target.settings->with([&](Settings& settings) {
    if (const auto node = settings.find({.key = "raise_on_failed_jobs", .sections = {"load"}})) {
      options.raise_on_failed_jobs = node->boolean();
    }
    if (const auto node = settings.find({.key = "loader_file_format", .sections = {"normalize"}})) {
      options.job_format = job_format_of(*node);
    }
    target.threads = find_workers(settings, "normalize").value_or(target.threads);
    note_resolved(settings, options);
  });
}

void apply_load_workers(const PipelineTarget& target, DestinationChoice& choice) {
  if (destination::short_type(choice.type) != "duckdb" || choice.options.contains("threads")) {
    return;
  }
  const auto workers =
      target.settings->with([](Settings& settings) { return find_workers(settings, "load"); });
  if (workers) {
    // dlt's default is 20 jobs at once, most of which wait; more threads than cores only cost
    // memory.
    const size_t cores = std::max(1U, std::thread::hardware_concurrency());
    choice.options.set("threads", static_cast<int64_t>(std::min(*workers, cores)));
  }
}

source::SourceEnvironment source_environment(PipelineTarget& target) {
  source::SourceEnvironment environment{.directory = target.directory};
  target.settings->with([&](Settings& settings) {
    if (const auto node = find_runtime(settings, "request_timeout")) {
      environment.http.idle_timeout = milliseconds_of(*node);
      environment.http.connect_timeout =
          std::min(environment.http.connect_timeout, environment.http.idle_timeout);
    }
    if (const auto node = find_runtime(settings, "request_max_attempts")) {
      environment.retry.attempts = attempts_of(*node);
    }
    if (const auto node = find_runtime(settings, "request_backoff_factor")) {
      environment.retry.backoff_factor = factor_of(*node);
    }
    if (const auto node = find_runtime(settings, "request_max_retry_delay")) {
      environment.retry.max_wait = milliseconds_of(*node);
    }
    note_resolved(settings, target.options);
  });
  return environment;
}

}  // namespace tidemark::cli
