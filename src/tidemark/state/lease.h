#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/blob/blob_store.h"
#include "tidemark/os/processes.h"
#include "tidemark/state/context.h"
#include "tidemark/state/history.h"
#include "tidemark/state/periodic.h"

namespace tidemark::state {

// What `.tidemark/<id>/lease.json` says: who works on an ID.
struct LeaseRecord {
  Author author = {};
  os::ProcessIdentity process = {};
  // Started by the holder, to be gone before anybody else begins.
  std::vector<os::ChildProcess> children = {};
  Time since{};  // both by the clock of the store
  Time expires{};
  // Counts up with each holder of the ID.
  int64_t fence = 0;
  // New at each write, so that no two records are alike.
  std::string nonce = {};
  bool is_released = false;

  bool operator==(const LeaseRecord&) const = default;
};

// Error kCorrupt when the text is no record.
LeaseRecord read_lease(std::string_view text);
// Of a released record only what the next holder needs, with blanks up to kReleasedSize, which
// nothing else has: so a listing with sizes tells it from what is held and from what is no record.
std::string write_lease(const LeaseRecord& record);
inline constexpr size_t kReleasedSize = 160;

struct HeldLease {
  std::string id = {};
  LeaseRecord record = {};
  // Its time is over by the store's clock, or its process ran here and is gone: whoever wants it
  // may take it.
  bool is_dead = false;
  // What is stored is no record; the one above is empty. It counts as held.
  bool is_unreadable = false;

  bool operator==(const HeldLease&) const = default;
};

// Who it is, for messages: `ada@laptop (pid 12, run tap-x target-y, run 0192…) since 2026-11-30
// 12:00:00+0000`, and whether he is gone; or that the record does not say.
std::string describe(const HeldLease& lease);

inline constexpr std::chrono::seconds kLeaseTime{60};
inline constexpr std::chrono::seconds kLeaseRenewal{20};
// Before its end the holder saves nothing more, and beyond it a taker still waits.
inline constexpr std::chrono::seconds kLeaseMargin{10};
inline constexpr std::chrono::seconds kLeaseGrace{5};

struct LeaseRequest {
  std::vector<std::string> ids = {};
  Author author = {};
  // How long to wait for others to end; zero answers at once.
  std::chrono::milliseconds patience{0};
  // Takes it away from a holder that is alive.
  bool is_forced = false;
};

// The right to work on some IDs, so that two runs do not do the same work. No save rests on it
// alone: each compares revisions too. Thread-safe.
class Lease {
 public:
  // All IDs, taken in byte order, or none and one that somebody holds. A dead holder's is taken
  // over: when it expired by the store's clock, when its record stood still for longer than it
  // could live, or at once when its process ran here and is gone. A record that cannot be read is
  // kept aside when it is taken over. Error kUnauthorized names the key that may not be written.
  static std::variant<std::unique_ptr<Lease>, HeldLease> acquire(blob::BlobStore& objects,
                                                                 const LeaseRequest& request,
                                                                 const Context& context);
  // Releases what is still held; what cannot be released expires.
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  // Extends all to now + kLeaseTime. False: somebody has taken one over, is_lost() from now on, and
  // nothing may be written any more. A store that does not answer is an Error: try again until
  // may_save() says no.
  bool renew();
  bool is_lost() const;
  // Whether a save may begin: neither lost nor within kLeaseMargin of its end by our own clock,
  // that of the machine, which counts on while the process is stopped.
  bool may_save() const;
  // The runs whose records this lease took the place of: they have ended, orderly or not.
  std::vector<std::string> earlier_runs() const;
  // What somebody else put in the place of ours.
  std::optional<HeldLease> taker() const;
  // Recorded at the next renewal.
  void set_children(std::vector<os::ChildProcess> children);
  // By replacing each record with a released one. Nothing is written that is not ours.
  void release();

 private:
  struct Held {
    std::string id;
    blob::Version version;
    LeaseRecord record;
    std::string earlier_run;
  };

  Lease(blob::BlobStore& objects, Author author, const Context& context);
  std::optional<HeldLease> take(std::string_view id, const LeaseRequest& request);
  void end_children(const LeaseRecord& last);
  bool take_over(const HeldLease& last, const std::optional<blob::Blob>& found);
  LeaseRecord next_record(const LeaseRecord& last);
  bool replace(Held& held, const LeaseRecord& record);
  bool adopt(Held& held, const std::optional<blob::Blob>& found);

  blob::BlobStore& objects_;
  Author author_;
  Context context_;
  os::ProcessIdentity self_;
  // Requests go out one after the other; what is below is looked at meanwhile.
  std::mutex requests_;
  std::vector<Held> held_;
  mutable std::mutex mutex_;
  std::vector<os::ChildProcess> children_;
  std::optional<HeldLease> taker_;
  std::chrono::microseconds valid_until_{};  // by Clock::boot_now()
};

// Renews a lease in threads of its own until it is destroyed.
class LeaseKeeper {
 public:
  // Every `pause`, which is kLeaseRenewal. lost is called once, from one of the threads, as soon as
  // nothing may be saved any more: somebody took the lease over (is_lost()), or the store did not
  // answer until then, also when a request to it still hangs.
  LeaseKeeper(Lease& lease, std::chrono::milliseconds pause, std::function<void()> lost);

 private:
  Periodic renewal_;
  // Apart, so that a request that hangs delays nobody's end.
  Periodic watch_;
};

// The lease of an ID; nothing when it was never taken or was released. For who is about to write:
// whether it is dead is by the store's time.
std::optional<HeldLease> find_lease(blob::BlobStore& objects, std::string_view id,
                                    const Context& context);
// The same for who only looks: by time_to_show().
std::optional<HeldLease> show_lease(blob::BlobStore& objects, std::string_view id,
                                    const Context& context);
// All leases that are not released, by ID, as show_lease() has them, and what is no record: one
// read for each of them where a listing tells sizes, else one for each ID.
std::vector<HeldLease> list_leases(blob::BlobStore& objects, const Context& context);

}  // namespace tidemark::state
