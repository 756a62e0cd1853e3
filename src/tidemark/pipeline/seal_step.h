#pragma once

#include "tidemark/pipeline/run_state.h"
#include "tidemark/workdir/package.h"

namespace tidemark::pipeline {

// Seals the package in the pipeline's job format. In one of dlt's the part files become job files
// first, and content says so; what dlt finds only in the package state goes there, and run.state,
// state.json and the schema are those after the package when it returns. A crash behind the seal
// leaves them to whoever loads the package.
void seal(RunState& run, workdir::NewPackage& package, workdir::PackageContent& content);

}  // namespace tidemark::pipeline
