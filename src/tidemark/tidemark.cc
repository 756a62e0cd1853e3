#include "tidemark/tidemark.h"

#include <ostream>
#include <string_view>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/base/sleeper.h"
#include "tidemark/config/shared_settings.h"
#include "tidemark/destination/registry.h"
#include "tidemark/os/directories.h"
#include "tidemark/os/environment.h"
#include "tidemark/workdir/working_directory.h"

namespace tidemark {

namespace fs = std::filesystem;

struct Pipeline::Impl {
  explicit Impl(Options options_in);

  pipeline::Runtime runtime(const fs::path& local);

  Options options;
  SystemClock clock;
  SystemRandom random;
  SystemSleeper sleeper;
  Cancellation cancellation;
  os::Environment environment = os::Environment::of_process();
  os::DltDirectories directories =
      os::dlt_directories(environment, os::Surroundings::of_process(environment));
  config::SharedSettings settings;
  std::unique_ptr<pipeline::Pipeline> pipeline;
};

Pipeline::Impl::Impl(Options options_in)
    : options(std::move(options_in)),
      settings(config::Settings(config::Settings::read_sources(environment, directories),
                                options.name)) {
  const fs::path pipelines_dir =
      options.pipelines_dir.empty() ? directories.pipelines : fs::absolute(options.pipelines_dir);
  // Where relative files are: recorded by the pipeline's first run.
  const auto state = workdir::stored_state(pipelines_dir, options.name, clock, random);
  const fs::path local =
      state && state->initial_cwd() ? fs::path(*state->initial_cwd()) : directories.local;
  DestinationSpec destination = options.destination;
  const json::Value* path = destination.options.find("path");
  const std::string file =
      path != nullptr ? path->as_string() : options.name + "." + destination.type;
  destination.options.set("path", (local / file).lexically_normal().string());

  pipeline::PipelineOptions target;
  target.name = options.name;
  target.pipelines_dir = pipelines_dir;
  target.destination = destination::make_destination(destination.type, destination.options);
  target.dataset = options.dataset;
  target.dev_mode = options.dev_mode;
  pipeline = std::make_unique<pipeline::Pipeline>(std::move(target), runtime(local));
}

pipeline::Runtime Pipeline::Impl::runtime(const fs::path& local) {
  pipeline::Runtime result;
  result.clock = &clock;
  result.random = &random;
  result.cancellation = &cancellation;
  result.sleeper = &sleeper;
  result.secret = [this](std::string_view name) { return settings.secret(name); };
  result.run_dir = local.string();
  result.threads = options.threads;
  return result;
}

Pipeline::Pipeline(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}

Pipeline::~Pipeline() = default;

LoadInfo Pipeline::run(const Source& source, const RunOptions& options) {
  return impl_->pipeline->run(source, options).back();
}

std::optional<Trace> Pipeline::last_trace() const { return impl_->pipeline->last_trace(); }

DestinationSpec duckdb(std::string path) {
  DestinationSpec spec{.type = "duckdb", .options = {}};
  if (!path.empty()) spec.options.set("path", std::move(path));
  return spec;
}

namespace info {

std::ostream& operator<<(std::ostream& out, const LoadInfo& load) {
  return out << to_text(load, 1) << '\n';
}

std::ostream& operator<<(std::ostream& out, const Trace& trace) {
  return out << to_text(trace, 0) << '\n';
}

}  // namespace info

}  // namespace tidemark
