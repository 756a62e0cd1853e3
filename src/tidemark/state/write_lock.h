#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tidemark/base/error.h"
#include "tidemark/blob/blob_store.h"
#include "tidemark/state/context.h"

namespace tidemark::state {

// Meltano's `lock` object of an ID.
struct LockObject {
  std::string id;
  std::string text;

  bool operator==(const LockObject&) const = default;
};

struct LockOptions {
  // A lock that stays unchanged for so long, and 2 s more, belongs to nobody.
  std::chrono::milliseconds timeout{10'000};
  // How long to wait for others.
  std::chrono::milliseconds patience{60'000};
  // Whether the store is known to heed conditions: then the first request writes. Else it looks
  // first, and again after it wrote.
  bool is_conditional = true;
};

// Whether a lock's text is one that tidemark writes: seconds with sixteen decimals.
bool is_own_lock(std::string_view text);

// Meltano's lock of an ID, held around one save so that others wait instead of working in vain; no
// save rests on it. Its text is the time as Meltano writes it, six decimals, and ten random digits
// that tell its owner. For one thread.
class WriteLock {
 public:
  // The lock, or the one that somebody else held all the time. Throws what the store throws, also
  // when it takes no write for some seconds.
  static std::variant<std::unique_ptr<WriteLock>, LockObject> acquire(blob::BlobStore& objects,
                                                                      std::string_view id,
                                                                      const LockOptions& options,
                                                                      const Context& context);
  // Releases.
  ~WriteLock();
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

  // Writes a new time after a third of the time-out. Call it between the steps of a save.
  void refresh_if_due();
  // Removes it if it is still ours; what became of a removal whose answer got lost is looked up. A
  // store that fails leaves it to be found dead. One that is gone or another tool's counts as met:
  // whoever writes a lock without looking first does that.
  void release();
  // Whether a lock of another tool stood in the way.
  bool met_foreign() const { return met_foreign_; }
  // Whether the store heeds conditions: writes the lock's own bytes again as if it were absent, and
  // as if it were what it was before, which does no harm where they are not heeded.
  bool probe_conditions();

 private:
  WriteLock(blob::BlobStore& objects, std::string_view id, const LockOptions& options,
            const Context& context);

  class Waiter;
  bool try_take(const blob::Condition& condition);
  std::optional<blob::Version> read_back();
  void hold(const blob::Version& version);
  std::optional<bool> try_remove(const blob::Version& version);
  void note_refusal(const Error& error);
  bool heeds_if_absent();
  bool heeds_if_match();
  std::optional<blob::Version> write_again(const blob::Condition& condition);

  blob::BlobStore& objects_;
  std::string key_;
  LockOptions options_;
  Context context_;
  std::string token_;
  blob::Version version_;
  std::chrono::steady_clock::time_point written_at_;
  // Of the first write in a row that was not taken, and why the last one was not.
  std::chrono::steady_clock::time_point refused_since_;
  std::optional<Error> refusal_;
  bool is_held_ = false;
  bool met_foreign_ = false;
};

}  // namespace tidemark::state
