#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/state/lease.h"
#include "tidemark/state/record_fields.h"

namespace tidemark::state {
namespace {

std::string text(const json::Value& object, std::string_view key) {
  return member(object, key).as_string();
}

uint64_t count(const json::Value& object, std::string_view key) {
  return static_cast<uint64_t>(member(object, key).as_int64());
}

LeaseRecord record_of(const json::Value& object) {
  LeaseRecord record{.author = {.run_id = text(object, "run_id")},
                     .fence = member(object, "fence").as_int64(),
                     .nonce = text(object, "nonce"),
                     .is_released = member(object, "released").as_bool()};
  if (record.is_released) return record;
  record.author.who = text(object, "who");
  record.author.operation = text(object, "operation");
  record.process = {.host = text(object, "host"),
                    .boot_id = text(object, "boot_id"),
                    .pid_namespace = count(object, "pid_namespace"),
                    .pid = member(object, "pid").as_int64(),
                    .start_ticks = count(object, "start_ticks")};
  for (const json::Value& child : member(object, "children").as_array()) {
    record.children.push_back({.pid = member(child, "pid").as_int64(),
                               .group = member(child, "group").as_int64(),
                               .start_ticks = count(child, "start_ticks")});
  }
  record.since = time_member(object, "since");
  record.expires = time_member(object, "expires");
  return record;
}

}  // namespace

LeaseRecord read_lease(std::string_view text) {
  try {
    return record_of(json::read(text));
  } catch (const Error& error) {
    throw Error(ErrorCode::kCorrupt, "no lease: " + error.message());
  }
}

std::string write_lease(const LeaseRecord& record) {
  if (record.is_released) {
    std::string text = json::write_python(json::Object{{"run_id", record.author.run_id},
                                                       {"fence", record.fence},
                                                       {"nonce", record.nonce},
                                                       {"released", true}});
    text.pop_back();
    return fmt::format("{:<{}}}}\n", text, kReleasedSize - 2);
  }
  json::Array children;
  for (const os::ChildProcess& child : record.children) {
    children.emplace_back(json::Object{
        {"pid", child.pid}, {"group", child.group}, {"start_ticks", child.start_ticks}});
  }
  return json::write_python(json::Object{{"who", record.author.who},
                                         {"host", record.process.host},
                                         {"boot_id", record.process.boot_id},
                                         {"pid_namespace", record.process.pid_namespace},
                                         {"pid", record.process.pid},
                                         {"start_ticks", record.process.start_ticks},
                                         {"children", std::move(children)},
                                         {"operation", record.author.operation},
                                         {"run_id", record.author.run_id},
                                         {"since", format_iso(record.since)},
                                         {"expires", format_iso(record.expires)},
                                         {"fence", record.fence},
                                         {"nonce", record.nonce},
                                         {"released", false}}) +
         "\n";
}

std::string describe(const HeldLease& lease) {
  if (lease.is_unreadable) return "somebody whose lease cannot be read";
  const Author& author = lease.record.author;
  const Time since = std::chrono::floor<std::chrono::seconds>(lease.record.since);
  return fmt::format("{} (pid {}, {}{}{}) since {:.19}+0000{}", author.who,
                     lease.record.process.pid, author.operation,
                     author.run_id.empty() ? "" : ", run ", author.run_id, format_iso(since, ' '),
                     lease.is_dead ? ", gone" : "");
}

}  // namespace tidemark::state
