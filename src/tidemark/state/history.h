#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/blob/blob_store.h"
#include "tidemark/state/document.h"

namespace tidemark::state {

// Who writes, and in the course of what.
struct Author {
  std::string who = {};        // `user@host`
  std::string operation = {};  // `state set`, `run tap-x-to-target-y`
  std::string run_id = {};     // empty outside of runs

  bool operator==(const Author&) const = default;
};

// One document that an ID had.
struct HistoryEntry {
  // Counts up by one from 1, also over a clear.
  int64_t sequence = 0;
  // By the clock of the store.
  Time time{};
  // document_hash().
  std::string hash = {};
  // The hash of the document that it replaced; empty for the first one.
  std::string parent = {};
  // Empty when another tool wrote it: it was found, and `time` is when.
  Author author = {};
  // When something that is not ours was last met on this ID.
  std::optional<Time> foreign_seen = {};
  // Nothing: here the state was cleared.
  std::optional<Document> document = {};

  bool is_foreign() const { return author == Author(); }
  bool is_tombstone() const { return !document.has_value(); }
  bool operator==(const HistoryEntry&) const = default;
};

inline constexpr size_t kMaxHistoryEntries = 20;
inline constexpr size_t kMaxHistoryBytes = size_t{1} << 20;

// SHA-256 as hex of the bytes that Meltano would write, other keys than the two halves left out,
// for not every store keeps them; empty for no document.
std::string document_hash(const std::optional<Document>& document);

// The entry that text names: its sequence, or four or more digits of its hash; a hash names the
// newest entry that has it. nullptr when there is none.
const HistoryEntry* find_entry(const std::vector<HistoryEntry>& entries, std::string_view text);

// The history of an ID as it was read.
struct HistoryLog {
  // Oldest first; none for an ID without history.
  std::vector<HistoryEntry> entries = {};
  std::optional<blob::Version> version = {};
};

// Whether the newest entry is this document, or no document.
bool is_newest(const HistoryLog& log, const std::optional<Document>& document);
// Whether the newest entry is `current`, and only tidemark wrote since `earlier` was the newest
// one: then each of the later writers had read it.
bool leads_from(const HistoryLog& log, const std::optional<Document>& earlier,
                const std::optional<Document>& current);

// `.tidemark/<id>/history.jsonl`: one line an entry. Error kCorrupt names the line.
std::vector<HistoryEntry> read_history(std::string_view text);
std::string write_history(const std::vector<HistoryEntry>& entries);

// The histories of a backend. Thread-safe as its store is; throws what its store throws.
class History {
 public:
  explicit History(blob::BlobStore& objects) : objects_(objects) {}

  HistoryLog load(std::string_view id);

  // What a finished operation did to an ID.
  struct Change {
    // When it took effect, by the clock of the store.
    Time time{};
    std::optional<Document> before = {};
    std::optional<Document> after = {};
    Author author = {};
    // Whether it met a lock of another tool.
    bool met_foreign = false;
  };
  // Adds it to the log, which load() gave before the change took effect, and in front of it what it
  // replaced when that is not the newest entry; then drops the oldest entries beyond
  // kMaxHistoryEntries and kMaxHistoryBytes, never the newest. A change that changed nothing is not
  // added; one of the run that has the newest entry takes its place. One that others of ours have
  // built on and have entered theirs goes in front of those, which count on. Error kConflict when
  // others were faster ten times.
  void append(std::string_view id, HistoryLog log, const Change& change);
  // Entries as they are, in the place of what is there.
  void replace(std::string_view id, const std::vector<HistoryEntry>& entries);
  // Removes all of it.
  void purge(std::string_view id);

 private:
  blob::BlobStore& objects_;
};

}  // namespace tidemark::state
