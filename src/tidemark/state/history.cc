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

// Those behind it count on.
void insert(std::vector<HistoryEntry>& entries, size_t place, HistoryEntry entry) {
  entry.hash = document_hash(entry.document);
  entry.sequence = entries.empty() ? 1 : entries.front().sequence;
  if (!entries.empty()) entry.parent = entries.front().parent;
  entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(place), std::move(entry));
  for (size_t i = std::max<size_t>(place, 1); i < entries.size(); ++i) {
    entries[i].sequence = entries[i - 1].sequence + 1;
    entries[i].parent = entries[i - 1].hash;
  }
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

// Of what was there before the entry in that place, which may be the next one.
std::string hash_before(const HistoryLog& log, size_t place) {
  return place < log.entries.size() ? log.entries[place].parent : newest_hash(log);
}

// The place of a document's entry among those behind `sequence`.
std::optional<size_t> find_newer(const HistoryLog& log, int64_t sequence, std::string_view hash) {
  for (size_t i = 0; i < log.entries.size(); ++i) {
    if (log.entries[i].sequence > sequence && log.entries[i].hash == hash) return i;
  }
  return std::nullopt;
}

// Where the entry of a change belongs. Others of ours that saved after it may have been faster
// here: then it is in front of what they found and could not explain, behind `known`.
size_t place_of(const HistoryLog& log, int64_t known, const History::Change& change) {
  const std::string before = document_hash(change.before);
  const size_t end = log.entries.size();
  if (newest_hash(log) == before) return end;
  size_t first = end;
  for (size_t i = end; i > 0 && log.entries[i - 1].sequence > known; --i) {
    const HistoryEntry& entry = log.entries[i - 1];
    if (!entry.is_foreign()) continue;
    if (entry.parent == before) return i - 1;
    if (entry.time > change.time) first = i - 1;
  }
  return first;
}

// Whether the newest entry is of the run that makes the change: its saves are one entry.
bool is_of_same_run(const HistoryLog& log, const History::Change& change) {
  if (log.entries.empty() || change.author.run_id.empty() || !change.after) return false;
  return log.entries.back().author == change.author && !log.entries.back().is_tombstone();
}

void replace_newest(HistoryLog& log, const History::Change& change) {
  HistoryEntry& entry = log.entries.back();
  entry.time = change.time;
  entry.hash = document_hash(change.after);
  entry.document = change.after;
}

// To the log as others have left it since `known` was its newest entry. Whether that changed it.
bool add_change(HistoryLog& log, int64_t known, const History::Change& change) {
  const std::string before = document_hash(change.before);
  const bool is_change = document_hash(change.after) != before;
  // Whoever built on this change was here first and took it for another tool's.
  const auto entered = find_newer(log, known, document_hash(change.after));
  if (entered && !(is_change && log.entries[*entered].is_foreign())) return false;
  size_t place = entered ? *entered : place_of(log, known, change);
  const bool is_explained = hash_before(log, place) == before;
  if (is_explained && !is_change) return false;
  std::optional<Time> foreign_seen;
  if (place > 0) foreign_seen = log.entries[place - 1].foreign_seen;
  if (!is_explained || change.met_foreign) foreign_seen = change.time;
  if (!is_explained) insert(log.entries, place++, {.time = change.time, .document = change.before});
  if (entered) {
    log.entries[place].author = change.author;
  } else if (place == log.entries.size() && is_explained && is_of_same_run(log, change)) {
    replace_newest(log, change);
    --place;
  } else if (is_change) {
    insert(log.entries, place,
           {.time = change.time, .author = change.author, .document = change.after});
  }
  for (size_t i = is_explained ? place : place - 1; i < log.entries.size(); ++i) {
    log.entries[i].foreign_seen = std::max(log.entries[i].foreign_seen, foreign_seen);
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
    if (!add_change(log, known, change)) return;
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
