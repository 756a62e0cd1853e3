#include "tidemark/tidemark.h"

#include <chrono>
#include <mutex>
#include <ostream>
#include <string_view>
#include <thread>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/config/settings.h"
#include "tidemark/destination/registry.h"
#include "tidemark/os/directories.h"
#include "tidemark/os/environment.h"
#include "tidemark/workdir/working_directory.h"

namespace tidemark {

namespace {

namespace fs = std::filesystem;

// Where relative files are: recorded by the pipeline's first run.
fs::path data_directory(const fs::path& pipelines_dir, const std::string& name,
                        const fs::path& local, Clock& clock, Random& random) {
  try {
    const auto directory = workdir::WorkingDirectory::open(
        pipelines_dir, name, workdir::WorkingDirectory::Access::kRead, clock, random);
    const auto state = directory->read_state();
    if (state && state->initial_cwd()) return fs::path(*state->initial_cwd());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNotFound) throw;
  }
  return local;
}

}  // namespace

struct Pipeline::Impl {
  explicit Impl(Options options_in);

  Secret secret(std::string_view name);
  pipeline::Runtime runtime(const fs::path& local);

  Options options;
  SystemClock clock;
  SystemRandom random;
  Cancellation cancellation;
  os::Environment environment = os::Environment::of_process();
  os::DltDirectories directories =
      os::dlt_directories(environment, os::Surroundings::of_process(environment));
  std::mutex settings_mutex;  // resources ask from several threads
  config::Settings settings;
  std::unique_ptr<pipeline::Pipeline> pipeline;
};

Pipeline::Impl::Impl(Options options_in)
    : options(std::move(options_in)),
      settings(config::Settings::read_sources(environment, directories), options.name) {
  const fs::path pipelines_dir =
      options.pipelines_dir.empty() ? directories.pipelines : fs::absolute(options.pipelines_dir);
  const fs::path local =
      data_directory(pipelines_dir, options.name, directories.local, clock, random);
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
  result.sleep = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); };
  result.secret = [this](std::string_view name) { return secret(name); };
  result.run_dir = local.string();
  result.threads = options.threads;
  return result;
}

Secret Pipeline::Impl::secret(std::string_view name) {
  const std::lock_guard lock(settings_mutex);
  return settings.require_secret(config::setting_name(name));
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
