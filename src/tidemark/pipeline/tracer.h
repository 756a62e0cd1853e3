#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/base/error.h"
#include "tidemark/base/random.h"
#include "tidemark/info/trace.h"

namespace tidemark::pipeline {

// Writes down what an operation does, step by step.
class Tracer {
 public:
  Tracer(std::string_view pipeline_name, Clock& clock, Random& random);

  // Runs body as that step. What it leaves in the step it is given is kept, also when it throws; an
  // Error is noted and goes on with the step's name in front.
  void step(info::Step step, const std::function<void(info::StepTrace&)>& body);

  // The trace so far; ended by finish().
  info::Trace& trace() { return trace_; }
  void finish();

 private:
  Clock& clock_;
  Random& random_;
  info::Trace trace_;
};

}  // namespace tidemark::pipeline
