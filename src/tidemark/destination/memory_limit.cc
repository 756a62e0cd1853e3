#include "tidemark/destination/memory_limit.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace tidemark::destination {
namespace {

// A thread fills a row group and compresses it: measured with rows of 900 bytes.
constexpr size_t kMegabytesPerThread = 56;
constexpr size_t kGrowth = 4;

size_t count_threads(int threads) {
  return threads > 0 ? static_cast<size_t>(threads)
                     : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

MemoryLimit::MemoryLimit(std::string given, int threads)
    : given_(std::move(given)), base_mb_(kMegabytesPerThread * count_threads(threads)) {}

std::string MemoryLimit::value() const {
  if (!given_.empty()) return given_;
  const std::lock_guard lock(mutex_);
  return factor_ == 0 ? "" : fmt::format("{}MB", base_mb_ * factor_);
}

bool MemoryLimit::grow() {
  const std::lock_guard lock(mutex_);
  if (!given_.empty() || factor_ == 0) return false;
  factor_ = factor_ == 1 ? kGrowth : 0;
  return true;
}

}  // namespace tidemark::destination
