#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/hash.h"
#include "tidemark/json/node.h"
#include "tidemark/json/path.h"
#include "tidemark/json/value.h"
#include "tidemark/source/cursor_value.h"

namespace tidemark::source {

enum class LastValue { kMax, kMin };
enum class RowOrder { kNone, kAscending, kDescending };
enum class MissingCursor { kRaise, kInclude, kExclude };
enum class RangeEdge { kClosed, kOpen };

// Names, defaults and meaning are dlt 1.31's.
struct IncrementalOptions {
  json::Value initial_value = {};
  json::Value end_value = {};
  LastValue last_value_func = LastValue::kMax;
  // Unset: the resource's primary key. Empty: no boundary de-duplication.
  std::optional<std::vector<std::string>> primary_key = {};
  RowOrder row_order = RowOrder::kNone;
  MissingCursor on_cursor_value_missing = MissingCursor::kRaise;
  std::optional<double> lag = {};
  RangeEdge range_start = RangeEdge::kClosed;
  RangeEdge range_end = RangeEdge::kOpen;

  bool operator==(const IncrementalOptions&) const = default;
};

// Rows whose cursor values can be compared with each other: the furthest value among them and who
// stands there.
struct CursorLane {
  CursorValue last;
  uint64_t rows = 0;
  std::vector<std::string> boundary_hashes;  // of the rows at last
  // The hashed form of the only row at last, while it is the only one: most rows that advance a
  // cursor are soon overtaken, and hashing them would be the dearest part of reading rows in rising
  // order.
  std::string only_row;
};

// What one page did to a cursor. Pages are filtered in parallel, in any order, and merged in page
// order: whether a row passes depends only on where the run started (dlt 1.31 has an
// ordered loop: the same rows pass and the same state results).
struct PageCursor {
  CursorLane main;
  CursorLane other;  // of rows that cannot be compared with the start, or with the page's first row
  uint64_t rows_seen = 0;
  uint64_t rows_kept = 0;
  uint64_t rows_without_order = 0;  // kept though their cursor value has no order, as an array
  bool start_out_of_range = false;
  bool end_out_of_range = false;
};

// The cursor of one resource for one run: where it starts, which rows pass, where it ends.
//
// Rows that cannot be compared with the start value are kept and counted. When a run begins at the
// initial value and all its rows are of that other type, the cursor continues with them.
class Incremental {
 public:
  // state is the entry `incremental.<path>` of the resource's state, null when there is none; it is
  // read here and written by state(). resource_key is the resource's primary key. Error kInvalid
  // for options that contradict each other.
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

  // Whether the row passes; notes it in page. Thread-safe: one shake and one page a thread. Error
  // kInvalid for a missing or null cursor under kRaise, naming path and row, and for a row without
  // its key.
  bool keep(json::Node row, PageCursor& page, Shake128& shake) const;

  // Adds the page's outcome; called in page order, by one thread. Pages behind the one that
  // exhausts the cursor are not merged and their rows dropped: dlt does not read them.
  void merge(PageCursor page);
  // Whether row_order says that no later page can bring anything (dlt 1.31).
  bool is_exhausted() const { return is_exhausted_; }
  // Whether nothing is stored for this run: with an end value dlt neither reads nor writes state.
  bool is_stateless() const { return !options_.end_value.is_null(); }
  // The entry to store: {initial_value, last_value, unique_hashes (sorted), start_value}, other
  // keys as they were.
  json::Value state() const;
  size_t initial_hash_count() const { return start_hashes_.size(); }
  size_t final_hash_count() const { return current().boundary_hashes.size(); }
  uint64_t rows_seen() const { return rows_seen_; }
  uint64_t rows_of_other_type() const { return other_.rows + rows_without_order_; }

 private:
  using Hashes = std::set<std::string, std::less<>>;
  struct Lane {
    CursorValue last;
    uint64_t rows = 0;
    Hashes boundary_hashes;
  };

  void check_options() const;
  bool is_deduplicating() const;
  void read_state(const json::Value& state);
  // How a stands to b in the direction of the cursor: greater is further.
  std::partial_ordering order(const CursorView& a, const CursorView& b) const;
  bool keep_without_cursor(bool is_null, json::Node row, PageCursor& page) const;
  bool is_behind_end(const CursorView& value, PageCursor& page) const;
  bool is_known(json::Node row, std::string& hash, Shake128& shake) const;
  bool note(CursorLane& lane, const CursorView& value, json::Node row, std::string hash,
            Shake128& shake) const;
  void merge_lane(Lane& lane, CursorLane& page) const;
  const Lane& current() const;

  json::Path path_;
  IncrementalOptions options_;
  std::vector<std::string> key_;  // empty: the whole row
  bool is_deduplicating_ = true;
  bool has_old_hashes_ = false;  // 20 characters, from before dlt 1.29
  json::Object stored_;
  bool is_first_run_ = false;
  json::Value stored_value_;
  json::Value start_value_;
  CursorValue start_;
  CursorValue end_;
  Hashes start_hashes_;
  Lane main_;
  Lane other_;
  json::Value last_value_;
  bool is_exhausted_ = false;
  uint64_t rows_seen_ = 0;
  uint64_t rows_kept_ = 0;
  uint64_t rows_without_order_ = 0;
};

}  // namespace tidemark::source
