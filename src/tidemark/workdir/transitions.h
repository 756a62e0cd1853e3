#pragma once

#include <string_view>

#include "tidemark/base/clock.h"
#include "tidemark/workdir/layout.h"

// How a sealed package comes to its end. Each function can be called again after a crash inside it.
namespace tidemark::workdir {

void complete_package(const Layout& layout, std::string_view load_id, const CompletedLoad& load);
void note_failure(const Layout& layout, std::string_view load_id, std::string_view table,
                  FailureKind kind, std::string_view message);
bool abort_package(const Layout& layout, PackageStage stage, std::string_view load_id);
// Empties the files of loaded rows, and does to loaded/ what retention says.
void trim_loaded(const Layout& layout, const Retention& retention, Time now);
// Brings a directory that a crash left into one of the states that runs start from.
void recover(const Layout& layout);

}  // namespace tidemark::workdir
