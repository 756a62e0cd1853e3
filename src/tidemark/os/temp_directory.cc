#include "tidemark/os/temp_directory.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "tidemark/os/process.h"

namespace tidemark::os {

TempDirectory::TempDirectory() : TempDirectory(temp_directory(Environment::of_process())) {}

TempDirectory::TempDirectory(const Path& parent) {
  std::string name = (parent / "tidemark-XXXXXX").native();
  if (::mkdtemp(name.data()) == nullptr) throw file_error(errno, "create a directory in", parent);
  path_ = name;
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tidemark::os
