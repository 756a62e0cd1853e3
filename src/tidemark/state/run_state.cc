#include "tidemark/state/run_state.h"

#include <utility>

#include <fmt/format.h>

#include "tidemark/blob/put_once.h"
#include "tidemark/json/read.h"
#include "tidemark/state/unsaved.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;

// Of the last save, when the store does not answer or others are faster.
constexpr int kLastTries = 5;
constexpr auto kLastPause = 1s;

StateStrategy with_refresh(StateStrategy strategy, bool is_full_refresh) {
  return is_full_refresh && strategy == StateStrategy::kAuto ? StateStrategy::kMerge : strategy;
}

std::optional<json::Value> read_line(std::string_view line) {
  try {
    return json::read_python(line);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// What Python counts as false, and what has no scalar in it.
bool is_falsy(const json::Value& value) {
  if (value.is_bool()) return !value.as_bool();
  if (value.is_number()) return value.as_number().to_double() == 0;
  if (value.is_string()) return value.as_string().empty();
  return is_empty_state(value);
}

// Why a save that was refused may go through later; nothing when it was not refused.
std::optional<Error> refusal(const WriteResult& result, std::string_view id) {
  if (std::holds_alternative<Conflict>(result)) {
    return Error(ErrorCode::kConflict, fmt::format("state {}: others were faster each time", id));
  }
  if (const auto* locked = std::get_if<Locked>(&result)) {
    return Error(ErrorCode::kLocked,
                 locked->lock ? fmt::format("state {}: another tool's lock stood in the way", id)
                              : fmt::format("state {}: its lease ran out", id));
  }
  if (const auto* invalid = std::get_if<Invalid>(&result)) {
    throw Error(ErrorCode::kInvalid, invalid->reason);
  }
  return std::nullopt;
}

}  // namespace

RunState::RunState(Backend& backend, Lease& lease, RunStateOptions options, const Context& context)
    : backend_(backend),
      lease_(lease),
      options_(std::move(options)),
      context_(context),
      strategy_(with_refresh(options_.strategy, options_.is_full_refresh)) {
  const auto stored = backend_.states->load(options_.id);
  if (stored) view_.base = stored->document;
  if (options_.is_full_refresh) return;
  try {
    view_.seen = singer_state(view_.base);
  } catch (Error& error) {
    error.add_context(fmt::format("state {}", options_.id));
    throw;
  }
  if (!is_falsy(view_.seen)) start_ = view_.seen;
}

StateLine RunState::accept(std::string_view line) {
  auto state = read_line(line);
  if (!state) return StateLine::kNoJson;
  if (is_falsy(*state)) return StateLine::kEmpty;
  if (!state->is_object()) return StateLine::kNoObject;
  const std::lock_guard guard(mutex_);
  json::Value gathered = *state;
  if (strategy_ == StateStrategy::kMerge && pending_) {
    gathered = pending_->state;
    merge_into(gathered.as_object(), state->as_object());
  }
  if (!pending_) pending_.emplace(Pending{});
  pending_->state = std::move(gathered);
  pending_->last_line = *std::move(state);
  ++pending_->lines;
  pending_->bytes += line.size();
  return StateLine::kAccepted;
}

bool RunState::is_due() const {
  if (!pending_) return false;
  if (!tried_at_) return true;
  const auto passed = context_.clock.steady_now() - *tried_at_;
  return passed >= (pending_->bytes < kManyBytes ? kSavePause : kShortestPause);
}

bool RunState::save_if_due() {
  const std::lock_guard one_at_a_time(saving_);
  std::optional<Pending> pending;
  {
    const std::lock_guard guard(mutex_);
    if (!is_due()) return true;
    if (lease_.is_lost()) return false;
    pending = pending_;
  }
  return save(*pending);
}

bool RunState::save(const Pending& pending) {
  bool is_saved = false;
  try {
    const WriteResult result =
        save_state(backend_, options_.author, context_, options_.id,
                   [&](const Round& round) { return decide(pending, round); }, {.lease = &lease_});
    error_ = refusal(result, options_.id);
    if (const auto* saved = std::get_if<Saved>(&result)) {
      settle(pending, *saved);
      is_saved = true;
    }
  } catch (const Error& error) {
    error_ = error;
    if (!may_pass()) throw;
  }
  const std::lock_guard guard(mutex_);
  tried_at_ = context_.clock.steady_now();
  return is_saved;
}

Decision RunState::decide(const Pending& pending, const Round& round) {
  std::optional<Document> current;
  if (round.current) current = round.current->document;
  if (attempts_.contains(document_hash(current))) view_.base = current;
  try {
    RunChange change = change_document(strategy_, pending.state, view_, current);
    attempts_.insert(document_hash(change.document));
    warnings_ = std::move(change.warnings);
    return Write{.document = std::move(change.document), .kept = std::move(change.kept)};
  } catch (const Error& error) {
    return WriteResult(Invalid{fmt::format("state {}: {}", options_.id, error.message())});
  }
}

// The base is what was saved from now on.
void RunState::settle(const Pending& pending, const Saved& saved) {
  view_ = {.base = saved.after->document, .seen = pending.state};
  attempts_.clear();
  RunSave save{.state = pending.last_line,
               .flags = strategy_ == StateStrategy::kMerge ? PayloadFlags::kIncompleteState
                                                           : PayloadFlags::kState,
               .warnings = {}};
  for (const std::string& warning : warnings_) {
    save.warnings.push_back(fmt::format("state {}: {}", options_.id, warning));
  }
  save.warnings.insert(save.warnings.end(), saved.warnings.begin(), saved.warnings.end());
  {
    const std::lock_guard guard(mutex_);
    if (pending_->lines == pending.lines) {
      pending_.reset();
    } else {
      pending_->bytes = 0;
    }
  }
  if (options_.saved) options_.saved(save);
}

RunStateEnd RunState::finish() {
  const std::lock_guard one_at_a_time(saving_);
  for (int tries = 1;; ++tries) {
    const bool is_saved = try_last();
    if (auto taker = lease_.taker()) return TakenOver{*std::move(taker)};
    if (is_saved) return AllSaved{};
    if (tries == kLastTries || !may_pass() || !pause()) return keep();
  }
}

// Whether nothing is left to save.
bool RunState::try_last() {
  std::optional<Pending> pending;
  {
    const std::lock_guard guard(mutex_);
    pending = pending_;
  }
  if (!pending) return true;
  try {
    return (lease_.may_save() || lease_.renew()) && save(*pending);
  } catch (const Error& error) {
    error_ = error;
    return false;
  }
}

// Whether what stood in the way may be gone after a while: no answer, or others that write.
bool RunState::may_pass() const {
  return error_ && (blob::is_unanswered(*error_) || error_->code() == ErrorCode::kConflict ||
                    error_->code() == ErrorCode::kLocked);
}

bool RunState::pause() const {
  try {
    context_.sleeper.sleep(kLastPause, context_.cancellation);
    return true;
  } catch (const Error&) {
    return false;
  }
}

Kept RunState::keep() const {
  const std::lock_guard guard(mutex_);
  const UnsavedState unsaved{.id = options_.id,
                             .author = options_.author,
                             .time = context_.clock.now(),
                             .store = backend_.states->describe(),
                             .strategy = strategy_,
                             .state = pending_->state,
                             .view = view_};
  try {
    return {.file = keep_unsaved(options_.unsaved_directory, unsaved, context_.random),
            .error = *error_};
  } catch (Error& error) {
    error.add_context(
        fmt::format("state {} could not be saved ({}), nor kept", options_.id, error_->message()));
    throw;
  }
}

}  // namespace tidemark::state
