#include "tidemark/source/incremental.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/page.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace tidemark::source {
namespace {

json::Value read_golden(const std::string& name) {
  std::ifstream file(std::string(TIDEMARK_GOLDEN_DIR) + "/dlt/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return json::read(text.str());
}

struct Outcome {
  std::string rows;
  std::string state;
  size_t pages_read = 0;
  uint64_t rows_of_other_type = 0;
};

// Filters the pages last to first, as threads might, and merges them in order.
Outcome run(Incremental cursor, const json::Array& pages) {
  json::DocumentBuilder builder;
  builder.value(pages);
  auto document = builder.finish();
  std::vector<json::Node> nodes;
  for (json::Node page = document->root().first(); page != document->root().end();
       page = page.next()) {
    nodes.push_back(page);
  }
  std::vector<PageCursor> outcomes(nodes.size());
  std::vector<json::Array> kept(nodes.size());
  Shake128 shake;
  for (size_t i = nodes.size(); i-- > 0;) {
    for (json::Node row = nodes[i].first(); row != nodes[i].end(); row = row.next()) {
      if (cursor.keep(row, outcomes[i], shake)) {
        kept[i].push_back(json::to_value(row));
      }
    }
  }
  Outcome outcome;
  json::Array rows;
  for (size_t i = 0; i < nodes.size() && !cursor.is_exhausted(); ++i) {
    cursor.merge(std::move(outcomes[i]));
    rows.insert(rows.end(), kept[i].begin(), kept[i].end());
    ++outcome.pages_read;
  }
  outcome.rows = json::write(rows);
  outcome.state = json::write(cursor.state());
  outcome.rows_of_other_type = cursor.rows_of_other_type();
  return outcome;
}

json::Array pages(std::string_view text) { return json::read(text).as_array(); }

Incremental cursor_at(const json::Value& last, IncrementalOptions options = {},
                      json::Array hashes = {}) {
  json::Object state{{"initial_value", nullptr},
                     {"last_value", last},
                     {"unique_hashes", std::move(hashes)},
                     {"start_value", nullptr}};
  return Incremental("ts", std::move(options), {"id"}, state);
}

std::vector<std::string> names(const json::Value& value) {
  if (value.is_string()) {
    return {value.as_string()};
  }
  std::vector<std::string> names;
  for (const json::Value& name : value.as_array()) {
    names.push_back(name.as_string());
  }
  return names;
}

IncrementalOptions read_options(const json::Value& vector) {
  IncrementalOptions options;
  for (const auto& [key, value] : vector.find("options")->as_object()) {
    if (key == "initial_value") {
      options.initial_value = value;
    } else if (key == "end_value") {
      options.end_value = value;
    } else if (key == "last_value_func") {
      options.last_value_func = value.as_string() == "min" ? LastValue::kMin : LastValue::kMax;
    } else if (key == "primary_key") {
      options.primary_key = names(value);
    } else if (key == "row_order") {
      options.row_order = value.as_string() == "asc" ? RowOrder::kAscending : RowOrder::kDescending;
    } else if (key == "on_cursor_value_missing") {
      options.on_cursor_value_missing =
          value.as_string() == "include" ? MissingCursor::kInclude : MissingCursor::kExclude;
    } else if (key == "lag") {
      options.lag = value.as_number().to_double();
    } else if (key == "range_start") {
      options.range_start = value.as_string() == "open" ? RangeEdge::kOpen : RangeEdge::kClosed;
    } else if (key == "range_end") {
      options.range_end = value.as_string() == "open" ? RangeEdge::kOpen : RangeEdge::kClosed;
    } else {
      ADD_FAILURE() << "unknown option " << key;
    }
  }
  return options;
}

class DltIncremental : public testing::TestWithParam<json::Value> {};

TEST_P(DltIncremental, GivesTheSameRowsAndState) {
  const json::Value& vector = GetParam();
  const json::Value& key = *vector.find("primary_key");
  Incremental cursor(vector.find("cursor")->as_string(), read_options(vector),
                     key.is_null() ? std::vector<std::string>{} : names(key),
                     *vector.find("state_in"));
  const json::Array& input = vector.find("pages")->as_array();
  if (const json::Value* error = vector.find("error")) {
    if (error->as_string() == "TypeError") {
      EXPECT_EQ(run(cursor, input).rows_of_other_type, 1u);  // kept and counted where dlt fails
    } else {
      EXPECT_THROW(run(cursor, input), Error);
    }
    return;
  }
  const Outcome outcome = run(cursor, input);
  EXPECT_EQ(outcome.rows, json::write(*vector.find("rows_out")));
  EXPECT_EQ(outcome.pages_read, static_cast<size_t>(vector.find("pages_read")->as_int64()));
  if (!cursor.is_stateless()) {
    EXPECT_EQ(outcome.state, json::write(*vector.find("state_out")));
  }
}

std::string test_name(const testing::TestParamInfo<json::Value>& info) {
  std::string name = std::to_string(info.index) + "_";
  for (char c : info.param.find("why")->as_string()) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Vectors, DltIncremental,
                         testing::ValuesIn(read_golden("incremental.json").as_array()), test_name);

TEST(Incremental, KeepsTheHighestValueWhateverTheOrderOfPages) {
  for (
      std::string_view text :
      {R"([[{"id":3,"ts":"2024-01-03"}],[{"id":2,"ts":"2024-01-02"}],[{"id":1,"ts":"2024-01-01"}]])",
       R"([[{"id":1,"ts":"2024-01-01"}],[{"id":3,"ts":"2024-01-03"}],[{"id":2,"ts":"2024-01-02"}]])"}) {
    Outcome outcome = run(Incremental("ts", {}, {"id"}, {}), pages(text));
    EXPECT_EQ(json::read(outcome.state).find("last_value")->as_string(), "2024-01-03");
  }
}

TEST(Incremental, TakesOnlyTheNewRowsAtTheBoundary) {
  Outcome first =
      run(Incremental("ts", {}, {"id"}, {}), pages(R"([[{"id":1,"ts":9},{"id":2,"ts":9}]])"));
  Outcome again = run(Incremental("ts", {}, {"id"}, json::read(first.state)),
                      pages(R"([[{"id":1,"ts":9},{"id":2,"ts":9}]])"));
  EXPECT_EQ(again.rows, "[]");
  Outcome second = run(Incremental("ts", {}, {"id"}, json::read(again.state)),
                       pages(R"([[{"id":1,"ts":9}],[{"id":2,"ts":9},{"id":3,"ts":9}]])"));
  EXPECT_EQ(second.rows, R"([{"id":3,"ts":9}])");
  EXPECT_EQ(json::read(second.state).find("unique_hashes")->as_array().size(), 3u);
}

TEST(Incremental, RecognisesRowsWhoseKeyWasHashedAsAListOfOne) {
  // base64(SHAKE-128("[1]", 9)): dlt hashes so when the key was given as ["id"].
  Shake128 shake;
  std::string listed = shake.base64_digest("[1]", 9);
  Outcome outcome =
      run(cursor_at(9, {}, {listed}), pages(R"([[{"id":1,"ts":9},{"id":2,"ts":9}]])"));
  EXPECT_EQ(outcome.rows, R"([{"id":2,"ts":9}])");
}

TEST(Incremental, FindsRowsThatWereCommittedLateWithinTheLag) {
  IncrementalOptions options;
  options.lag = 2;
  Outcome outcome = run(cursor_at(10, options),
                        pages(R"([[{"id":7,"ts":7},{"id":9,"ts":9},{"id":10,"ts":10}]])"));
  EXPECT_EQ(outcome.rows, R"([{"id":9,"ts":9},{"id":10,"ts":10}])");
}

TEST(Incremental, LagsTextInUtcByADay) {
  IncrementalOptions options;
  options.lag = 86400;
  EXPECT_EQ(cursor_at("2024-01-02T00:00:00Z", options).start_value(),
            json::Value("2024-01-01T00:00:00Z"));
}

TEST(Incremental, ComparesTextToTheLastDigit) {
  Outcome outcome = run(cursor_at("2024-12-01T10:00:46.3386179", {}, {"Tp44cKMYfAuJ"}),
                        pages(R"([[{"id":1,"ts":"2024-12-01T10:00:46.3386171"},
                                   {"id":2,"ts":"2024-12-01T10:00:46.3386179"},
                                   {"id":3,"ts":"2024-12-01T10:00:46.3386180"}]])"));
  EXPECT_EQ(outcome.rows, R"([{"id":3,"ts":"2024-12-01T10:00:46.3386180"}])");
}

TEST(Incremental, KeepsAndCountsRowsOfAnotherType) {
  IncrementalOptions options;
  options.range_start = RangeEdge::kOpen;
  Outcome outcome = run(cursor_at(int64_t{9007199254740993}, options),
                        pages(R"([[{"id":1,"ts":9007199254740992},{"id":2,"ts":9007199254740993},
                                   {"id":3,"ts":9007199254740994},{"id":4,"ts":"abc"},
                                   {"id":5,"ts":[1]}]])"));
  EXPECT_EQ(outcome.rows,
            R"([{"id":3,"ts":9007199254740994},{"id":4,"ts":"abc"},{"id":5,"ts":[1]}])");
  EXPECT_EQ(outcome.rows_of_other_type, 2u);
  EXPECT_EQ(json::read(outcome.state).find("last_value")->as_int64(), 9007199254740994);
}

TEST(Incremental, ContinuesWithTheRowsTypeWhenNoneIsOfTheInitialValues) {
  IncrementalOptions options;
  options.initial_value = "2024-01-01";
  Outcome first = run(Incremental("ts", options, {"id"}, {}),
                      pages(R"([[{"id":1,"ts":1},{"id":3,"ts":3}],[{"id":2,"ts":2}]])"));
  EXPECT_EQ(json::read(first.rows).as_array().size(), 3u);
  EXPECT_EQ(json::read(first.state).find("last_value")->as_int64(), 3);
  Outcome second = run(Incremental("ts", options, {"id"}, json::read(first.state)),
                       pages(R"([[{"id":3,"ts":3},{"id":4,"ts":4}]])"));
  EXPECT_EQ(second.rows, R"([{"id":4,"ts":4}])");
}

TEST(Incremental, FirstRowOfAnyPageDoesNotDecideTheTypeOfALaterOne) {
  Outcome outcome = run(Incremental("ts", {}, {"id"}, {}),
                        pages(R"([[{"id":1,"ts":5}],[{"id":2,"ts":"abc"},{"id":3,"ts":7}]])"));
  EXPECT_EQ(json::read(outcome.state).find("last_value")->as_int64(), 7);
  EXPECT_EQ(outcome.rows_of_other_type, 1u);
}

TEST(Incremental, NamesPathAndRowOfAMissingCursor) {
  auto message = [](std::string_view text) -> std::string {
    try {
      run(Incremental("ts", {}, {"id"}, {}), pages(text));
    } catch (const Error& error) {
      return error.message();
    }
    return "";
  };
  EXPECT_NE(message(R"([[{"id":7,"ts":null}]])").find("the value is null in row {\"id\":7"),
            std::string::npos);
  EXPECT_NE(message(R"([[{"id":7}]])").find("nothing is there in row {\"id\":7"),
            std::string::npos);
}

TEST(Incremental, PassesOrDropsRowsWithoutACursorAsAsked) {
  constexpr std::string_view kPages = R"([[{"id":1,"ts":4},{"id":2,"ts":null},{"id":3,"ts":9}]])";
  IncrementalOptions options;
  options.on_cursor_value_missing = MissingCursor::kInclude;
  EXPECT_EQ(
      json::read(run(Incremental("ts", options, {"id"}, {}), pages(kPages)).rows).as_array().size(),
      3u);
  options.on_cursor_value_missing = MissingCursor::kExclude;
  Outcome outcome = run(Incremental("ts", options, {"id"}, {}), pages(kPages));
  EXPECT_EQ(json::read(outcome.rows).as_array().size(), 2u);
  EXPECT_EQ(json::read(outcome.state).find("last_value")->as_int64(), 9);
}

TEST(Incremental, RefusesARangeThatEndsBeforeItBegins) {
  IncrementalOptions options;
  options.end_value = 5;
  EXPECT_THROW(Incremental("ts", options, {}, {}), Error);
  options.initial_value = 6;
  EXPECT_THROW(Incremental("ts", options, {}, {}), Error);
  options.last_value_func = LastValue::kMin;
  EXPECT_NO_THROW(Incremental("ts", options, {}, {}));
}

TEST(Incremental, KeepsKeysOfTheStoredEntryThatItDoesNotKnow) {
  json::Value state = json::read(R"({"last_value":5,"note":"mine","unique_hashes":[]})");
  Outcome outcome = run(Incremental("ts", {}, {"id"}, state), pages("[[]]"));
  EXPECT_EQ(outcome.state, R"({"last_value":5,"note":"mine","unique_hashes":[]})");
}

}  // namespace
}  // namespace tidemark::source
