#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/random.h"
#include "tidemark/os/files.h"
#include "tidemark/workdir/package.h"

namespace tidemark::workdir {

// Where things lie in a working directory (docs/formats/package.md), and how they are put there.
// Temporary files are made in `.tidemark/tmp` only: dlt takes every file in schemas/ for a schema
// and never cleans up elsewhere.
class Layout {
 public:
  Layout(os::Path root, Random& random) : root_(std::move(root)), random_(random) {}

  const os::Path& root() const { return root_; }
  os::Path own() const { return root_ / ".tidemark"; }
  os::Path temp() const { return own() / "tmp"; }
  os::Path lock_file() const { return own() / "lock"; }
  os::Path trace_file() const { return own() / "trace.json"; }
  os::Path dlt_trace_file() const { return root_ / "trace.pickle"; }
  os::Path state_file() const { return root_ / "state.json"; }
  os::Path schemas() const { return root_ / "schemas"; }
  os::Path schema_file(std::string_view name) const;
  os::Path load() const { return root_ / "load"; }
  os::Path normalize() const { return root_ / "normalize"; }
  os::Path manifests() const { return own() / "packages"; }
  os::Path manifest_file(std::string_view load_id) const;
  os::Path stage(PackageStage stage) const;
  os::Path package(PackageStage stage, std::string_view load_id) const;

  // Load ids in order.
  std::vector<std::string> packages(PackageStage stage) const;
  // Nothing when there is no such package. One that is in two stages (a crash of dlt) counts for
  // the later one, which is whole.
  std::optional<PackageStage> find_package(std::string_view load_id) const;

  // Atomic and durable.
  void replace(const os::Path& file, std::string_view bytes) const;
  // In one step, so that no half of a package is ever seen, then from the disk.
  void discard(const os::Path& package) const;

 private:
  os::Path root_;
  Random& random_;
};

// The names of the schema files in a directory, without what is no schema file.
std::vector<std::string> schema_names_in(const os::Path& directory);

}  // namespace tidemark::workdir
