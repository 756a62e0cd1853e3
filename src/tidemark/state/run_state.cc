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

StateLine kind_of(const std::optional<json::Value>& state) {
  if (!state) return StateLine::kNoJson;
  if (is_falsy(*state)) return StateLine::kEmpty;
  return state->is_object() ? StateLine::kAccepted : StateLine::kNoObject;
}

// The opposite of is_empty_state(). Of members with one name the last one counts.
bool has_scalar(json::Node node) {
  if (!node.is_object() && !node.is_array()) return !node.is_null();
  for (json::Node at = node.first(); !(at == node.end()); at = at.next()) {
    const json::Node key = at;
    if (node.is_object()) at = at.next();
    if (has_scalar(at) && (node.is_array() || node.find(key.string()) == at)) return true;
  }
  return false;
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
  const std::lock_guard guard(mutex_);
  if (const StateLine kind = check(line); kind != StateLine::kAccepted) return kind;
  std::optional<json::Value> merged;
  if (strategy_ == StateStrategy::kMerge) {
    json::Value state = json::read_python(line);
    merged = pending_ ? *pending_->merged : state;
    if (pending_) merge_into(merged->as_object(), state.as_object());
  }
  if (!pending_) pending_.emplace(Pending{});
  pending_->merged = std::move(merged);
  pending_->last_line = line;
  ++pending_->lines;
  pending_->bytes += line.size();
  return StateLine::kAccepted;
}

// An object is looked at as it lies in the text; whatever else a line may be is rare.
StateLine RunState::check(std::string_view line) {
  try {
    const json::Buffer text(line);
    const json::Node node = parser_.parse(text.view());
    if (node.is_object()) return has_scalar(node) ? StateLine::kAccepted : StateLine::kEmpty;
  } catch (const Error&) {
    return kind_of(read_line(line));
  }
  return kind_of(read_line(line));
}

json::Value RunState::state_of(const Pending& pending) {
  return pending.merged ? *pending.merged : json::read_python(pending.last_line);
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
  const json::Value state = state_of(pending);
  bool is_saved = false;
  try {
    const WriteResult result =
        save_state(backend_, options_.author, context_, options_.id,
                   [&](const Round& round) { return decide(state, round); }, {.lease = &lease_});
    error_ = refusal(result, options_.id);
    if (const auto* saved = std::get_if<Saved>(&result)) {
      settle(pending, state, *saved);
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

Decision RunState::decide(const json::Value& state, const Round& round) {
  std::optional<Document> current;
  if (round.current) current = round.current->document;
  if (attempts_.contains(document_hash(current))) view_.base = current;
  try {
    RunChange change = change_document(strategy_, state, view_, current);
    attempts_.insert(document_hash(change.document));
    warnings_ = std::move(change.warnings);
    return Write{.document = std::move(change.document), .kept = std::move(change.kept)};
  } catch (const Error& error) {
    return WriteResult(Invalid{fmt::format("state {}: {}", options_.id, error.message())});
  }
}

// The base is what was saved from now on.
void RunState::settle(const Pending& pending, const json::Value& state, const Saved& saved) {
  view_ = {.base = saved.after->document, .seen = state};
  attempts_.clear();
  RunSave save{.state = pending.merged ? json::read_python(pending.last_line) : state,
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
                             .state = state_of(*pending_),
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
