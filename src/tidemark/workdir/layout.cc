#include "tidemark/workdir/layout.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace tidemark::workdir {
namespace {

constexpr std::string_view kSchemaSuffix = ".schema.json";

}  // namespace

os::Path Layout::schema_file(std::string_view name) const {
  return schemas() / fmt::format("{}{}", name, kSchemaSuffix);
}

os::Path Layout::manifest_file(std::string_view load_id) const {
  return manifests() / fmt::format("{}.json", load_id);
}

os::Path Layout::stage(PackageStage stage) const {
  switch (stage) {
    case PackageStage::kNew:
      return load() / "new";
    case PackageStage::kExtracted:
      return normalize() / "extracted";
    case PackageStage::kNormalized:
      return load() / "normalized";
    case PackageStage::kLoaded:
      return load() / "loaded";
  }
  return {};
}

os::Path Layout::package(PackageStage stage, std::string_view load_id) const {
  return this->stage(stage) / load_id;
}

std::vector<std::string> Layout::packages(PackageStage stage) const {
  os::Path directory = this->stage(stage);
  std::vector<std::string> names = os::list_directory(directory);
  // dlt's temporary files lie between the packages.
  std::erase_if(names, [&](const std::string& name) {
    return !std::filesystem::is_directory(directory / name);
  });
  return names;
}

std::optional<PackageStage> Layout::find_package(std::string_view load_id) const {
  for (PackageStage stage : {PackageStage::kLoaded, PackageStage::kNormalized,
                             PackageStage::kExtracted, PackageStage::kNew}) {
    if (!load_id.empty() && std::filesystem::is_directory(package(stage, load_id))) return stage;
  }
  return std::nullopt;
}

void Layout::replace(const os::Path& file, std::string_view bytes) const {
  os::replace_file(file, bytes, temp(), random_);
}

void Layout::discard(const os::Path& package) const {
  os::Path away = temp() / random_hex(random_, 8);
  os::rename_directory(package, away);
  os::remove_tree(away);
}

std::vector<std::string> schema_names_in(const os::Path& directory) {
  std::vector<std::string> names;
  for (const std::string& file : os::list_directory(directory)) {
    if (file.ends_with(kSchemaSuffix) && file.size() > kSchemaSuffix.size()) {
      names.push_back(file.substr(0, file.size() - kSchemaSuffix.size()));
    }
  }
  return names;
}

}  // namespace tidemark::workdir
