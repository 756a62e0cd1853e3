#include "tidemark/state/service.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/blob_store.h"
#include "tidemark/json/write.h"
#include "tidemark/state/blob_state_store.h"
#include "tidemark/state/records.h"

namespace tidemark::state {
namespace {

NotFound no_state(std::string_view id) { return {.what = fmt::format("state {}", id)}; }

std::optional<Document> document_of(const std::optional<StoredState>& state) {
  return state ? std::optional(state->document) : std::nullopt;
}

// A whole new state, as Meltano keeps it: complete, nothing partial.
Document complete(json::Value state, const std::optional<StoredState>& current) {
  Document document{.completed = std::move(state), .partial = json::Object{}, .others = {}};
  if (current) document.others = current->document.others;
  return document;
}

json::Value half(const json::Value& document, std::string_view name) {
  const json::Value* value = document.find(name);
  return value == nullptr || value->is_null() ? json::Value(json::Object{}) : *value;
}

Invalid empty_source(std::string_view id) {
  return {.reason = fmt::format("state {} is empty: it would erase the target", id)};
}

Locked locked_by(HeldLease lease) {
  std::string id = lease.id;
  return {.id = std::move(id), .lease = std::move(lease), .lock = {}};
}

}  // namespace

StateService::StateService(Backend& backend, Author author, const Context& context)
    : backend_(backend), author_(std::move(author)), context_(context) {}

std::optional<StateDetails> StateService::show(std::string_view id) {
  auto state = backend_.states->load(id);
  if (!state) return std::nullopt;
  StateDetails details{.state = *std::move(state), .written = {}, .lease = {}};
  const HistoryLog log = History(*backend_.objects).load(id);
  if (is_newest(log, details.state.document)) details.written = log.entries.back();
  details.lease = show_lease(*backend_.objects, id, context_);
  return details;
}

Shown StateService::look(std::string_view id) { return {find_state(*backend_.states, id).state}; }

WriteResult StateService::set(std::string_view id, const json::Value& state,
                              const WriteOptions& options) {
  if (!state.is_object()) return Invalid{"a state must be a JSON object"};
  if (auto locked = find_live_lease(id, options)) return *std::move(locked);
  return overwrite(id, options, nullptr,
                   [&](const Round& round) { return complete(state, round.current); });
}

// Nothing that others write stands against it: it is merged into whatever is there.
WriteResult StateService::merge(std::string_view id, const json::Value& state) {
  if (!state.is_object()) return Invalid{"a state must be a JSON object"};
  const Document change{.completed = json::Object{}, .partial = state, .others = {}};
  const Decide decide = [&](const Round& round) -> Decision {
    try {
      return Write{.document = updated(document_of(round.current), change), .kept = change};
    } catch (const Error& error) {
      return Invalid{fmt::format("state {}: {}", id, error.message())};
    }
  };
  return save_state(backend_, author_, context_, id, decide, {});
}

std::variant<json::Value, WriteResult> StateService::gather(
    const std::vector<std::string>& sources) {
  json::Object members;
  for (const std::string& source : sources) {
    const auto state = backend_.states->load(source);
    if (!state) return WriteResult(no_state(source));
    try {
      merge_into(members, effective_state(state->document).as_object());
    } catch (const Error& error) {
      return WriteResult(Invalid{fmt::format("state {}: {}", source, error.message())});
    }
  }
  return json::Value(std::move(members));
}

WriteResult StateService::copy(std::string_view source, std::string_view target,
                               const WriteOptions& options) {
  if (auto locked = find_live_lease(target, options)) return *std::move(locked);
  const auto state = backend_.states->load(source);
  if (!state) return no_state(source);
  if (is_empty_state(effective_state(state->document))) return empty_source(source);
  return overwrite(target, options, nullptr, [&](const Round& round) {
    return complete(effective_state(state->document), round.current);
  });
}

WriteResult StateService::move(std::string_view source, std::string_view target,
                               const WriteOptions& options) {
  if (source == target) return Invalid{fmt::format("state {} cannot be moved onto itself", source)};
  auto state = backend_.states->load(source);
  if (!state) return no_state(source);
  auto leases = take_leases({std::string(source), std::string(target)}, options);
  if (auto* locked = std::get_if<Locked>(&leases)) return std::move(*locked);
  Lease& lease = *std::get<std::unique_ptr<Lease>>(leases);
  state = backend_.states->load(source);
  if (!state) return no_state(source);
  if (is_empty_state(effective_state(state->document))) return empty_source(source);
  WriteResult copied = overwrite(target, options, &lease, [&](const Round& round) {
    return complete(effective_state(state->document), round.current);
  });
  if (!std::holds_alternative<Saved>(copied)) return copied;
  const WriteResult removed = remove(source, state, false, false, lease);
  Saved& moved = std::get<Saved>(copied);
  if (const auto* saved = std::get_if<Saved>(&removed)) {
    std::ranges::copy(saved->warnings, std::back_inserter(moved.warnings));
  } else {
    moved.unfinished = fmt::format(
        "state {} is copied to {}, but somebody {} meanwhile: it stays where it is", source, target,
        std::holds_alternative<Conflict>(removed) ? "changed it" : "took hold of it");
  }
  return copied;
}

WriteResult StateService::clear(std::string_view id, bool purges_history,
                                const WriteOptions& options) {
  const auto state = look(id).state;
  if (!state) {
    if (purges_history) History(*backend_.objects).purge(id);
    return no_state(id);
  }
  auto leases = take_leases({std::string(id)}, options);
  if (auto* locked = std::get_if<Locked>(&leases)) return std::move(*locked);
  return remove(id, options.shown ? options.shown->state : state, purges_history, options.is_forced,
                *std::get<std::unique_ptr<Lease>>(leases));
}

WriteResult StateService::import(std::string_view id, const Document& document,
                                 const WriteOptions& options) {
  if (auto locked = find_live_lease(id, options)) return *std::move(locked);
  return overwrite(id, options, nullptr, [&](const Round&) { return document; });
}

WriteResult StateService::rollback(std::string_view id, std::string_view revision,
                                   const WriteOptions& options) {
  const HistoryLog log = History(*backend_.objects).load(id);
  const HistoryEntry* entry = find_entry(log.entries, revision);
  if (entry == nullptr) return NotFound{fmt::format("revision {} of state {}", revision, id)};
  if (entry->is_tombstone()) {
    return Invalid{fmt::format("revision {} of state {} is where it was cleared", revision, id)};
  }
  auto leases = take_leases({std::string(id)}, options);
  if (auto* locked = std::get_if<Locked>(&leases)) return std::move(*locked);
  return overwrite(id, options, std::get<std::unique_ptr<Lease>>(leases).get(),
                   [&](const Round&) { return *entry->document; });
}

WriteResult StateService::recover(const UnsavedState& unsaved, const WriteOptions& options) {
  if (auto locked = find_live_lease(unsaved.id, options)) return *std::move(locked);
  Author author = author_;
  author.run_id = unsaved.author.run_id;
  std::vector<std::string> warnings;
  const Decide decide = [&](const Round& round) -> Decision {
    try {
      RunChange change = change_document(unsaved.strategy, unsaved.state, unsaved.view,
                                         document_of(round.current));
      warnings = std::move(change.warnings);
      return Write{.document = std::move(change.document), .kept = std::move(change.kept)};
    } catch (const Error& error) {
      return Invalid{fmt::format("state {}: {}", unsaved.id, error.message())};
    }
  };
  WriteResult result = save_state(backend_, author, context_, unsaved.id, decide, {});
  if (auto* saved = std::get_if<Saved>(&result)) {
    std::ranges::copy(warnings, std::back_inserter(saved->warnings));
  }
  return result;
}

std::vector<HistoryEntry> StateService::history(std::string_view id) const {
  HistoryLog log = History(*backend_.objects).load(id);
  const auto document = document_of(backend_.states->load(id));
  if (is_newest(log, document)) return std::move(log.entries);
  HistoryEntry found{.time = time_to_show(*backend_.objects, context_.clock),
                     .hash = document_hash(document),
                     .document = document};
  found.sequence = log.entries.empty() ? 1 : log.entries.back().sequence + 1;
  if (!log.entries.empty()) found.parent = log.entries.back().hash;
  log.entries.push_back(std::move(found));
  return std::move(log.entries);
}

Locks StateService::locks() {
  Locks locks{.leases = list_leases(*backend_.objects, context_), .locks = {}};
  if (!backend_.has_lock_objects) return locks;
  const std::string suffix = lock_key({});
  std::vector<std::string> ids;
  backend_.objects->list({.skipped = std::string(kRecordsPrefix)}, [&](std::string_view key) {
    if (key.ends_with(suffix)) ids.emplace_back(key.substr(0, key.size() - suffix.size()));
  });
  std::ranges::sort(ids);
  for (const std::string& id : ids) {
    if (auto blob = backend_.objects->get(lock_key(id))) {
      locks.locks.push_back({.id = id, .text = std::move(blob->bytes)});
    }
  }
  return locks;
}

Locks StateService::locks_of(std::string_view id) {
  Locks locks;
  if (auto lease = show_lease(*backend_.objects, id, context_)) {
    locks.leases.push_back(*std::move(lease));
  }
  if (!backend_.has_lock_objects) return locks;
  if (auto blob = backend_.objects->get(lock_key(id))) {
    locks.locks.push_back({.id = std::string(id), .text = std::move(blob->bytes)});
  }
  return locks;
}

Locks StateService::unlock(std::string_view id) {
  Locks broken;
  if (auto lease = show_lease(*backend_.objects, id, context_)) {
    broken.leases.push_back(*std::move(lease));
    const LeaseRequest request{
        .ids = {std::string(id)}, .author = author_, .patience = {}, .is_forced = true};
    // Taken and released at once.
    Lease::acquire(*backend_.objects, request, context_);
  }
  if (!backend_.has_lock_objects) return broken;
  const auto blob = backend_.objects->get(lock_key(id));
  if (blob && backend_.objects->remove(lock_key(id), blob::IfMatch{blob->version})) {
    broken.locks.push_back({.id = std::string(id), .text = blob->bytes});
  }
  return broken;
}

std::optional<Locked> StateService::find_live_lease(std::string_view id,
                                                    const WriteOptions& options) {
  if (options.is_forced) return std::nullopt;
  auto lease = find_lease(*backend_.objects, id, context_);
  if (!lease || lease->is_dead) return std::nullopt;
  return locked_by(*std::move(lease));
}

std::variant<std::unique_ptr<Lease>, Locked> StateService::take_leases(
    std::vector<std::string> ids, const WriteOptions& options) {
  const LeaseRequest request{
      .ids = std::move(ids), .author = author_, .patience = {}, .is_forced = options.is_forced};
  auto taken = Lease::acquire(*backend_.objects, request, context_);
  if (auto* holder = std::get_if<HeldLease>(&taken)) return locked_by(std::move(*holder));
  return std::get<std::unique_ptr<Lease>>(std::move(taken));
}

// The rule of set, edit, copy, import and rollback: nothing is overwritten that was not there when
// the write began, or that the user was not shown.
WriteResult StateService::overwrite(std::string_view id, const WriteOptions& options, Lease* lease,
                                    const MakeDocument& make) {
  const Decide decide = [&](const Round& round) -> Decision {
    const std::optional<StoredState>& seen = options.shown ? options.shown->state : round.first;
    if (!options.is_forced && !is_same(seen, round.current)) {
      return Conflict{.id = std::string(id),
                      .difference = differences(document_of(seen), document_of(round.current))};
    }
    Document document = make(round);
    return Write{.document = document, .kept = document};
  };
  return save_state(backend_, author_, context_, id, decide,
                    {.lease = lease, .replaces_unreadable = options.is_forced});
}

// The rule of clear and move: only what was seen goes.
WriteResult StateService::remove(std::string_view id, const std::optional<StoredState>& shown,
                                 bool purges_history, bool is_forced, Lease& lease) {
  const Decide decide = [&](const Round& round) -> Decision {
    if (!is_forced && !is_same(shown, round.current)) {
      return Conflict{.id = std::string(id),
                      .difference = differences(document_of(shown), document_of(round.current))};
    }
    return Removal{};
  };
  return save_state(
      backend_, author_, context_, id, decide,
      {.lease = &lease, .purges_history = purges_history, .replaces_unreadable = true});
}

Document read_exported(const json::Value& document) {
  if (!document.is_object()) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("an object with 'completed' and 'partial' is expected, this is: {}",
                            json::kind_name(document)));
  }
  json::Object members = document.as_object();
  members.set("completed", half(document, "completed"));
  members.set("partial", half(document, "partial"));
  try {
    return read_document(json::write_python(members));
  } catch (const Error& error) {
    throw Error(ErrorCode::kInvalid, error.message());
  }
}

std::string state_fault(const json::Value& state) {
  if (state.find("singer_state") != nullptr) return {};
  return "singer_state not found in top level of provided state";
}

}  // namespace tidemark::state
