#include "tidemark/runner/relay.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "tidemark/base/error.h"
#include "tidemark/os/child.h"

namespace tidemark::runner {
namespace {

constexpr std::chrono::milliseconds kTick{100};
constexpr size_t kBytesAtOnce = size_t{64} << 10;

}  // namespace

Relay::Relay(os::FileDescriptor from, os::FileDescriptor to, Look look)
    : look_(std::move(look)),
      thread_(
          [this, from = std::move(from), to = os::PipeWriter(std::move(to))] { run(from, to); }) {}

Relay::~Relay() {
  is_over_ = true;
  thread_.join();
}

void Relay::run(const os::FileDescriptor& from, const os::PipeWriter& to) const {
  try {
    while (!is_over_) {
      if (!os::wait_readable({from.get()}, kTick).front()) continue;
      const std::string bytes = os::read_some(from, kBytesAtOnce);
      if (bytes.empty()) return;
      look_(bytes);
      if (!pass_on(to, bytes)) return;
    }
  } catch (const Error&) {
    // Both ends close: either plugin finds that the other one has gone.
  }
}

// False when nobody reads any more.
bool Relay::pass_on(const os::PipeWriter& to, std::string_view bytes) const {
  while (!bytes.empty() && !is_over_) {
    const std::optional<size_t> written = to.write(bytes, kTick);
    if (!written) return false;
    bytes.remove_prefix(*written);
  }
  return !is_over_;
}

}  // namespace tidemark::runner
