#pragma once

#include "tidemark/os/files.h"

namespace tidemark::os {

// A fresh directory that goes with everything in it when this goes. For tests and scratch files.
class TempDirectory {
 public:
  // Made in the directory $TMPDIR, else /tmp.
  TempDirectory();
  explicit TempDirectory(const Path& parent);
  // A failure to remove is ignored.
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  const Path& path() const { return path_; }
  Path operator/(const Path& name) const { return path_ / name; }

 private:
  Path path_;
};

}  // namespace tidemark::os
