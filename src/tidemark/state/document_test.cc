#include "tidemark/state/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/write.h"
#include "tidemark/state/golden_cases.h"

namespace tidemark::state {
namespace {

using testing::HasSubstr;

json::Value parse(const json::Value& text) { return json::read_python(text.as_string()); }

// A number as Python writes it once it was read: we keep its text.
json::Value as_python(json::Value value) {
  if (value.is_object()) {
    for (auto& [key, member] : value.as_object()) member = as_python(member);
  } else if (value.is_number() && value.as_number().text() == "1e5") {
    value = json::Number::from_text("100000.0");
  }
  return value;
}

// `completed` and `partial` as Meltano, which loses other keys, has them.
std::string halves(Document document) {
  document.others = {};
  return write_document(document);
}

TEST(MergeInto, DoesWhatMeltanoDoes) {
  const json::Value golden = read_golden("merge.json");
  EXPECT_EQ(golden.as_array().size(), 63U);
  for (const json::Value& vector : golden.as_array()) {
    json::Value target = parse(*vector.find("dest"));
    const json::Value source = parse(*vector.find("src"));
    SCOPED_TRACE(json::write(vector));
    if (vector.find("error") != nullptr) {
      EXPECT_THROW(merge_into(target.as_object(), source.as_object()), Error);
    } else {
      merge_into(target.as_object(), source.as_object());
      EXPECT_EQ(json::write_python(as_python(target)), vector.find("result")->as_string());
    }
  }
}

json::Value merged(std::string_view into, std::string_view from) {
  json::Value target = json::read(into);
  merge_into(target.as_object(), json::read(from).as_object());
  return target;
}

TEST(MergeInto, UnitesStatesOfShards) {
  EXPECT_EQ(
      merged(R"({"bookmarks": {"orders": {"c": 1}}})", R"({"bookmarks": {"refunds": {"c": 2}}})"),
      json::read(R"({"bookmarks": {"orders": {"c": 1}, "refunds": {"c": 2}}})"));
  EXPECT_EQ(
      merged(R"({"bookmarks": {"a": {"ids": [1, 2]}}})", R"({"bookmarks": {"a": {"ids": [3]}}})"),
      json::read(R"({"bookmarks": {"a": {"ids": [3]}}})"));
}

TEST(MergeInto, TakesTheNewestOfWhatIsNoBookmarkAndCarriesTheRestAlong) {
  EXPECT_EQ(merged(R"({"bookmarks": {"a": 1}, "currently_syncing": "a", "x": 1})",
                   R"({"bookmarks": {"b": 2}, "currently_syncing": null})"),
            json::read(R"({"bookmarks": {"a": 1, "b": 2}, "currently_syncing": null, "x": 1})"));
}

TEST(MergeInto, NamesThePathThatCannotTakeAnObject) {
  json::Value target = json::read(R"({"bookmarks": {"a": 2}})");
  const json::Value source = json::read(R"({"bookmarks": {"a": {"id": 3}}})");
  try {
    merge_into(target.as_object(), source.as_object());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_THAT(error.message(), HasSubstr("`bookmarks.a`, which is there as: number"));
  }
}

// Where Meltano fails on a half that is null we take it for an empty one; everything else is equal.
TEST(Updated, DoesWhatMeltanoDoes) {
  const json::Value golden = read_golden("update.json");
  EXPECT_EQ(golden.as_array().size(), 50U);
  for (const json::Value& vector : golden.as_array()) {
    SCOPED_TRACE(json::write(vector));
    std::optional<Document> stored;
    const json::Value& text = *vector.find("stored");
    if (!text.is_null()) stored = read_document(text.as_string());
    Document change;
    const bool is_complete = vector.find("kind")->as_string() == "complete";
    (is_complete ? change.completed : change.partial) = parse(*vector.find("new"));
    if (const json::Value* result = vector.find("result")) {
      const Document document = updated(stored, change);
      EXPECT_EQ(halves(document), result->as_string());
      if (const json::Value* effective = vector.find("effective")) {
        EXPECT_EQ(json::write_python(effective_state(document)), effective->as_string());
      }
    } else if (vector.find("text")->as_string().find("NoneType") == std::string::npos) {
      EXPECT_THROW(updated(stored, change), Error);
    } else {
      EXPECT_EQ(updated(stored, change).partial, change.partial);
    }
  }
}

TEST(Updated, KeepsKeysThatMeltanoDoesNotKnow) {
  const Document stored = read_document(R"({"completed": {"a": 1}, "extra": {"x": 1.50}})");
  EXPECT_EQ(write_document(updated(stored, {.completed = json::read(R"({"a": 2})")})),
            R"({"completed": {"a": 2}, "partial": {}, "extra": {"x": 1.50}})");
}

TEST(Document, KeepsNumberTextKeyOrderAndUnknownKeys) {
  const std::string bytes =
      R"({"completed": {"z": 1.50, "a": 12345678901234567890123, "e": 1E5}, "partial": null, )"
      R"("v": [NaN, -Infinity, "\ud800", "\u00e9\u007f"]})";
  EXPECT_EQ(write_document(read_document(bytes)), bytes);
}

TEST(Document, HasMeltanosBytes) {
  EXPECT_EQ(write_document({.completed = json::read(R"({"singer_state":{"bookmarks":{}}})")}),
            R"({"completed": {"singer_state": {"bookmarks": {}}}, "partial": {}})");
}

TEST(Document, OfDuplicateKeysTheLastCounts) {
  EXPECT_EQ(write_document(read_document(R"({"partial": {"a": 1, "b": 2, "a": 3}})")),
            R"({"completed": {}, "partial": {"a": 3, "b": 2}})");
}

TEST(Document, RefusesWhatIsNone) {
  for (const char* bytes : {"", "{", "[]", "7", R"({"completed": []})", R"({"partial": "x"})"}) {
    try {
      read_document(bytes);
      ADD_FAILURE() << bytes;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << bytes;
    }
  }
}

TEST(EffectiveState, TakesANullHalfForAnEmptyOne) {
  EXPECT_EQ(
      json::write(effective_state(read_document(R"({"completed": null, "partial": {"a": 1}})"))),
      R"({"a":1})");
  EXPECT_EQ(
      json::write(effective_state(read_document(R"({"completed": {"a": 1}, "partial": null})"))),
      R"({"a":1})");
}

TEST(IsEmptyState, HoldsNoScalarButNullAtAnyDepth) {
  for (const char* text :
       {"{}", R"({"bookmarks": {}})", R"({"a": [null, {}], "b": null})", "null"}) {
    EXPECT_TRUE(is_empty_state(json::read(text))) << text;
  }
  for (const char* text : {R"({"a": 0})", R"({"a": [false]})", R"({"a": {"b": ""}})"}) {
    EXPECT_FALSE(is_empty_state(json::read(text))) << text;
  }
}

}  // namespace
}  // namespace tidemark::state
