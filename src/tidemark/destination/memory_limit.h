#pragma once

#include <mutex>
#include <string>

namespace tidemark::destination {

// How much memory DuckDB may use while it loads. DuckDB keeps what it has written in memory until
// its limit is reached, so the limit decides how much a load takes, whatever is loaded. What it
// needs is known by nobody: it grows with the threads and with the width of the rows. Thread-safe.
class MemoryLimit {
 public:
  // As DuckDB spells it, "2GB"; such a limit stays. Empty: enough for rows of a few kilobytes, and
  // more when that was too little. threads: 0 = one a core.
  MemoryLimit(std::string given, int threads);

  // For DuckDB's `memory_limit`; empty = DuckDB's own limit, 80 % of the machine.
  std::string value() const;
  // After DuckDB ran out of memory: whether it may use more now.
  bool grow();

 private:
  const std::string given_;
  const size_t base_mb_;
  mutable std::mutex mutex_;
  size_t factor_ = 1;  // 0 = without a limit of ours
};

}  // namespace tidemark::destination
