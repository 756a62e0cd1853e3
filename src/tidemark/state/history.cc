#include "tidemark/state/history.h"

#include <algorithm>
#include <charconv>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/base/hash.h"
#include "tidemark/blob/put_once.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/state/blob_state_store.h"
#include "tidemark/state/record_fields.h"

namespace tidemark::state {
namespace {

constexpr int kMaxRounds = 10;
constexpr size_t kShortestHash = 4;

std::string history_key(std::string_view id) { return record_key(id, "history.jsonl"); }

std::string newest_hash(const HistoryLog& log) {
  return log.entries.empty() ? std::string() : log.entries.back().hash;
}

json::Value time_value(const std::optional<Time>& time) {
  return time ? json::Value(format_iso(*time)) : json::Value();
}

std::string write_entry(const HistoryEntry& entry) {
  json::Value document;
  if (entry.document) document = json::read_python(write_document(*entry.document));
  return json::write_python(json::Object{{"sequence", entry.sequence},
                                         {"time", format_iso(entry.time)},
                                         {"hash", entry.hash},
                                         {"parent", entry.parent},
                                         {"who", entry.author.who},
                                         {"operation", entry.author.operation},
                                         {"run_id", entry.author.run_id},
                                         {"foreign_seen", time_value(entry.foreign_seen)},
                                         {"document", std::move(document)}}) +
         "\n";
}

HistoryEntry read_entry(std::string_view line) {
  const json::Value value = json::read_python(line);
  HistoryEntry entry;
  entry.sequence = member(value, "sequence").as_int64();
  entry.time = time_member(value, "time");
  entry.hash = member(value, "hash").as_string();
  entry.parent = member(value, "parent").as_string();
  entry.author = {.who = member(value, "who").as_string(),
                  .operation = member(value, "operation").as_string(),
                  .run_id = member(value, "run_id").as_string()};
  if (!member(value, "foreign_seen").is_null()) {
    entry.foreign_seen = time_member(value, "foreign_seen");
  }
  const json::Value& document = member(value, "document");
  if (!document.is_null()) entry.document = read_document(json::write_python(document));
  return entry;
}

void add(std::vector<HistoryEntry>& entries, HistoryEntry entry) {
  entry.hash = document_hash(entry.document);
  entry.sequence = entries.empty() ? 1 : entries.back().sequence + 1;
  entry.parent = entries.empty() ? std::string() : entries.back().hash;
  entries.push_back(std::move(entry));
}

void trim(std::vector<HistoryEntry>& entries) {
  size_t bytes = 0;
  size_t kept = 0;
  while (kept < entries.size() && kept < kMaxHistoryEntries) {
    bytes += write_entry(entries[entries.size() - kept - 1]).size();
    if (bytes > kMaxHistoryBytes && kept > 0) break;
    ++kept;
  }
  entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(kept));
}

int64_t newest_sequence(const HistoryLog& log) {
  return log.entries.empty() ? 0 : log.entries.back().sequence;
}

// The entry of a document among those behind `sequence`.
HistoryEntry* find_newer(HistoryLog& log, int64_t sequence, std::string_view hash) {
  const auto found = std::ranges::find_if(log.entries, [&](const HistoryEntry& entry) {
    return entry.sequence > sequence && entry.hash == hash;
  });
  return found == log.entries.end() ? nullptr : &*found;
}

// Whether the newest entry is of the run that makes the change: its saves are one entry.
bool is_of_same_run(const HistoryLog& log, const History::Change& change) {
  if (log.entries.empty() || change.author.run_id.empty() || !change.after) return false;
  return log.entries.back().author == change.author && !log.entries.back().is_tombstone();
}

// Whether anything was changed.
bool add_change(HistoryLog& log, const History::Change& change, Time now) {
  const bool is_explained = is_newest(log, change.before);
  std::optional<Time> foreign_seen;
  if (!log.entries.empty()) foreign_seen = log.entries.back().foreign_seen;
  if (!is_explained || change.met_foreign) foreign_seen = now;
  if (!is_explained) {
    add(log.entries, {.time = now, .foreign_seen = foreign_seen, .document = change.before});
  }
  if (document_hash(change.after) == document_hash(change.before)) return !is_explained;
  if (is_explained && is_of_same_run(log, change)) {
    HistoryEntry& entry = log.entries.back();
    entry.time = now;
    entry.hash = document_hash(change.after);
    entry.foreign_seen = foreign_seen;
    entry.document = change.after;
  } else {
    add(log.entries, {.time = now,
                      .author = change.author,
                      .foreign_seen = foreign_seen,
                      .document = change.after});
  }
  return true;
}

}  // namespace

std::string document_hash(const std::optional<Document>& document) {
  if (!document) return {};
  return to_hex(sha256(write_document(
      {.completed = document->completed, .partial = document->partial, .others = {}})));
}

const HistoryEntry* find_entry(const std::vector<HistoryEntry>& entries, std::string_view text) {
  int64_t sequence = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), sequence);
  const bool is_number = fault == std::errc() && end == text.data() + text.size();
  for (const HistoryEntry& entry : entries) {
    if (is_number && entry.sequence == sequence) return &entry;
  }
  if (text.size() < kShortestHash) return nullptr;
  const auto newest = std::find_if(entries.rbegin(), entries.rend(),
                                   [&](const auto& entry) { return entry.hash.starts_with(text); });
  return newest == entries.rend() ? nullptr : &*newest;
}

bool is_newest(const HistoryLog& log, const std::optional<Document>& document) {
  return newest_hash(log) == document_hash(document);
}

bool leads_from(const HistoryLog& log, const std::optional<Document>& earlier,
                const std::optional<Document>& current) {
  if (!is_newest(log, current)) return false;
  const std::string hash = document_hash(earlier);
  for (const HistoryEntry& entry : std::views::reverse(log.entries)) {
    if (entry.hash == hash) return true;
    if (entry.is_foreign()) return false;
  }
  return false;
}

std::vector<HistoryEntry> read_history(std::string_view text) {
  std::vector<HistoryEntry> entries;
  for (int line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    try {
      entries.push_back(read_entry(text.substr(0, end)));
    } catch (const Error& error) {
      throw Error(ErrorCode::kCorrupt, fmt::format("line {}: {}", line, error.message()));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return entries;
}

std::string write_history(const std::vector<HistoryEntry>& entries) {
  std::string text;
  for (const HistoryEntry& entry : entries) text += write_entry(entry);
  return text;
}

HistoryLog History::load(std::string_view id) {
  const auto blob = objects_.get(history_key(id));
  if (!blob) return {};
  try {
    return {.entries = read_history(blob->bytes), .version = blob->version};
  } catch (Error& error) {
    error.add_context(fmt::format("history of state {} in {}", id, objects_.describe()));
    throw;
  }
}

void History::append(std::string_view id, HistoryLog log, const Change& change) {
  const int64_t known = newest_sequence(log);
  std::optional<Error> refusal;
  for (int round = 0; round < kMaxRounds; ++round) {
    if (HistoryEntry* entered = find_newer(log, known, document_hash(change.after))) {
      // Whoever built on this change was here first and took it for another tool's.
      if (!entered->is_foreign()) return;
      entered->author = change.author;
    } else if (!add_change(log, change, objects_.store_time())) {
      return;
    }
    trim(log.entries);
    blob::Condition condition = blob::IfAbsent();
    if (log.version) condition = blob::IfMatch{*log.version};
    try {
      if (blob::put_once(objects_, history_key(id), write_history(log.entries), condition)) return;
      refusal.reset();
    } catch (const Error& error) {
      if (!blob::is_unanswered(error)) throw;
      refusal = error;
    }
    log = load(id);
  }
  if (refusal) throw Error(*refusal);
  throw Error(ErrorCode::kConflict,
              fmt::format("history of state {} in {}: others were faster {} times", id,
                          objects_.describe(), kMaxRounds));
}

void History::replace(std::string_view id, const std::vector<HistoryEntry>& entries) {
  objects_.put(history_key(id), write_history(entries), blob::Always());
}

void History::purge(std::string_view id) { objects_.remove(history_key(id), blob::Always()); }

}  // namespace tidemark::state
