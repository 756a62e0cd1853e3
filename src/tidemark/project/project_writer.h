#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/random.h"
#include "tidemark/base/sleeper.h"
#include "tidemark/os/files.h"
#include "tidemark/os/record_lock.h"
#include "tidemark/project/project.h"

namespace tidemark::project {

// Changes files of a project, one writer at a time: it holds the lock that Meltano takes for this,
// `<system directory>/run/meltano.yml.lock`, as long as it lives.
class ProjectWriter {
 public:
  // Error kUnsupported when the setting `project_readonly` is true, kLocked when somebody else has
  // the lock for half a minute.
  ProjectWriter(const Project& project, Random& random, Sleeper& sleeper,
                const Cancellation& cancellation);

  // Replaces the file's text as a whole by what `change` makes of it; durable when it returns.
  // Whether there was anything to change. A missing file is empty and becomes one that only its
  // owner may read. Links stay.
  bool change(const os::Path& file, const std::function<std::string(const std::string&)>& change);

 private:
  Random& random_;
  std::unique_ptr<os::RecordLock> lock_;
};

}  // namespace tidemark::project
