#include "tidemark/base/cancellation.h"

#include <cstring>

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark {
namespace {

int64_t steady_nanos(std::chrono::nanoseconds later = {}) {
  return (std::chrono::steady_clock::now().time_since_epoch() + later).count();
}

}  // namespace

bool Cancellation::is_cancelled() const noexcept {
  if (!is_cancelled_.load(std::memory_order_acquire)) return false;
  return reprieves_.load() == 0 || steady_nanos() >= reprieved_until_.load();
}

void Cancellation::throw_if_cancelled() const {
  if (!is_cancelled()) return;
  const char* name = signal() == 0 ? nullptr : sigabbrev_np(signal());
  throw Error(ErrorCode::kCancelled,
              name == nullptr ? std::string("cancelled") : fmt::format("stopped by SIG{}", name));
}

Reprieve::Reprieve(const Cancellation& cancellation, std::chrono::milliseconds limit)
    : cancellation_(cancellation) {
  const int64_t until = steady_nanos(limit);
  int64_t earlier = cancellation_.reprieved_until_.load();
  while (earlier < until && !cancellation_.reprieved_until_.compare_exchange_weak(earlier, until)) {
  }
  ++cancellation_.reprieves_;
}

Reprieve::~Reprieve() { --cancellation_.reprieves_; }

}  // namespace tidemark
