#include "tidemark/os/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::os {

SharedLibrary::SharedLibrary(const std::filesystem::path& file)
    : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) {
    // The loader names the file itself.
    throw Error(ErrorCode::kNotFound, fmt::format("cannot load a library: {}", dlerror()));
  }
}

void* SharedLibrary::find_symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace tidemark::os
