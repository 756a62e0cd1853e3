#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/state/document.h"

namespace tidemark::blob {
class BlobStore;
}

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
  // SHA-256 of the document's bytes as hex.
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

// Of a document, or of no document: what an entry is compared by.
std::string document_hash(const std::optional<Document>& document);

// The entry that text names: its sequence, or four or more digits of its hash; a hash names the
// newest entry that has it. nullptr when there is none.
const HistoryEntry* find_entry(const std::vector<HistoryEntry>& entries, std::string_view text);

// The entries of each ID, in `.tidemark/<id>/history.jsonl`. Thread-safe as its store is; throws
// what its store throws.
class History {
 public:
  explicit History(blob::BlobStore& objects) : objects_(objects) {}

  // Oldest first; none for an ID without history.
  std::vector<HistoryEntry> load(std::string_view id);

  // What a finished operation did to an ID.
  struct Change {
    std::optional<Document> before;
    std::optional<Document> after;
    Author author;
    // Whether it met a lock or a write of another tool.
    bool met_foreign = false;
  };
  // Adds it, and before it what it replaced when that is not the newest entry; then drops the
  // oldest entries beyond kMaxHistoryEntries and kMaxHistoryBytes, never the newest.
  void append(std::string_view id, const Change& change);
  // Replaces the history by another ID's or store's, entries as they are.
  void replace(std::string_view id, const std::vector<HistoryEntry>& entries);
  // Removes all of it.
  void purge(std::string_view id);

 private:
  blob::BlobStore& objects_;
};

}  // namespace tidemark::state
