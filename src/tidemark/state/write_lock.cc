#include "tidemark/state/write_lock.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/put_once.h"
#include "tidemark/state/blob_state_store.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;

constexpr auto kDeadMargin = 2s;
constexpr auto kFirstPoll = 10ms;
constexpr auto kLastPoll = 100ms;
constexpr auto kReadBackAfter = 100ms;
// So long a store may refuse to write the lock: one write a second is what some allow for an
// object.
constexpr auto kRefusalsFor = 3s;
// For a release, also of a command that is being stopped.
constexpr auto kReleaseFor = 3s;
constexpr int kRemovals = 2;
constexpr int kProbes = 3;
constexpr size_t kOwnDecimals = 16;

std::string make_token(const Context& context) {
  const int64_t micros = context.clock.now().time_since_epoch().count();
  uint64_t tail = 0;
  std::array<uint8_t, sizeof tail> bytes{};
  context.random.fill(bytes);
  std::memcpy(&tail, bytes.data(), sizeof tail);
  return fmt::format("{}.{:06}{:010}", micros / 1'000'000, micros % 1'000'000,
                     tail % 10'000'000'000);
}

}  // namespace

bool is_own_lock(std::string_view text) {
  const size_t point = text.find('.');
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return point != std::string_view::npos && point > 0 && text.size() - point - 1 == kOwnDecimals &&
         std::ranges::all_of(text.substr(0, point), is_digit) &&
         std::ranges::all_of(text.substr(point + 1), is_digit);
}

// Watches a lock that somebody else holds.
class WriteLock::Waiter {
 public:
  explicit Waiter(const WriteLock& lock)
      : lock_(lock), deadline_(now() + lock.options_.patience), unchanged_since_(now()) {}

  void see(const std::optional<blob::Blob>& blob) {
    if (blob && seen_ && blob->version == seen_->version) return;
    seen_ = blob;
    unchanged_since_ = now();
  }
  // By our own clock alone: nobody's time is compared with it.
  bool is_dead() const {
    return seen_ && now() - unchanged_since_ > lock_.options_.timeout + kDeadMargin;
  }
  bool is_over() const { return now() >= deadline_; }
  void sleep() {
    lock_.context_.sleeper.sleep(poll_, lock_.context_.cancellation);
    poll_ = std::min(poll_ * 2, std::chrono::milliseconds(kLastPoll));
  }
  const std::optional<blob::Blob>& seen() const { return seen_; }

 private:
  std::chrono::steady_clock::time_point now() const { return lock_.context_.clock.steady_now(); }

  const WriteLock& lock_;
  std::chrono::steady_clock::time_point deadline_;
  std::optional<blob::Blob> seen_;
  std::chrono::steady_clock::time_point unchanged_since_;
  std::chrono::milliseconds poll_ = kFirstPoll;
};

WriteLock::WriteLock(blob::BlobStore& objects, std::string_view id, const LockOptions& options,
                     const Context& context)
    : objects_(objects),
      key_(lock_key(id)),
      options_(options),
      context_(context),
      token_(make_token(context)) {}

WriteLock::~WriteLock() { release(); }

std::variant<std::unique_ptr<WriteLock>, LockObject> WriteLock::acquire(blob::BlobStore& objects,
                                                                        std::string_view id,
                                                                        const LockOptions& options,
                                                                        const Context& context) {
  std::unique_ptr<WriteLock> lock(new WriteLock(objects, id, options, context));
  if (options.is_conditional && lock->try_take(blob::IfAbsent())) return lock;
  Waiter waiter(*lock);
  while (true) {
    waiter.see(objects.get(lock->key_));
    const auto& seen = waiter.seen();
    if (!seen) {
      if (lock->try_take(blob::IfAbsent())) return lock;
    } else if (seen->bytes == lock->token_) {
      // A write that was given up for lost.
      lock->hold(seen->version);
      return lock;
    } else {
      lock->met_foreign_ |= !is_own_lock(seen->bytes);
      if (waiter.is_dead() && lock->try_take(blob::IfMatch{seen->version})) return lock;
    }
    if (waiter.is_over()) return LockObject{std::string(id), seen ? seen->bytes : std::string()};
    waiter.sleep();
  }
}

bool WriteLock::try_take(const blob::Condition& condition) {
  written_at_ = context_.clock.steady_now();
  try {
    auto version = blob::put_once(objects_, key_, token_, condition);
    if (version && !options_.is_conditional) version = read_back();
    if (!version) return false;
    hold(*version);
    return true;
  } catch (const Error& error) {
    if (!blob::is_unanswered(error)) throw;
    note_refusal(error);
    return false;
  }
}

// Where conditions may be ignored, another writer's token can have replaced ours.
std::optional<blob::Version> WriteLock::read_back() {
  context_.sleeper.sleep(kReadBackAfter, context_.cancellation);
  const auto blob = objects_.get(key_);
  return blob && blob->bytes == token_ ? std::optional(blob->version) : std::nullopt;
}

void WriteLock::hold(const blob::Version& version) {
  version_ = version;
  is_held_ = true;
}

// The lock is free, and still it cannot be written: a full disk, a service that throttles.
void WriteLock::note_refusal(const Error& error) {
  const auto now = context_.clock.steady_now();
  if (!refusal_) refused_since_ = now;
  refusal_ = error;
  if (now - refused_since_ > kRefusalsFor) throw Error(*refusal_);
}

void WriteLock::refresh_if_due() {
  if (!is_held_ || context_.clock.steady_now() - written_at_ < options_.timeout / 3) return;
  std::string earlier = std::exchange(token_, make_token(context_));
  written_at_ = context_.clock.steady_now();
  try {
    if (const auto version = blob::put_once(objects_, key_, token_, blob::IfMatch{version_})) {
      version_ = *version;
    }
  } catch (const Error& error) {
    // The next call tries again.
    token_ = std::move(earlier);
    if (!blob::is_unanswered(error)) throw;
  }
}

void WriteLock::release() {
  if (!std::exchange(is_held_, false)) return;
  const Reprieve reprieve(context_.cancellation, kReleaseFor);
  try {
    bool is_unanswered = false;
    for (int tries = 0; tries < kRemovals; ++tries) {
      const auto blob = objects_.get(key_);
      if (!blob || blob->bytes != token_) {
        met_foreign_ |= blob ? !is_own_lock(blob->bytes) : !is_unanswered;
        return;
      }
      const auto removed = try_remove(blob->version);
      if (removed == true) return;
      is_unanswered |= !removed;
    }
  } catch (const Error&) {
    // Nothing rests on it: whoever comes next finds it unchanged and takes it over.
  }
}

// Nothing: nobody knows whether it took effect.
std::optional<bool> WriteLock::try_remove(const blob::Version& version) {
  try {
    return objects_.remove(key_, blob::IfMatch{version});
  } catch (const Error& error) {
    if (!blob::is_unanswered(error)) throw;
    return std::nullopt;
  }
}

bool WriteLock::probe_conditions() { return heeds_if_absent() && heeds_if_match(); }

bool WriteLock::heeds_if_absent() {
  for (int tries = 0; tries < kProbes; ++tries) {
    const auto version = write_again(blob::IfAbsent());
    if (!version) return true;
    version_ = *version;
    // Or Meltano has just removed our lock: it is there again.
    met_foreign_ = true;
  }
  return false;
}

// By a version that was there a moment ago: no service takes it for malformed.
bool WriteLock::heeds_if_match() {
  const blob::IfMatch stale{version_};
  token_ = make_token(context_);
  written_at_ = context_.clock.steady_now();
  const auto renewed = write_again(stale);
  if (!renewed) {
    // Refused already: the lock changed hands, or a try whose answer got lost has renewed it.
    const auto found = objects_.get(key_);
    if (found && found->bytes == token_) version_ = found->version;
    return true;
  }
  version_ = *renewed;
  const auto ignored = write_again(stale);
  if (ignored) version_ = *ignored;
  return !ignored;
}

// A try without an answer says nothing about the store, and another does no harm.
std::optional<blob::Version> WriteLock::write_again(const blob::Condition& condition) {
  for (int tries = 1;; ++tries) {
    try {
      return objects_.put(key_, token_, condition);
    } catch (const Error& error) {
      if (!blob::is_unanswered(error) || tries == kProbes) throw;
      context_.sleeper.sleep(kReadBackAfter, context_.cancellation);
    }
  }
}

}  // namespace tidemark::state
