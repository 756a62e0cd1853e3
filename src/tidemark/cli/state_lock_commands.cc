#include <algorithm>

#include <fmt/format.h>

#include "tidemark/cli/state_commands.h"
#include "tidemark/cli/state_outcome.h"
#include "tidemark/cli/terminal_text.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

json::Value locks_json(const state::Locks& locks) {
  json::Array rows;
  for (const state::HeldLease& lease : locks.leases) {
    rows.emplace_back(json::Object{{"state_id", lease.id},
                                   {"kind", "lease"},
                                   {"who", lease.record.author.who},
                                   {"pid", lease.record.process.pid},
                                   {"operation", lease.record.author.operation},
                                   {"run_id", lease.record.author.run_id},
                                   {"since", time_text(lease.record.since)},
                                   {"expires", time_text(lease.record.expires)},
                                   {"is_dead", lease.is_dead},
                                   {"is_unreadable", lease.is_unreadable}});
  }
  for (const state::LockObject& lock : locks.locks) {
    rows.emplace_back(json::Object{{"state_id", lock.id}, {"kind", "lock"}, {"text", lock.text}});
  }
  return rows;
}

std::string locks_text(const state::Locks& locks) {
  std::string text;
  for (const state::HeldLease& lease : locks.leases) {
    text += fmt::format("{}: {}\n", lease.id, holder_text(lease));
  }
  for (const state::LockObject& lock : locks.locks) {
    text +=
        fmt::format("{}: locked by a write, its lock says {}\n", lock.id, terminal_line(lock.text));
  }
  return text;
}

ExitCode show(const Console& console, const state::Locks& locks, std::string_view nothing) {
  if (console.is_json()) {
    console.result(json::write_pretty(locks_json(locks)));
  } else if (locks.leases.empty() && locks.locks.empty()) {
    console.note(nothing);
  } else {
    console.result(locks_text(locks));
  }
  return kDone;
}

}  // namespace

ExitCode run_verb(const Console& console, StateSession& session, const StateLocksArguments&) {
  return show(console, session.service().locks(), "nobody works on a state");
}

ExitCode run_verb(const Console& console, StateSession& session, const StateUnlockArguments& verb) {
  const std::string free = fmt::format("nobody works on state {}", verb.id);
  const state::Locks locks = session.service().locks_of(verb.id);
  if (locks.leases.empty() && locks.locks.empty()) {
    return show(console, locks, free);
  }
  console.confirm(fmt::format("{}Whoever holds it loses it, and saves nothing any more. Continue?",
                              locks_text(locks)));
  return show(console, session.service().unlock(verb.id), free);
}

}  // namespace tidemark::cli
