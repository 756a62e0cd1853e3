#include "tidemark/state/lease.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/base/random.h"
#include "tidemark/blob/put_once.h"
#include "tidemark/state/blob_state_store.h"
#include "tidemark/state/records.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kFile = "lease.json";
constexpr auto kPoll = 500ms;
// For a release, also of a command that is being stopped.
constexpr auto kReleaseFor = 3s;
// How long a record stands still before it is dead whatever its times say: by our own clock alone.
constexpr auto kStandstill = kLeaseTime + 10s;

HeldLease read_holder(std::string_view id, const blob::Blob& blob) {
  HeldLease holder{.id = std::string(id), .record = {}};
  try {
    holder.record = read_lease(blob.bytes);
  } catch (const Error&) {
    holder.is_unreadable = true;
  }
  return holder;
}

// Whether the process ran on this machine, where its pid means something, and is gone.
bool is_process_gone(const LeaseRecord& record, os::Processes& processes) {
  const os::ProcessIdentity self = processes.self();
  const os::ProcessIdentity& other = record.process;
  return !self.boot_id.empty() && self.pid_namespace != 0 && other.boot_id == self.boot_id &&
         other.pid_namespace == self.pid_namespace &&
         processes.has_ended(other.pid, other.start_ticks);
}

// now says the time when it is needed: not every store knows it for nothing.
template <typename Now>
bool is_dead(const HeldLease& holder, const Context& context, const Now& now) {
  if (holder.is_unreadable) return false;
  return is_process_gone(holder.record, context.processes) ||
         now() > holder.record.expires + kLeaseGrace;
}

template <typename Now>
std::optional<HeldLease> find_holder(blob::BlobStore& objects, std::string_view id,
                                     const Context& context, const Now& now) {
  const auto found = objects.get(record_key(id, kFile));
  if (!found) return std::nullopt;
  HeldLease holder = read_holder(id, *found);
  if (holder.record.is_released) return std::nullopt;
  holder.is_dead = is_dead(holder, context, now);
  return holder;
}

// Sees whether a record changes while somebody waits for it.
class Standstill {
 public:
  explicit Standstill(Clock& clock) : clock_(clock), since_(clock.steady_now()) {}

  // No two records are alike, nor are their versions.
  bool is_long(const blob::Version& version) {
    if (std::exchange(version_, version) != version) since_ = clock_.steady_now();
    return clock_.steady_now() - since_ > kStandstill;
  }

 private:
  Clock& clock_;
  blob::Version version_;
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
    HeldLease last{.id = std::string(id)};
    if (found) {
      last = read_holder(id, *found);
      const bool is_long = standstill.is_long(found->version);
      if (!last.record.is_released && !request.is_forced && !is_long &&
          !is_dead(last, context_, [&] { return objects_.store_time(); })) {
        if (context_.clock.steady_now() >= deadline) return last;
        context_.sleeper.sleep(kPoll, context_.cancellation);
        continue;
      }
      end_children(last.record);
    }
    if (take_over(last, found)) return std::nullopt;
  }
}

// What a run that was killed here left behind would go on loading.
void Lease::end_children(const LeaseRecord& last) {
  if (last.is_released || !is_process_gone(last, context_.processes)) return;
  for (const os::ChildProcess& child : last.children) context_.processes.kill(child);
}

// False when somebody else was first.
bool Lease::take_over(const HeldLease& last, const std::optional<blob::Blob>& found) {
  if (last.is_unreadable) keep_unreadable(objects_, last.id, kFile, found->bytes);
  Held held{.id = last.id,
            .version = {},
            .record = next_record({}),
            .earlier_run = last.record.author.run_id};
  held.record.fence = last.record.fence + 1;
  held.record.since = held.record.expires - kLeaseTime;
  const std::string key = record_key(last.id, kFile);
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
  HeldLease holder = read_holder(held.id, *found);
  const LeaseRecord& record = holder.record;
  if (!holder.is_unreadable && record.process == self_ && record.fence == held.record.fence &&
      !record.is_released) {
    held.version = found->version;
    return true;
  }
  const std::lock_guard guard(mutex_);
  taker_ = std::move(holder);
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

std::vector<std::string> Lease::earlier_runs() const {
  std::vector<std::string> runs;
  for (const Held& held : held_) {
    if (!held.earlier_run.empty()) runs.push_back(held.earlier_run);
  }
  return runs;
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
  const Reprieve reprieve(context_.cancellation, kReleaseFor);
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
  return find_holder(objects, id, context, [&] { return objects.store_time(); });
}

std::optional<HeldLease> show_lease(blob::BlobStore& objects, std::string_view id,
                                    const Context& context) {
  return find_holder(objects, id, context, [&] { return time_to_show(objects, context.clock); });
}

std::vector<HeldLease> list_leases(blob::BlobStore& objects, const Context& context) {
  const std::string suffix = fmt::format("/{}", kFile);
  std::vector<std::string> ids;
  objects.list({.prefix = std::string(kRecordsPrefix)}, [&](const blob::Listed& listed) {
    if (!listed.key.ends_with(suffix) || listed.size == kReleasedSize) return;
    ids.emplace_back(listed.key.substr(kRecordsPrefix.size(),
                                       listed.key.size() - kRecordsPrefix.size() - suffix.size()));
  });
  std::ranges::sort(ids);
  std::vector<HeldLease> leases;
  for (const std::string& id : ids) {
    if (auto lease = show_lease(objects, id, context)) leases.push_back(*std::move(lease));
  }
  return leases;
}

}  // namespace tidemark::state
