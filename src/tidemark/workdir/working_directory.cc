#include "tidemark/workdir/working_directory.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/base/pipeline_name.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/os/lock_file.h"
#include "tidemark/os/process.h"
#include "tidemark/workdir/layout.h"
#include "tidemark/workdir/load_id.h"
#include "tidemark/workdir/new_package.h"
#include "tidemark/workdir/sealed_package.h"
#include "tidemark/workdir/transitions.h"

namespace tidemark::workdir {
namespace {

// 1.26 refuses anything newer, and 1.31 migrates it by itself.
constexpr std::string_view kLoadVersion = "1.0.0";
constexpr std::array<std::string_view, 3> kKnownLoadVersions = {kLoadVersion, "1.0.1", "1.0.2"};

constexpr std::array kAllStages = {PackageStage::kNew, PackageStage::kExtracted,
                                   PackageStage::kNormalized, PackageStage::kLoaded};

void check_pipeline_name(std::string_view name) {
  if (is_pipeline_name(name)) return;
  throw Error(ErrorCode::kInvalid,
              fmt::format("pipeline name {:?} must not be empty or contain any of {}",
                          std::string(name), kForbiddenInPipelineNames));
}

std::unique_ptr<os::LockFile> take_lock(const Layout& layout, std::string_view pipeline_name,
                                        Clock& clock) {
  os::LockFile::Result result =
      os::LockFile::try_acquire(layout.lock_file(), {.pid = os::process_id(),
                                                     .host = os::host_name(),
                                                     .operation = std::string(pipeline_name),
                                                     .since = clock.now()});
  if (auto* lock = std::get_if<std::unique_ptr<os::LockFile>>(&result)) return std::move(*lock);
  throw Error(ErrorCode::kLocked,
              fmt::format("pipeline {} in {} is held by {}", pipeline_name, layout.root().native(),
                          os::describe(std::get<os::LockHolder>(result))));
}

}  // namespace

struct WorkingDirectory::Impl {
  Impl(os::Path root, Clock& clock_in, Random& random)
      : layout(std::move(root), random), clock(clock_in) {}

  // The stage of a package. Error kNotFound.
  PackageStage stage_of(std::string_view load_id) const {
    std::optional<PackageStage> stage = layout.find_package(load_id);
    if (stage) return *stage;
    throw Error(ErrorCode::kNotFound,
                fmt::format("load package {} is not in {}; `tidemark pipeline {} info` lists those "
                            "that are",
                            load_id, layout.root().native(), layout.root().filename().native()));
  }

  void require_sealed(std::string_view load_id) const {
    if (stage_of(load_id) != PackageStage::kNormalized) {
      throw Error(ErrorCode::kNotFound,
                  fmt::format("load package {} is not waiting in {}", load_id,
                              layout.stage(PackageStage::kNormalized).native()));
    }
  }

  void check_load_version() const {
    std::optional<std::string> version = os::read_file_if_exists(layout.load() / ".version");
    if (version && std::find(kKnownLoadVersions.begin(), kKnownLoadVersions.end(), *version) ==
                       kKnownLoadVersions.end()) {
      throw Error(
          ErrorCode::kUnsupported,
          fmt::format("{} has storage version {:?}, written by a newer dlt; {} is the newest "
                      "one known",
                      layout.load().native(), *version, kKnownLoadVersions.back()));
    }
  }

  Layout layout;
  Clock& clock;
  std::unique_ptr<os::LockFile> lock;
  double newest_id = 0;
};

std::unique_ptr<WorkingDirectory> WorkingDirectory::open(const std::filesystem::path& pipelines_dir,
                                                         std::string_view pipeline_name,
                                                         Access access, Clock& clock,
                                                         Random& random) {
  check_pipeline_name(pipeline_name);
  auto impl = std::make_unique<Impl>(pipelines_dir / pipeline_name, clock, random);
  if (access == Access::kWrite) {
    os::make_directories(impl->layout.temp());
    impl->lock = take_lock(impl->layout, pipeline_name, clock);
    impl->check_load_version();
    recover(impl->layout);
  } else if (!os::path_exists(impl->layout.root())) {
    throw Error(ErrorCode::kNotFound, fmt::format("pipeline {} was not found in {}", pipeline_name,
                                                  pipelines_dir.native()));
  }
  return std::unique_ptr<WorkingDirectory>(new WorkingDirectory(std::move(impl)));
}

WorkingDirectory::WorkingDirectory(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

WorkingDirectory::~WorkingDirectory() = default;

const std::filesystem::path& WorkingDirectory::path() const { return impl_->layout.root(); }

std::optional<state::PipelineState> WorkingDirectory::read_state() const {
  os::Path file = impl_->layout.state_file();
  std::optional<std::string> text = os::read_file_if_exists(file);
  if (!text) return std::nullopt;
  try {
    return state::PipelineState::read(*text);
  } catch (const Error& error) {
    const bool is_newer = error.code() == ErrorCode::kUnsupported;
    throw Error(error.code(),
                fmt::format("{}: {}{}", file.native(), error.message(),
                            is_newer ? ""
                                     : "\nRemove this file: the next run takes the state from the "
                                       "destination"));
  }
}

void WorkingDirectory::write_state(const state::PipelineState& state) {
  impl_->layout.replace(impl_->layout.state_file(), state.write());
}

std::optional<schema::Schema> WorkingDirectory::read_schema(std::string_view name) const {
  os::Path file = impl_->layout.schema_file(name);
  std::optional<std::string> text = os::read_file_if_exists(file);
  if (!text) return std::nullopt;
  try {
    return schema::Schema::from_json(json::read(*text).as_object(), /*verify_hash=*/true);
  } catch (Error& error) {
    error.add_context(file.native());
    throw;
  }
}

void WorkingDirectory::write_schema(const schema::Schema& schema) {
  os::make_directories(impl_->layout.schemas());
  impl_->layout.replace(impl_->layout.schema_file(schema.name()),
                        json::write_pretty(schema.document()));
}

void WorkingDirectory::remove_schemas() { os::remove_tree(impl_->layout.schemas()); }

std::optional<info::Trace> WorkingDirectory::read_trace() const {
  std::optional<std::string> text = os::read_file_if_exists(impl_->layout.trace_file());
  if (!text) return std::nullopt;
  try {
    return info::trace_from_json(json::read(*text));
  } catch (const Error&) {
    return std::nullopt;
  }
}

void WorkingDirectory::write_trace(const info::Trace& trace) {
  os::remove_file(impl_->layout.dlt_trace_file());
  impl_->layout.replace(impl_->layout.trace_file(), json::write(info::to_json(trace)));
}

std::vector<std::string> WorkingDirectory::packages(PackageStage stage) const {
  return impl_->layout.packages(stage);
}

std::vector<std::string> WorkingDirectory::pending_packages() const {
  std::vector<std::string> ids = packages(PackageStage::kNormalized);
  std::ranges::move(packages(PackageStage::kExtracted), std::back_inserter(ids));
  return ids;
}

info::LoadPackageInfo WorkingDirectory::package_info(std::string_view load_id) const {
  return read_package_info(impl_->layout, impl_->stage_of(load_id), load_id, impl_->clock.now());
}

std::string WorkingDirectory::new_load_id(const std::optional<std::string>& newest_known) {
  double newest = std::max(impl_->newest_id, parse_load_id(newest_known.value_or("")).value_or(0));
  for (PackageStage stage : kAllStages) {
    for (const std::string& id : packages(stage)) {
      newest = std::max(newest, parse_load_id(id).value_or(0));
    }
  }
  std::string id = make_load_id(impl_->clock.now(), newest);
  impl_->newest_id = parse_load_id(id).value();
  return id;
}

std::unique_ptr<NewPackage> WorkingDirectory::begin_package(std::string_view load_id) {
  const Layout& layout = impl_->layout;
  // dlt wipes a directory without a state, packages included.
  if (!os::path_exists(layout.state_file())) {
    throw Error(ErrorCode::kInternal, fmt::format("{} must be there before a package is made",
                                                  layout.state_file().native()));
  }
  os::make_directories(layout.load());
  if (!os::path_exists(layout.load() / ".version")) {
    layout.replace(layout.load() / ".version", kLoadVersion);
  }
  auto impl = std::make_unique<NewPackage::Impl>(layout, load_id);
  return std::unique_ptr<NewPackage>(new NewPackage(std::move(impl)));
}

SealedPackage WorkingDirectory::read_sealed(std::string_view load_id) const {
  impl_->require_sealed(load_id);
  return read_sealed_package(impl_->layout, load_id);
}

void WorkingDirectory::complete_package(std::string_view load_id, const CompletedLoad& load,
                                        const Retention& retention) {
  impl_->require_sealed(load_id);
  workdir::complete_package(impl_->layout, load_id, load);
  trim_loaded(impl_->layout, retention, impl_->clock.now());
}

void WorkingDirectory::note_failure(std::string_view load_id, std::string_view table,
                                    FailureKind kind, std::string_view message) {
  impl_->require_sealed(load_id);
  workdir::note_failure(impl_->layout, load_id, table, kind, message);
}

bool WorkingDirectory::abort_package(std::string_view load_id) {
  PackageStage stage = impl_->stage_of(load_id);
  if (stage != PackageStage::kExtracted) impl_->require_sealed(load_id);
  return workdir::abort_package(impl_->layout, stage, load_id);
}

void WorkingDirectory::wipe() {
  const Layout& layout = impl_->layout;
  // Without the state file dlt takes the rest for nothing, so it goes first.
  os::remove_file(layout.state_file());
  os::remove_file(layout.dlt_trace_file());
  for (const os::Path& directory : {layout.schemas(), layout.normalize(), layout.load()}) {
    os::remove_tree(directory);
  }
  os::sync_directory(layout.root());
  recover(layout);
}

std::optional<state::PipelineState> stored_state(const std::filesystem::path& pipelines_dir,
                                                 std::string_view pipeline_name, Clock& clock,
                                                 Random& random) {
  try {
    return WorkingDirectory::open(pipelines_dir, pipeline_name, WorkingDirectory::Access::kRead,
                                  clock, random)
        ->read_state();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kNotFound) return std::nullopt;
    throw;
  }
}

}  // namespace tidemark::workdir
