#pragma once

#include <memory>
#include <string>

#include "tidemark/workdir/layout.h"
#include "tidemark/workdir/package.h"

namespace tidemark::workdir {

struct NewPackage::Impl {
  // Makes the package's folders.
  Impl(const Layout& layout, std::string_view load_id);

  void check_parts(const PackageContent& content) const;
  void write_documents(const PackageContent& content) const;
  void write_restore_point() const;
  void sync_folders() const;

  const Layout& layout;
  std::string load_id;
  os::Path path;
  os::Path job_directory;
  bool is_sealed = false;
};

}  // namespace tidemark::workdir
