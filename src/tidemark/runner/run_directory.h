#pragma once

#include <memory>
#include <string_view>

#include "tidemark/base/clock.h"
#include "tidemark/base/random.h"
#include "tidemark/os/files.h"
#include "tidemark/os/lock_file.h"

namespace tidemark::runner {

// A folder for the files that one run hands to its plugins, secrets among them: for their owner
// only, of no other run, and gone when the run is.
class RunDirectory {
 public:
  // Made in <system directory>/run/tidemark, where those are removed that killed runs left.
  static std::unique_ptr<RunDirectory> make(const os::Path& system_directory, Clock& clock,
                                            Random& random);
  // What cannot be removed stays until the next run.
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  // A new folder in it.
  os::Path make_folder(std::string_view name) const;

 private:
  explicit RunDirectory(os::Path path);

  os::Path path_;
  // Tells a folder in use from one that was left.
  std::unique_ptr<os::LockFile> lock_;
};

}  // namespace tidemark::runner
