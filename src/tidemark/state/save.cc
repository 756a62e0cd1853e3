#include "tidemark/state/save.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/blob_store.h"
#include "tidemark/blob/put_once.h"
#include "tidemark/json/write.h"
#include "tidemark/os/files.h"
#include "tidemark/state/records.h"
#include "tidemark/state/write_lock.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;

constexpr int kMaxRounds = 10;
// Between rounds in which the store did not take the write; ten of them outlast the second for
// which some services allow one write of an object.
constexpr auto kRefusedPause = 300ms;
constexpr auto kForeignFor = 24h;

std::optional<Document> document_of(const std::optional<StoredState>& state) {
  return state ? std::optional(state->document) : std::nullopt;
}

// Whether merging the values changes nothing: they are all there.
bool has_values(const std::optional<StoredState>& current, const Document& values) {
  if (!current) return false;
  try {
    json::Value state = effective_state(current->document);
    const json::Value before = state;
    merge_into(state.as_object(), effective_state(values).as_object());
    return state == before;
  } catch (const Error&) {
    return false;
  }
}

class Save {
 public:
  Save(Backend& backend, const Author& author, const Context& context, std::string_view id,
       const Decide& decide, const SaveOptions& options)
      : backend_(backend),
        author_(author),
        context_(context),
        id_(id),
        decide_(decide),
        options_(options),
        history_(*backend.objects) {}

  WriteResult run() {
    std::optional<WriteResult> result;
    while (!result) result = attempt();
    return *std::move(result);
  }

 private:
  // Under one lock. Nothing: start over.
  std::optional<WriteResult> attempt() {
    std::unique_ptr<WriteLock> lock;
    if (backend_.has_lock_objects) {
      auto taken = take_lock();
      if (auto* other = std::get_if<LockObject>(&taken)) {
        return Locked{.id = id_, .lease = {}, .lock = std::move(other->text)};
      }
      lock = std::get<std::unique_ptr<WriteLock>>(std::move(taken));
      check_conditions(*lock);
    }
    read_history();
    std::optional<WriteResult> result;
    while (!result) {
      if (lock) lock->refresh_if_due();
      result = round(lock.get());
    }
    if (lock) {
      const bool was_met = lock->met_foreign();
      lock->release();
      must_find_again_ |= lock->met_foreign() && !was_met;
    }
    if (std::holds_alternative<Saved>(*result) && must_find_again_ && !is_found_again()) {
      is_overwritten_ = true;
      return std::nullopt;
    }
    return result;
  }

  std::variant<std::unique_ptr<WriteLock>, LockObject> take_lock() {
    if (backend_.needs_probe && !backend_.probe_file.empty()) {
      backend_.needs_probe = !os::path_exists(backend_.probe_file);
    }
    const LockOptions options{.timeout = backend_.lock_timeout,
                              .is_conditional = !backend_.needs_probe};
    return WriteLock::acquire(*backend_.objects, id_, options, context_);
  }

  void check_conditions(WriteLock& lock) {
    if (!backend_.needs_probe) return;
    if (lock.probe_conditions()) {
      backend_.needs_probe = false;
      remember_probe();
    } else if (!backend_.allow_unconditional) {
      throw Error(
          ErrorCode::kUnsupported,
          fmt::format("{} does not honour conditional writes, so that writers at once would "
                      "lose states; `state_backend.allow_unconditional: true` uses it all "
                      "the same, with the lock as the only protection",
                      backend_.objects->describe()));
    }
  }

  void remember_probe() const {
    if (backend_.probe_file.empty()) return;
    try {
      os::make_directories(backend_.probe_file.parent_path());
      os::write_new_file(backend_.probe_file, backend_.objects->describe() + "\n");
    } catch (const Error&) {
      // It is probed again the next time.
    }
  }

  // A history that cannot be read keeps nobody from saving.
  void read_history() {
    try {
      log_ = history_.load(id_);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kCorrupt) throw;
      log_.reset();
      warn(error.message());
    }
  }

  // Nothing: a conflict.
  std::optional<WriteResult> round(WriteLock* lock) {
    if (refusal_) context_.sleeper.sleep(kRefusedPause, context_.cancellation);
    auto found = load();
    if (is_late_arrival(found)) return arrived(*std::move(found), lock);
    current_ = std::move(found);
    if (!first_) first_.emplace(current_);
    if (rounds_++ == kMaxRounds) {
      if (refusal_) throw Error(*refusal_);
      if (is_overwritten_) throw overwritten();
      return conflict();
    }
    renew_lease();
    Decision decision = decide_({.first = *first_, .current = current_});
    if (auto* result = std::get_if<WriteResult>(&decision)) return std::move(*result);
    if (options_.lease != nullptr && !options_.lease->may_save()) {
      return Locked{.id = id_, .lease = options_.lease->taker(), .lock = {}};
    }
    const bool met_lock = lock != nullptr && lock->met_foreign();
    must_find_again_ = met_lock || is_foreign_near();
    keep_unreadable();
    auto* write = std::get_if<Write>(&decision);
    if (!(write != nullptr ? put(*write) : remove())) return std::nullopt;
    note(met_lock);
    return saved();
  }

  std::optional<StoredState> load() {
    if (!options_.replaces_unreadable) return backend_.states->load(id_);
    Found found = find_state(*backend_.states, id_);
    unreadable_ = std::move(found.unreadable);
    return std::move(found.state);
  }

  void keep_unreadable() {
    if (!unreadable_) return;
    const std::string key =
        state::keep_unreadable(*backend_.objects, id_, "state.json", *unreadable_);
    warn(fmt::format("what state {} was and could not be read is kept as {} in {}", id_, key,
                     backend_.objects->describe()));
  }

  // After a conflict, or when waiting for the lock took most of its time.
  void renew_lease() const {
    if (options_.lease == nullptr) return;
    if (rounds_ > 1 || !options_.lease->may_save()) options_.lease->renew();
  }

  // Whether a write that was given up for lost has come after all.
  bool is_late_arrival(const std::optional<StoredState>& found) const {
    return attempted_ && found && !unreadable_ &&
           document_hash(found->document) == document_hash(attempted_);
  }

  WriteResult arrived(StoredState found, const WriteLock* lock) {
    after_ = std::move(found);
    note(lock != nullptr && lock->met_foreign());
    return saved();
  }

  WriteResult conflict() const {
    return Conflict{.id = id_,
                    .difference = differences(document_of(*first_), document_of(current_))};
  }

  // No conflict, for that says that nothing was written.
  Error overwritten() const {
    return {ErrorCode::kConflict, fmt::format("save '{}' in {}: others wrote over it each time",
                                              id_, backend_.states->describe())};
  }

  Saved saved() const { return {.before = current_, .after = after_, .warnings = warnings_}; }

  // Whether another tool wrote this ID within a day.
  bool is_foreign_near() {
    // Others of ours may have saved since it was read.
    if (log_ && !is_newest(*log_, document_of(current_))) read_history();
    if (!log_ || !is_newest(*log_, document_of(current_))) return true;
    if (log_->entries.empty()) return false;
    const auto& seen = log_->entries.back().foreign_seen;
    return seen && backend_.objects->store_time() - *seen < kForeignFor;
  }

  bool put(const Write& write) {
    kept_ = write.kept;
    const auto expected = current_ ? std::optional(current_->revision) : std::nullopt;
    const auto revision = put_exclusively(write.document, expected);
    if (!revision) {
      if (refusal_) attempted_ = write.document;
      return false;
    }
    after_ = StoredState{.document = write.document, .revision = *revision};
    return true;
  }

  std::optional<Revision> put_exclusively(const Document& document,
                                          const std::optional<Revision>& expected) {
    if (must_find_again_ && backend_.exclusive != nullptr) {
      try {
        const auto revision = put_once(document, [&] {
          return backend_.exclusive->save_exclusively(id_, document, expected);
        });
        must_find_again_ = false;
        return revision;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::kLocked) throw;
        // Others keep the store busy: an ordinary save that is looked for again.
      }
    }
    return put_once(document, [&] { return backend_.states->save(id_, document, expected); });
  }

  // After a lost answer, also that of a try before, our bytes mean that it took effect.
  template <typename Put>
  std::optional<Revision> put_once(const Document& document, const Put& put) {
    refusal_.reset();
    try {
      const auto revision = put();
      if (revision || !is_answer_lost_) return revision;
    } catch (const Error& error) {
      if (!blob::is_unanswered(error)) throw;
      is_answer_lost_ = true;
      refusal_ = error;
    }
    const auto [stored, unreadable] = find_state(*backend_.states, id_);
    const bool is_ours =
        stored && !unreadable && document_hash(stored->document) == document_hash(document);
    return is_ours ? std::optional(stored->revision) : std::nullopt;
  }

  // By way of empty halves: not every store heeds the condition of a removal, but each that of a
  // save. Once they are there the state is gone, whatever becomes of the object.
  bool remove() {
    kept_.reset();
    after_.reset();
    if (!current_) return true;
    keep_current();
    const auto emptied = put_once(
        Document(), [&] { return backend_.states->save(id_, Document(), current_->revision); });
    if (!emptied) return false;
    try {
      if (!remove_empty(*emptied)) {
        warn(fmt::format("state {} was written again while it was removed", id_));
      }
    } catch (const Error& error) {
      warn(error.message());
      must_find_again_ = false;
    }
    return true;
  }

  // Whether nothing else is left there: after a lost answer it is looked for.
  bool remove_empty(const Revision& revision) {
    try {
      return backend_.states->remove(id_, revision);
    } catch (const Error& error) {
      if (!blob::is_unanswered(error)) throw;
      const auto left = backend_.states->load_raw(id_);
      if (left && left->revision == revision) throw;
      return !left;
    }
  }

  // Whatever follows, what is about to go can be brought back.
  void keep_current() {
    if (options_.purges_history || !log_ || is_newest(*log_, current_->document)) return;
    history_.append(id_, *log_,
                    {.time = backend_.objects->store_time(),
                     .before = current_->document,
                     .after = current_->document,
                     .author = author_});
    log_ = history_.load(id_);
  }

  // The state is saved: what fails here is only told.
  void note(bool met_lock) {
    try {
      if (options_.purges_history) return history_.purge(id_);
      if (!log_) return;
      history_.append(id_, *log_,
                      {.time = backend_.objects->store_time(),
                       .before = document_of(current_),
                       .after = document_of(after_),
                       .author = author_,
                       .met_foreign = met_lock});
    } catch (const Error& error) {
      warn(error.message());
    }
  }

  // Once, though each round meets it.
  void warn(std::string text) {
    if (std::ranges::find(warnings_, text) == warnings_.end()) {
      warnings_.push_back(std::move(text));
    }
  }

  // Whether what was saved is there after the time in which Meltano could still have overwritten
  // it, or others of ours have built on it.
  bool is_found_again() {
    context_.sleeper.sleep(backend_.settle_time, context_.cancellation);
    const auto now = backend_.states->load(id_);
    const bool is_there = kept_ ? has_values(now, *kept_) : !now.has_value();
    return is_there || leads_from(history_.load(id_), document_of(after_), document_of(now));
  }

  Backend& backend_;
  Author author_;
  Context context_;
  std::string id_;
  const Decide& decide_;
  SaveOptions options_;
  History history_;

  std::optional<HistoryLog> log_;
  std::optional<std::optional<StoredState>> first_;
  std::optional<StoredState> current_;
  std::optional<StoredState> after_;
  std::optional<Document> kept_;
  // Of the last write, if it was unanswered and not found; what it wrote.
  std::optional<Error> refusal_;
  std::optional<Document> attempted_;
  std::optional<std::string> unreadable_;
  std::vector<std::string> warnings_;
  int rounds_ = 0;
  bool is_answer_lost_ = false;
  // Whether something was written that was not found again.
  bool is_overwritten_ = false;
  bool must_find_again_ = false;
};

}  // namespace

bool is_same(const std::optional<StoredState>& a, const std::optional<StoredState>& b) {
  return a.has_value() == b.has_value() && (!a || a->revision == b->revision);
}

Found find_state(StateStore& states, std::string_view id) {
  try {
    return {.state = states.load(id)};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kCorrupt) throw;
  }
  auto raw = states.load_raw(id);
  if (!raw) return {};
  return {.state = StoredState{.document = {}, .revision = std::move(raw->revision)},
          .unreadable = std::move(raw->text)};
}

WriteResult save_state(Backend& backend, const Author& author, const Context& context,
                       std::string_view id, const Decide& decide, const SaveOptions& options) {
  return Save(backend, author, context, id, decide, options).run();
}

}  // namespace tidemark::state
