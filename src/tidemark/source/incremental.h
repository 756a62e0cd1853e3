#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/hash.h"
#include "tidemark/json/node.h"
#include "tidemark/json/path.h"
#include "tidemark/json/value.h"

namespace tidemark::source {

enum class LastValue { kMax, kMin };
enum class RowOrder { kNone, kAscending, kDescending };
enum class MissingCursor { kRaise, kInclude, kExclude };
enum class RangeEdge { kClosed, kOpen };

// Names, defaults and meaning are dlt's (spec: dlt.md 4.1).
struct IncrementalOptions {
  json::Value initial_value;
  json::Value end_value;
  LastValue last_value_func = LastValue::kMax;
  // Unset: the resource's primary key. Empty: no boundary de-duplication.
  std::optional<std::vector<std::string>> primary_key;
  RowOrder row_order = RowOrder::kNone;
  MissingCursor on_cursor_value_missing = MissingCursor::kRaise;
  std::optional<double> lag;
  RangeEdge range_start = RangeEdge::kClosed;
  RangeEdge range_end = RangeEdge::kOpen;

  bool operator==(const IncrementalOptions&) const = default;
};

// What one page did to a cursor. Pages are filtered in parallel, in any order, and merged in page order:
// whether a row passes depends only on where the run started (spec: dlt.md 4.4, which is an ordered loop;
// the same rows pass and the same state results).
struct PageCursor {
  json::Value last_value;                  // highest (lowest) value of the page; null = none
  std::vector<std::string> boundary_hashes;  // of the rows at last_value, sorted, without repeats
  uint64_t rows_seen = 0;
  uint64_t rows_kept = 0;
  uint64_t rows_of_other_type = 0;  // kept though they cannot be compared with the cursor
  bool start_out_of_range = false;
  bool end_out_of_range = false;
};

// The cursor of one resource for one run: where it starts, which rows pass, where it ends.
class Incremental {
 public:
  // state is the entry `incremental.<path>` of the resource's state, null when there is none; it is read
  // here and written by state(). resource_key is the resource's primary key. Error kInvalid for options
  // that contradict each other.
  Incremental(std::string_view path, IncrementalOptions options,
              std::vector<std::string> resource_key, const json::Value& state);

  const json::Path& path() const { return path_; }
  const IncrementalOptions& options() const { return options_; }
  // Fixed for the run, lag applied.
  const json::Value& start_value() const { return start_value_; }
  const json::Value& initial_value() const { return options_.initial_value; }
  const json::Value& end_value() const { return options_.end_value; }
  // Moves with merge().
  const json::Value& last_value() const { return last_value_; }

  // Whether the row passes; notes it in page. Thread-safe: one shake and one page a thread. Error kInvalid
  // for a missing or null cursor under kRaise, naming path and row.
  bool keep(json::Node row, PageCursor& page, Shake128& shake) const;

  // Adds the page's outcome; called in page order, by one thread.
  void merge(PageCursor page);
  // Whether row_order says that no later page can bring anything (spec: dlt.md 4.5).
  bool is_exhausted() const { return is_exhausted_; }
  // Whether nothing is stored for this run: with an end value dlt neither reads nor writes state.
  bool is_stateless() const { return !options_.end_value.is_null(); }
  // The entry to store: {initial_value, last_value, unique_hashes (sorted), start_value}.
  json::Value state() const;
  size_t initial_hash_count() const { return start_hashes_.size(); }
  size_t final_hash_count() const { return boundary_hashes_.size(); }
  uint64_t rows_seen() const { return rows_seen_; }
  uint64_t rows_of_other_type() const { return rows_of_other_type_; }

 private:
  json::Path path_;
  IncrementalOptions options_;
  std::vector<std::string> key_;
  bool is_deduplicating_ = true;
  bool has_old_hashes_ = false;  // 20 characters, from before dlt 1.29
  json::Value stored_value_;
  json::Value start_value_;
  json::Value last_value_;
  std::set<std::string, std::less<>> start_hashes_;
  std::set<std::string, std::less<>> boundary_hashes_;
  bool is_exhausted_ = false;
  uint64_t rows_seen_ = 0;
  uint64_t rows_of_other_type_ = 0;
};

}  // namespace tidemark::source
