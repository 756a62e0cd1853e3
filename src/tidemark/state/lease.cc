#include "tidemark/state/lease.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/base/random.h"
#include "tidemark/blob/put_once.h"
#include "tidemark/state/blob_state_store.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kFile = "lease.json";
constexpr auto kPoll = 500ms;
// How long a record stands still before it is dead whatever its times say: by our own clock alone.
constexpr auto kStandstill = kLeaseTime + 10s;

LeaseRecord read_named(const blob::BlobStore& objects, std::string_view id,
                       const blob::Blob& blob) {
  try {
    return read_lease(blob.bytes);
  } catch (Error& error) {
    error.add_context(fmt::format("{} in {}", record_key(id, kFile), objects.describe()));
    throw;
  }
}

// Whether the process ran on this machine, where its pid means something, and is gone.
bool is_process_gone(const LeaseRecord& record, os::Processes& processes) {
  const os::ProcessIdentity self = processes.self();
  const os::ProcessIdentity& other = record.process;
  return !self.boot_id.empty() && self.pid_namespace != 0 && other.boot_id == self.boot_id &&
         other.pid_namespace == self.pid_namespace &&
         processes.has_ended(other.pid, other.start_ticks);
}

bool is_dead(blob::BlobStore& objects, const LeaseRecord& record, const Context& context) {
  return is_process_gone(record, context.processes) ||
         objects.store_time() > record.expires + kLeaseGrace;
}

// Sees whether a record changes while somebody waits for it.
class Standstill {
 public:
  explicit Standstill(Clock& clock) : clock_(clock), since_(clock.steady_now()) {}

  bool is_long(const LeaseRecord& record) {
    if (std::exchange(nonce_, record.nonce) != record.nonce) since_ = clock_.steady_now();
    return clock_.steady_now() - since_ > kStandstill;
  }

 private:
  Clock& clock_;
  std::string nonce_;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace

Lease::Lease(blob::BlobStore& objects, Author author, const Context& context)
    : objects_(objects),
      author_(std::move(author)),
      context_(context),
      self_(context.processes.self()) {}

Lease::~Lease() { release(); }

std::variant<std::unique_ptr<Lease>, HeldLease> Lease::acquire(blob::BlobStore& objects,
                                                               const LeaseRequest& request,
                                                               const Context& context) {
  std::vector<std::string> ids = request.ids;
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  std::unique_ptr<Lease> lease(new Lease(objects, request.author, context));
  lease->valid_until_ = context.clock.boot_now() + kLeaseTime;
  for (const std::string& id : ids) {
    if (auto holder = lease->take(id, request)) return *std::move(holder);
  }
  // Others were waited for: what was taken first may be close to its end.
  if (!lease->may_save()) lease->renew();
  if (auto taker = lease->taker()) return *std::move(taker);
  return lease;
}

// Who holds it, or nothing when it is ours now.
std::optional<HeldLease> Lease::take(std::string_view id, const LeaseRequest& request) {
  const auto deadline = context_.clock.steady_now() + request.patience;
  Standstill standstill(context_.clock);
  while (true) {
    context_.cancellation.throw_if_cancelled();
    const auto found = objects_.get(record_key(id, kFile));
    LeaseRecord last;
    if (found) {
      last = read_named(objects_, id, *found);
      const bool is_long = standstill.is_long(last);
      if (!last.is_released && !request.is_forced && !is_long &&
          !is_dead(objects_, last, context_)) {
        if (context_.clock.steady_now() >= deadline) {
          return HeldLease{.id = std::string(id), .record = std::move(last), .is_dead = false};
        }
        context_.sleeper.sleep(kPoll, context_.cancellation);
        continue;
      }
      end_children(last);
    }
    if (take_over(id, last, found)) return std::nullopt;
  }
}

// What a run that was killed here left behind would go on loading.
void Lease::end_children(const LeaseRecord& last) {
  if (last.is_released || !is_process_gone(last, context_.processes)) return;
  for (const os::ChildProcess& child : last.children) context_.processes.kill(child);
}

// False when somebody else was first.
bool Lease::take_over(std::string_view id, const LeaseRecord& last,
                      const std::optional<blob::Blob>& found) {
  Held held{.id = std::string(id), .version = {}, .record = next_record({})};
  held.record.fence = last.fence + 1;
  held.record.since = held.record.expires - kLeaseTime;
  const std::string key = record_key(id, kFile);
  const std::string bytes = write_lease(held.record);
  blob::Condition condition = blob::IfAbsent();
  if (found) condition = blob::IfMatch{found->version};
  const auto version = blob::put_once(objects_, key, bytes, condition);
  if (!version) return false;
  held.version = *version;
  held_.push_back(std::move(held));
  return true;
}

LeaseRecord Lease::next_record(const LeaseRecord& last) {
  LeaseRecord record = last;
  record.author = author_;
  record.process = self_;
  record.expires = objects_.store_time() + kLeaseTime;
  record.nonce = random_hex(context_.random, 8);
  const std::lock_guard guard(mutex_);
  record.children = children_;
  return record;
}

// Whether what is stored is of this lease: a renewal whose answer got lost.
bool Lease::adopt(Held& held, const std::optional<blob::Blob>& found) {
  if (!found) return false;
  const LeaseRecord record = read_named(objects_, held.id, *found);
  if (record.process == self_ && record.fence == held.record.fence && !record.is_released) {
    held.version = found->version;
    return true;
  }
  const std::lock_guard guard(mutex_);
  taker_ = HeldLease{.id = held.id, .record = record, .is_dead = false};
  return false;
}

// False when it is not ours any more.
bool Lease::replace(Held& held, const LeaseRecord& record) {
  const std::string key = record_key(held.id, kFile);
  for (bool is_first = true;; is_first = false) {
    if (const auto version = objects_.put(key, write_lease(record), blob::IfMatch{held.version})) {
      held.version = *version;
      held.record = record;
      return true;
    }
    const auto found = objects_.get(key);
    if (is_first && adopt(held, found)) continue;
    const std::lock_guard guard(mutex_);
    if (!taker_) taker_ = HeldLease{.id = held.id, .record = {}, .is_dead = true};
    return false;
  }
}

bool Lease::renew() {
  const std::lock_guard one_at_a_time(requests_);
  if (is_lost() || held_.empty()) return false;
  const auto sent = context_.clock.boot_now();
  for (Held& held : held_) {
    if (!replace(held, next_record(held.record))) return false;
  }
  const std::lock_guard guard(mutex_);
  valid_until_ = sent + kLeaseTime;
  return true;
}

bool Lease::is_lost() const {
  const std::lock_guard guard(mutex_);
  return taker_.has_value();
}

bool Lease::may_save() const {
  const std::lock_guard guard(mutex_);
  return !taker_ && context_.clock.boot_now() < valid_until_ - kLeaseMargin;
}

std::optional<HeldLease> Lease::taker() const {
  const std::lock_guard guard(mutex_);
  return taker_;
}

void Lease::set_children(std::vector<os::ChildProcess> children) {
  const std::lock_guard guard(mutex_);
  children_ = std::move(children);
}

void Lease::release() {
  const std::lock_guard one_at_a_time(requests_);
  for (Held& held : std::exchange(held_, {})) {
    const LeaseRecord record{.author = {.run_id = author_.run_id},
                             .fence = held.record.fence,
                             .nonce = random_hex(context_.random, 8),
                             .is_released = true};
    try {
      replace(held, record);
    } catch (const Error&) {
      // It expires.
    }
  }
  const std::lock_guard guard(mutex_);
  valid_until_ = {};
}

std::optional<HeldLease> find_lease(blob::BlobStore& objects, std::string_view id,
                                    const Context& context) {
  const auto found = objects.get(record_key(id, kFile));
  if (!found) return std::nullopt;
  HeldLease lease{.id = std::string(id), .record = read_named(objects, id, *found), .is_dead = {}};
  if (lease.record.is_released) return std::nullopt;
  lease.is_dead = is_dead(objects, lease.record, context);
  return lease;
}

std::vector<HeldLease> list_leases(blob::BlobStore& objects, const Context& context) {
  const std::string suffix = fmt::format("/{}", kFile);
  std::vector<std::string> ids;
  objects.list({.prefix = std::string(kRecordsPrefix)}, [&](const blob::Listed& listed) {
    if (!listed.key.ends_with(suffix) || (listed.size && *listed.size < kReleasedSize)) return;
    ids.emplace_back(listed.key.substr(kRecordsPrefix.size(),
                                       listed.key.size() - kRecordsPrefix.size() - suffix.size()));
  });
  std::ranges::sort(ids);
  std::vector<HeldLease> leases;
  for (const std::string& id : ids) {
    if (auto lease = find_lease(objects, id, context)) leases.push_back(*std::move(lease));
  }
  return leases;
}

}  // namespace tidemark::state
