#include "tidemark/workdir/new_package.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/write.h"
#include "tidemark/workdir/package_files.h"

namespace tidemark::workdir {
namespace {

void make_folder(const os::Path& folder) {
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  if (fault) throw os::file_error(fault.value(), "create directory", folder);
}

json::Array as_values(const std::vector<json::Object>& objects) {
  return json::Array(objects.begin(), objects.end());
}

json::Object package_state(std::string_view load_id, const PackageContent& content) {
  json::Object state = make_package_state(load_id);
  if (content.refresh) state.set("refresh", *content.refresh);
  if (!content.dropped_tables.empty()) {
    state.set("dropped_tables", as_values(content.dropped_tables));
  }
  if (!content.truncated_tables.empty()) {
    state.set("truncated_tables", as_values(content.truncated_tables));
  }
  if (content.pipeline_state) state.set("pipeline_state", *content.pipeline_state);
  bump_package_state(state);
  return state;
}

}  // namespace

NewPackage::Impl::Impl(const Layout& layout_in, std::string_view id)
    : layout(layout_in),
      load_id(id),
      path(layout.package(PackageStage::kNew, id)),
      job_directory(path / to_string(info::JobState::kNew)) {
  os::make_directories(layout.stage(PackageStage::kNew));
  // Their names become durable with the seal, not one by one.
  for (info::JobState state : info::kJobStates) make_folder(path / to_string(state));
  // Without this folder the first job that fails under dlt never ends.
  make_folder(path / kExceptionsFolder);
  make_folder(path / kTransitionsFolder);
}

void NewPackage::Impl::check_parts(const PackageContent& content) const {
  for (const PartSummary& part : content.parts) {
    std::error_code fault;
    auto size = std::filesystem::file_size(job_directory / part.file_name, fault);
    if (fault || size != part.bytes) {
      throw Error(ErrorCode::kInternal,
                  fmt::format("part {} of package {} is not there with its {} bytes",
                              part.file_name, load_id, part.bytes));
    }
  }
}

void NewPackage::Impl::write_documents(const PackageContent& content) const {
  os::write_new_file(path / kSchemaFile, json::write(content.schema.document()));
  os::write_new_file(path / kSchemaUpdatesFile, json::write(content.schema_updates));
  os::write_new_file(path / kStateFile, json::write(package_state(load_id, content)));
}

void NewPackage::Impl::write_restore_point() const {
  os::Path restore = path / kRestoreFolder;
  make_folder(restore);
  std::string state_text = os::read_file(layout.state_file());
  os::write_new_file(restore / "state.json", state_text);
  for (const std::string& name : state::PipelineState::read(state_text).schema_names()) {
    os::Path file = layout.schema_file(name);
    std::optional<std::string> schema = os::read_file_if_exists(file);
    if (!schema) continue;
    make_folder(restore / "schemas");
    os::write_new_file(restore / "schemas" / file.filename(), *schema);
  }
}

void NewPackage::Impl::sync_folders() const {
  os::sync_directory(job_directory);
  os::sync_directory(path / kRestoreFolder);
  if (os::path_exists(path / kRestoreFolder / "schemas")) {
    os::sync_directory(path / kRestoreFolder / "schemas");
  }
  os::sync_directory(path);
}

NewPackage::NewPackage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

NewPackage::~NewPackage() {
  if (impl_->is_sealed) return;
  try {
    os::remove_tree(impl_->path);
  } catch (const Error&) {
    // The next start removes it.
  }
}

const std::string& NewPackage::load_id() const { return impl_->load_id; }

const std::filesystem::path& NewPackage::job_directory() const { return impl_->job_directory; }

void NewPackage::seal(const PackageContent& content) {
  impl_->check_parts(content);
  impl_->write_documents(content);
  impl_->write_restore_point();
  impl_->sync_folders();
  // Before the rename: a sealed package without its manifest could not be loaded.
  write_manifest(impl_->layout, impl_->load_id,
                 {content.parts, content.losses, content.replaced_tables, content.state});
  os::make_directories(impl_->layout.stage(PackageStage::kNormalized));
  // dlt takes it for granted when it has loaded the package.
  os::make_directories(impl_->layout.stage(PackageStage::kLoaded));
  os::rename_directory(impl_->path,
                       impl_->layout.package(PackageStage::kNormalized, impl_->load_id));
  impl_->is_sealed = true;
}

}  // namespace tidemark::workdir
