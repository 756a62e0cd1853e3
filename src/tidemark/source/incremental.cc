#include "tidemark/source/incremental.h"

#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/write.h"
#include "tidemark/source/boundary_hash.h"
#include "tidemark/source/lag.h"

namespace tidemark::source {
namespace {

json::Value member_or_null(const json::Object& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value ? *value : json::Value();
}

}  // namespace

Incremental::Incremental(std::string_view path, IncrementalOptions options,
                         std::vector<std::string> resource_key, const json::Value& state)
    : path_(json::Path::parse(path)),
      options_(std::move(options)),
      key_(options_.primary_key.value_or(std::move(resource_key))) {
  check_options();
  is_deduplicating_ = is_deduplicating();
  read_state(state);
  const bool has_lag = options_.lag.value_or(0) != 0 && !is_stateless();
  start_value_ = has_lag && !stored_value_.is_null()
                     ? apply_lag(*options_.lag, options_.initial_value, stored_value_,
                                 options_.last_value_func)
                     : stored_value_;
  start_ = CursorValue(start_value_);
  end_ = CursorValue(options_.end_value);
  main_.last = CursorValue(stored_value_);
  main_.boundary_hashes = start_hashes_;
  last_value_ = stored_value_;
}

void Incremental::check_options() const {
  if (options_.end_value.is_null()) {
    return;
  }
  if (options_.initial_value.is_null()) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("cursor {}: end_value needs an initial_value", path_.text()));
  }
  auto way = order(cursor_view(options_.end_value), cursor_view(options_.initial_value));
  if (!(way >= 0)) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("cursor {}: end_value {} does not lie behind initial_value {} for {}",
                            path_.text(), json::write(options_.end_value),
                            json::write(options_.initial_value),
                            options_.last_value_func == LastValue::kMax ? "max" : "min"));
  }
}

bool Incremental::is_deduplicating() const {
  const bool has_empty_key = options_.primary_key && options_.primary_key->empty();
  return options_.range_start == RangeEdge::kClosed && options_.end_value.is_null() &&
         options_.lag.value_or(0) == 0 && !has_empty_key;
}

void Incremental::read_state(const json::Value& state) {
  if (!is_stateless() && state.is_object()) {
    stored_ = state.as_object();
  }
  is_first_run_ = stored_.empty();
  if (is_first_run_) {
    stored_.set("initial_value", options_.initial_value);
    stored_.set("last_value", options_.initial_value);
    stored_.set("unique_hashes", json::Array());
    stored_.set("start_value", options_.initial_value);
  }
  stored_value_ = member_or_null(stored_, "last_value");
  const json::Value* hashes = stored_.find("unique_hashes");
  if (!hashes || !hashes->is_array()) {
    return;
  }
  for (const json::Value& hash : hashes->as_array()) {
    start_hashes_.insert(hash.as_string());
    has_old_hashes_ = has_old_hashes_ || hash.as_string().size() == kOldHashSize;
  }
}

std::partial_ordering Incremental::order(const CursorView& a, const CursorView& b) const {
  return options_.last_value_func == LastValue::kMax ? compare(a, b) : compare(b, a);
}

bool Incremental::keep(json::Node row, PageCursor& page, Shake128& shake) const {
  ++page.rows_seen;
  auto cell = path_.find_first(row);
  if (!cell || cell->is_null()) {
    return keep_without_cursor(cell.has_value(), row, page);
  }
  const CursorView value = cursor_view(*cell);
  if (is_behind_end(value, page)) {
    return false;
  }
  std::string hash;
  auto way = start_.is_set() ? order(value, start_.view()) : std::partial_ordering::greater;
  const bool is_at_start = way == 0;
  if (way < 0 || (is_at_start && options_.range_start == RangeEdge::kOpen) ||
      (is_at_start && is_deduplicating_ && is_known(row, hash, shake))) {
    page.start_out_of_range = true;
    return false;
  }
  ++page.rows_kept;
  const bool is_comparable = way >= 0 && note(page.main, value, row, std::move(hash), shake);
  if (!is_comparable && !note(page.other, value, row, {}, shake)) {
    ++page.rows_without_order;
  }
  return true;
}

bool Incremental::keep_without_cursor(bool is_null, json::Node row, PageCursor& page) const {
  switch (options_.on_cursor_value_missing) {
    case MissingCursor::kInclude:
      ++page.rows_kept;
      return true;
    case MissingCursor::kExclude:
      return false;
    case MissingCursor::kRaise:
      break;
  }
  std::string text;
  json::append_orjson(text, row, false);
  throw Error(ErrorCode::kInvalid,
              fmt::format("cursor {}: {} in row {:.200}; set on_cursor_value_missing to include or "
                          "exclude to let such rows pass or drop them",
                          path_.text(), is_null ? "the value is null" : "nothing is there", text));
}

bool Incremental::is_behind_end(const CursorView& value, PageCursor& page) const {
  if (!end_.is_set()) {
    return false;
  }
  auto way = order(value, end_.view());
  if (!(way > 0) && !(way == 0 && options_.range_end == RangeEdge::kOpen)) {
    return false;
  }
  page.end_out_of_range = true;
  return true;
}

// A row at the start: whether an earlier run has taken it. hash is the one to note it with when
// not. Rows of a key that was declared as a list of one name were hashed by dlt as such a list.
bool Incremental::is_known(json::Node row, std::string& hash, Shake128& shake) const {
  const HashFormat format = has_old_hashes_ ? HashFormat::kOld : HashFormat::kNew;
  std::string form;
  append_hashed_form(form, row, key_, format);
  hash = hash_of_form(form, format, shake);
  if (start_hashes_.contains(hash)) {
    return true;
  }
  return key_.size() == 1 && !start_hashes_.empty() &&
         start_hashes_.contains(hash_of_form(fmt::format("[{}]", form), format, shake));
}

// False when value cannot be compared with what the lane holds, or with anything. A row that is not
// at the start comes without a hash.
bool Incremental::note(CursorLane& lane, const CursorView& value, json::Node row, std::string hash,
                       Shake128& shake) const {
  if (value.kind == CursorView::Kind::kNone) {
    return false;
  }
  auto way = lane.last.is_set() ? order(value, lane.last.view()) : std::partial_ordering::greater;
  if (way == std::partial_ordering::unordered) {
    return false;
  }
  ++lane.rows;
  if (way < 0 || !is_deduplicating_) {
    if (way > 0) {
      lane.last.assign(value);
    }
    return true;
  }
  if (way > 0) {
    lane.last.assign(value);
    lane.boundary_hashes.clear();
    lane.only_row.clear();
    if (hash.empty()) {
      append_hashed_form(lane.only_row, row, key_, HashFormat::kNew);
      return true;
    }
  } else if (!lane.only_row.empty()) {
    lane.boundary_hashes.push_back(hash_of_form(lane.only_row, HashFormat::kNew, shake));
    lane.only_row.clear();
  }
  if (hash.empty()) {
    std::string form;
    append_hashed_form(form, row, key_, HashFormat::kNew);
    hash = hash_of_form(form, HashFormat::kNew, shake);
  }
  lane.boundary_hashes.push_back(std::move(hash));
  return true;
}

void Incremental::merge(PageCursor page) {
  rows_seen_ += page.rows_seen;
  rows_kept_ += page.rows_kept;
  rows_without_order_ += page.rows_without_order;
  // Without a start value a page's first row decides what its lanes hold.
  if (main_.last.is_set() && page.main.last.is_set() &&
      compare(page.main.last.view(), main_.last.view()) == std::partial_ordering::unordered) {
    std::swap(page.main, page.other);
  }
  merge_lane(main_, page.main);
  merge_lane(other_, page.other);
  if (!is_deduplicating_) {
    main_.boundary_hashes.clear();
  }
  last_value_ = current().last.to_json();
  is_exhausted_ = is_exhausted_ ||
                  (options_.row_order == RowOrder::kAscending && page.end_out_of_range) ||
                  (options_.row_order == RowOrder::kDescending && page.start_out_of_range);
}

void Incremental::merge_lane(Lane& lane, CursorLane& page) const {
  lane.rows += page.rows;
  if (!page.last.is_set()) {
    return;
  }
  auto way = lane.last.is_set() ? order(page.last.view(), lane.last.view())
                                : std::partial_ordering::greater;
  if (!(way >= 0)) {
    return;
  }
  if (way > 0) {
    lane.last = page.last;
    lane.boundary_hashes.clear();
  }
  if (!page.only_row.empty()) {
    Shake128 shake;
    lane.boundary_hashes.insert(hash_of_form(page.only_row, HashFormat::kNew, shake));
  }
  for (std::string& hash : page.boundary_hashes) {
    lane.boundary_hashes.insert(std::move(hash));
  }
}

const Incremental::Lane& Incremental::current() const {
  const bool is_of_other_type = is_first_run_ && main_.rows == 0 && other_.last.is_set();
  return is_of_other_type ? other_ : main_;
}

json::Value Incremental::state() const {
  json::Object state = stored_;
  state.set("last_value", last_value_);
  json::Array hashes;
  for (const std::string& hash : current().boundary_hashes) {
    hashes.emplace_back(hash);
  }
  state.set("unique_hashes", std::move(hashes));
  if (rows_kept_ > 0) {
    state.set("start_value", stored_value_);
  }
  return state;
}

}  // namespace tidemark::source
