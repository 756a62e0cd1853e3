#pragma once

// The public header of the library: sources made of resources, run into a destination by a pipeline
// that keeps packages, state and trace. Everything here throws tidemark::Error. docs/library.md has
// the tour.

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/base/secret.h"
#include "tidemark/info/load_info.h"
#include "tidemark/info/trace.h"
#include "tidemark/json/page.h"
#include "tidemark/json/value.h"
#include "tidemark/pipeline/pipeline.h"
#include "tidemark/source/resource.h"
#include "tidemark/source/rest.h"
#include "tidemark/source/secret_ref.h"

namespace tidemark {

using info::LoadInfo;
using info::to_text;
using info::Trace;
using json::Page;
using pipeline::Refresh;
using pipeline::RunOptions;
using source::Extraction;
using source::Incremental;
using source::IncrementalOptions;
using source::Resource;
using source::ResourceOptions;
using source::secret;
using source::Source;

// Spelled as people write dispositions. NOLINTBEGIN(readability-identifier-naming)
inline constexpr auto append = source::WriteDisposition::kAppend;
inline constexpr auto replace = source::WriteDisposition::kReplace;
inline constexpr auto merge = source::WriteDisposition::kMerge;
// NOLINTEND(readability-identifier-naming)

// A JSON array of the given values.
template <typename... Values>
json::Value array(Values&&... values) {
  json::Array result;
  (result.emplace_back(std::forward<Values>(values)), ...);
  return result;
}

// Where a pipeline loads to: a type and its options, as in a project file.
struct DestinationSpec {
  std::string type = {};
  json::Object options = {};
};
// A DuckDB file. A relative path is against the directory of the pipeline's first run, as in dlt;
// empty is `<pipeline>.duckdb` there.
DestinationSpec duckdb(std::string path = {});

// One pipeline of this machine, with its working directory where dlt has it. Locked as long as the
// object lives. One thread.
class Pipeline {
 public:
  struct Options {
    std::string name = {};
    DestinationSpec destination = duckdb();
    std::string dataset = {};                  // empty: as stored, else `<name>_dataset`
    std::filesystem::path pipelines_dir = {};  // empty: as dlt has it
    bool dev_mode = false;
    size_t threads = 0;  // 0 = as many as there are cores
  };

  // Settings and secrets come from the environment, .dlt/secrets.toml and .dlt/config.toml.
  explicit Pipeline(Options options);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Finishes what an earlier run left pending, then runs the source. The info of the new load. When
  // it throws, nothing of the run is in the destination, and what was sealed is finished by the
  // next one.
  LoadInfo run(const Source& source, const RunOptions& options = {});
  // What the last operation did, step by step.
  std::optional<Trace> last_trace() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

namespace info {
// As people read them.
std::ostream& operator<<(std::ostream& out, const LoadInfo& load);
std::ostream& operator<<(std::ostream& out, const Trace& trace);
}  // namespace info

}  // namespace tidemark
