#include "tidemark/pipeline/pipeline.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/error.h"
#include "tidemark/pipeline/extract_step.h"
#include "tidemark/pipeline/load_step.h"
#include "tidemark/pipeline/run_state.h"
#include "tidemark/pipeline/sync_step.h"
#include "tidemark/pipeline/tracer.h"

namespace tidemark::pipeline {

namespace {

using workdir::PackageStage;

std::string dev_suffix(Time now) {
  const auto days = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(now - days));
  // dlt writes hours of a 12-hour clock: two runs half a day apart meet in one dataset.
  return fmt::format("_{:04}{:02}{:02}{:02}{:02}{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string dataset_of(const PipelineOptions& options, const state::PipelineState& state,
                       Time now) {
  std::string dataset = options.dataset;
  if (dataset.empty()) {
    dataset = state.dataset_name().value_or(fmt::format("{}_dataset", options.name));
  }
  if (!options.dev_mode) return dataset;
  const std::string suffix = dev_suffix(now);
  return dataset + (dataset.ends_with('_') ? suffix.substr(1) : suffix);
}

}  // namespace

struct Pipeline::Impl {
  Impl(PipelineOptions options, Runtime runtime);

  // Runs body as the operation, with a trace that is stored whatever comes.
  void operate(info::Step step, const std::function<void(Tracer&, info::StepTrace&)>& body);
  void open_state();
  void check_location();
  std::vector<info::LoadInfo> finish_pending(Tracer& tracer);
  void sync(Tracer& tracer);

  RunState run;
  std::optional<info::Trace> trace;
};

Pipeline::Impl::Impl(PipelineOptions options, Runtime runtime)
    : run{std::move(options),
          std::move(runtime),
          nullptr,
          state::PipelineState::create("", ""),
          {},
          {},
          {}} {
  // Before there is a working directory: a mistyped path is no pipeline.
  run.options.destination->check_location();
  run.directory = workdir::WorkingDirectory::open(run.options.pipelines_dir, run.options.name,
                                                  workdir::WorkingDirectory::Access::kWrite,
                                                  *run.runtime.clock, *run.runtime.random);
  open_state();
}

void Pipeline::Impl::open_state() {
  auto stored = run.directory->read_state();
  const bool was_dev = stored && stored->is_dev_mode();
  if (run.options.dev_mode || was_dev) {
    run.directory->wipe();
    stored.reset();
  }
  run.state =
      stored ? *stored : state::PipelineState::create(run.options.name, run.runtime.run_dir);
  run.dataset = dataset_of(run.options, run.state, run.runtime.clock->now());
  check_location();
  run.state.set_dataset_name(run.dataset);
  run.state.set_destination(run.options.destination->capabilities().factory,
                            run.state.destination_name());
  run.state.set_local("_dev_mode", run.options.dev_mode);
  if (stored) {
    run.state.bump();
  } else {
    run.state.rehash();
  }
  // dlt takes a directory without state.json for rubbish: it is there before any package is.
  if (stored != run.state) run.directory->write_state(run.state);
}

void Pipeline::Impl::check_location() {
  const std::string location = run.options.destination->location();
  const auto stored = run.state.destination_location();
  if (stored && *stored != location) {
    throw Error(
        ErrorCode::kInvalid,
        fmt::format("pipeline {} was loaded to {}, not to {}. Give the first place again, or "
                    "start anew there by removing {}",
                    run.options.name, *stored, location, run.directory->path().string()));
  }
  run.state.set_destination_location(location);
}

void Pipeline::Impl::operate(info::Step step,
                             const std::function<void(Tracer&, info::StepTrace&)>& body) {
  Tracer tracer(run.options.name, *run.runtime.clock, *run.runtime.random);
  tracer.trace().resolved_config_values = run.options.config_values;
  run.warnings.clear();
  const auto keep = [&] {
    tracer.finish();
    trace = info::merge(run.directory->read_trace(), std::move(tracer.trace()));
    run.directory->write_trace(*trace);
  };
  try {
    tracer.step(step, [&](info::StepTrace& record) { body(tracer, record); });
  } catch (...) {
    try {
      keep();
    } catch (const Error&) {
      // What made the run fail says more than that its trace could not be kept: a full disk often
      // does both.
    }
    throw;
  }
  keep();
}

std::vector<info::LoadInfo> Pipeline::Impl::finish_pending(Tracer& tracer) {
  std::vector<info::LoadInfo> loads;
  for (const std::string& load_id : run.directory->packages(PackageStage::kNormalized)) {
    loads.push_back(load_sealed_package(run, tracer, load_id));
  }
  if (const auto extracted = run.directory->packages(PackageStage::kExtracted);
      !extracted.empty()) {
    throw Error(
        ErrorCode::kUnsupported,
        fmt::format("dlt has extracted {} and not normalized it: let dlt do so (`normalize()` of "
                    "its pipeline), or give it up with `tidemark pipeline {} abort-packages`",
                    fmt::join(extracted, ", "), run.options.name));
  }
  return loads;
}

void Pipeline::Impl::sync(Tracer& tracer) {
  tracer.step(info::Step::kSync, [&](info::StepTrace&) {
    if (run.runtime.progress != nullptr) run.runtime.progress->step("sync");
    sync_with_destination(run, destination::Access::kUpdate);
  });
}

Pipeline::Pipeline(PipelineOptions options, Runtime runtime)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(runtime))) {}

Pipeline::~Pipeline() = default;

const std::string& Pipeline::dataset() const { return impl_->run.dataset; }

std::vector<info::LoadInfo> Pipeline::run(const source::Source& source, const RunOptions& options) {
  std::vector<info::LoadInfo> loads;
  impl_->operate(info::Step::kRun, [&](Tracer& tracer, info::StepTrace& step) {
    RunState& run = impl_->run;
    loads = impl_->finish_pending(tracer);
    if (run.options.restore_from_destination && !run.options.dev_mode) {
      impl_->sync(tracer);
    } else {
      require_writable(run);
    }
    if (run.runtime.progress != nullptr) run.runtime.progress->step("extract");
    const auto load_id = extract_package(run, tracer, source, options);
    loads.push_back(load_id ? load_sealed_package(run, tracer, *load_id) : empty_load_info(run));
    step.step_info = loads.back();
  });
  return loads;
}

std::vector<info::LoadInfo> Pipeline::retry() {
  std::vector<info::LoadInfo> loads;
  impl_->operate(info::Step::kRun, [&](Tracer& tracer, info::StepTrace& step) {
    loads = impl_->finish_pending(tracer);
    if (loads.empty()) loads.push_back(empty_load_info(impl_->run));
    step.step_info = loads.back();
  });
  return loads;
}

bool Pipeline::sync() {
  if (!impl_->run.directory->pending_packages().empty()) {
    throw Error(ErrorCode::kConflict,
                fmt::format("pipeline {0} has packages that are not loaded: finish them with "
                            "`tidemark pipeline {0} retry` or give them up with `abort-packages`",
                            impl_->run.options.name));
  }
  bool is_known = false;
  impl_->operate(info::Step::kSync, [&](Tracer&, info::StepTrace&) {
    start_over(impl_->run);
    is_known = sync_with_destination(impl_->run, destination::Access::kRead);
  });
  return is_known;
}

std::vector<std::string> Pipeline::abort_packages() {
  const std::vector<std::string> ids = impl_->run.directory->pending_packages();
  if (ids.empty()) return ids;
  // The oldest holds what was before all of them.
  impl_->run.directory->abort_package(ids.front());
  impl_->open_state();
  return ids;
}

std::optional<info::LoadInfo> Pipeline::drop(const DropSelection& selection,
                                             std::string_view schema_name,
                                             const std::function<bool(const DropPlan&)>& confirm) {
  std::optional<info::LoadInfo> result;
  impl_->operate(info::Step::kRun, [&](Tracer& tracer, info::StepTrace& step) {
    RunState& run = impl_->run;
    impl_->finish_pending(tracer);
    impl_->sync(tracer);
    const std::string name(schema_name.empty() ? run.state.default_schema_name().value_or("")
                                               : schema_name);
    const auto schema = run.directory->read_schema(name);
    if (!schema) {
      throw Error(ErrorCode::kNotFound,
                  fmt::format("pipeline {} has no schema {}", run.options.name,
                              name.empty() ? "at all" : name));
    }
    const DropPlan plan = plan_drop(*schema, run.state, selection);
    if (plan.is_empty() || !confirm(plan)) return;
    result = load_sealed_package(run, tracer, seal_drop(run, plan));
    step.step_info = *result;
  });
  return result;
}

std::optional<info::Trace> Pipeline::last_trace() const {
  return impl_->trace ? impl_->trace : impl_->run.directory->read_trace();
}

}  // namespace tidemark::pipeline
