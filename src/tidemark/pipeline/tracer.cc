#include "tidemark/pipeline/tracer.h"

#include <utility>

#include <fmt/format.h>

#include "tidemark/base/hash.h"

namespace tidemark::pipeline {

namespace {

constexpr size_t kSpanIdBytes = 16;

bool is_terminal(ErrorCode code) {
  return code != ErrorCode::kUnavailable && code != ErrorCode::kTimeout &&
         code != ErrorCode::kLocked && code != ErrorCode::kCancelled;
}

}  // namespace

Tracer::Tracer(std::string_view pipeline_name, Clock& clock, Random& random)
    : clock_(clock), random_(random) {
  trace_.transaction_id = random_hex(random, kSpanIdBytes);
  trace_.pipeline_name = pipeline_name;
  trace_.started_at = clock.now();
}

void Tracer::step(info::Step step, const std::function<void(info::StepTrace&)>& body) {
  info::StepTrace record;
  record.span_id = random_hex(random_, kSpanIdBytes);
  record.step = step;
  record.started_at = clock_.now();
  try {
    body(record);
  } catch (Error& error) {
    record.finished_at = clock_.now();
    record.step_exception = error.message();
    record.exception_traces.push_back({error.message(),
                                       std::string(to_string(error.code())),
                                       is_terminal(error.code()),
                                       {},
                                       {},
                                       {},
                                       {}});
    trace_.steps.push_back(std::move(record));
    // The whole run's failure is that of the step inside it, which is named already.
    if (step != info::Step::kRun) error.add_context(fmt::format("step {}", to_string(step)));
    throw;
  }
  record.finished_at = clock_.now();
  trace_.steps.push_back(std::move(record));
}

void Tracer::finish() { trace_.finished_at = clock_.now(); }

}  // namespace tidemark::pipeline
