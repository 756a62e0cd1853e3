#pragma once

#include <filesystem>
#include <string_view>

namespace tidemark::os {

// A library that is loaded when a command needs it, so that the others start without it and what it
// brings along. Never unloaded: it may leave threads or exit handlers behind.
class SharedLibrary {
 public:
  // file is a path, or a name that the loader looks for (`libpq.so.5`). Error kNotFound with the
  // loader's own words.
  explicit SharedLibrary(const std::filesystem::path& file);

  // Of type F, a pointer to a function. nullptr when the library has no symbol of that name.
  template <typename F>
  F find(const char* name) const {
    return reinterpret_cast<F>(find_symbol(name));
  }

 private:
  void* find_symbol(const char* name) const;

  void* handle_;
};

}  // namespace tidemark::os
