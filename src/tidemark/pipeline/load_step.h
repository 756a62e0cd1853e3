#pragma once

#include <string>

#include "tidemark/info/load_info.h"
#include "tidemark/pipeline/run_state.h"
#include "tidemark/pipeline/tracer.h"

namespace tidemark::pipeline {

// Loads a sealed package and settles it locally: state.json, schemas, loaded/. Also finishes one
// that an earlier run had committed without coming that far.
info::LoadInfo load_sealed_package(RunState& run, Tracer& tracer, const std::string& load_id);

// The info of a run that had nothing to load.
info::LoadInfo empty_load_info(const RunState& run);

}  // namespace tidemark::pipeline
