#pragma once

#include <cstdint>
#include <string_view>

namespace tidemark::extract {

// Told what is going on, from the threads that do it: implementations are thread-safe and quick.
class ProgressListener {
 public:
  virtual ~ProgressListener() = default;

  // A step begins: "sync", "extract", "load".
  virtual void step(std::string_view name) = 0;
  // Totals of a resource so far.
  virtual void extracted(std::string_view resource, uint64_t pages, uint64_t rows,
                         uint64_t bytes) = 0;
  // Rows of a table that the destination has taken.
  virtual void loaded(std::string_view table, uint64_t rows) = 0;
  // One line for people: a retry, a page left out.
  virtual void warning(std::string_view message) = 0;
};

}  // namespace tidemark::extract
