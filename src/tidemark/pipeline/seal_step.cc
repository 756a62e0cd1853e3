#include "tidemark/pipeline/seal_step.h"

#include <algorithm>
#include <ranges>
#include <string>
#include <vector>

#include "tidemark/workdir/dlt_job.h"

namespace tidemark::pipeline {

namespace {

using workdir::JobFormat;

void rewrite_parts(const RunState& run, const workdir::NewPackage& package,
                   workdir::PackageContent& content) {
  for (workdir::PartSummary& part : content.parts) {
    run.runtime.cancellation->throw_if_cancelled();
    part = workdir::rewrite_part(package.job_directory(), part,
                                 *content.schema.find_table(part.table), run.options.job_format);
  }
}

bool has_part(const workdir::PackageContent& content, const std::string& table) {
  return std::ranges::any_of(content.parts, [&](const auto& part) { return part.table == table; });
}

// dlt empties what it replaces for the sake of a job; without one only what this list names.
void list_replaced_without_rows(workdir::PackageContent& content) {
  for (const std::string& root : content.replaced_tables) {
    if (has_part(content, root)) continue;
    const std::vector<std::string> chain = content.schema.table_chain(root);
    for (const std::string& name : std::views::reverse(chain)) {
      const auto table = content.schema.find_table(name);
      if (table->has_seen_data()) content.truncated_tables.push_back(table->object());
    }
  }
}

}  // namespace

void seal(RunState& run, workdir::NewPackage& package, workdir::PackageContent& content) {
  const bool is_for_dlt = run.options.job_format != JobFormat::kColumns;
  if (is_for_dlt) {
    rewrite_parts(run, package, content);
    list_replaced_without_rows(content);
  }
  run.runtime.cancellation->throw_if_cancelled();
  package.seal(content);
  if (is_for_dlt) settle(run, content);
}

}  // namespace tidemark::pipeline
