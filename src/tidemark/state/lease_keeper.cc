#include <algorithm>
#include <optional>
#include <utility>

#include "tidemark/base/error.h"
#include "tidemark/state/lease.h"

namespace tidemark::state {
namespace {

// After a renewal that failed, as a part of the pause after one that succeeded.
constexpr int kRetries = 10;
constexpr std::chrono::milliseconds kWatch{200};

// Whether it succeeded. What the store says against it is said by the save that follows.
bool try_renew(Lease& lease) {
  try {
    return lease.renew();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

LeaseKeeper::LeaseKeeper(Lease& lease, std::chrono::milliseconds pause, std::function<void()> lost)
    : renewal_(pause,
               [&lease, pause]() -> std::optional<std::chrono::milliseconds> {
                 if (try_renew(lease)) return pause;
                 if (lease.is_lost()) return std::nullopt;
                 return pause / kRetries;
               }),
      watch_(std::min(pause, kWatch),
             [&lease, pause, lost = std::move(lost)]() -> std::optional<std::chrono::milliseconds> {
               if (lease.may_save()) return std::min(pause, kWatch);
               lost();
               return std::nullopt;
             }) {}

}  // namespace tidemark::state
