#include "tidemark/state/difference.h"

#include <gtest/gtest.h>

#include "tidemark/json/read.h"

namespace tidemark::state {
namespace {

Document document(std::string_view text) { return read_document(text); }

TEST(Differences, NamesEachPlaceWithBothValues) {
  const auto found = differences(
      document(R"({"completed": {"singer_state": {"bookmarks": {"a": {"id": 1}, "b": 2}}}})"),
      document(R"({"completed": {"singer_state": {"bookmarks": {"a": {"id": 5}, "c": []}}}})"));
  const std::string path = "completed.singer_state.bookmarks.";
  EXPECT_EQ(found, (std::vector<Difference>{
                       {.path = path + "a.id", .before = 1, .after = 5},
                       {.path = path + "b", .before = 2, .after = {}},
                       {.path = path + "c", .before = {}, .after = json::Array{}},
                   }));
}

TEST(Differences, DoesNotCareForTheOrderOfKeys) {
  EXPECT_TRUE(differences(document(R"({"completed": {"a": {"x": 1, "y": 2}}})"),
                          document(R"({"completed": {"a": {"y": 2, "x": 1}}})"))
                  .empty());
}

TEST(Differences, SeesNumberTextNullAndArraysAsAWhole) {
  const auto found = differences(document(R"({"partial": {"n": 1, "o": null, "l": [1, 2]}})"),
                                 document(R"({"partial": {"n": 1.0, "o": {}, "l": [1]}})"));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].path, "partial.n");
  EXPECT_EQ(found[1].after, json::Value(json::Object{}));
  EXPECT_EQ(found[2].before, json::read("[1, 2]"));
}

TEST(Differences, QuotesKeysThatAreNoPlainWords) {
  const auto found = differences(document(R"({"completed": {"a.b": {"": 1, "c d": 2}}})"), {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].path, R"(completed."a.b")");
}

TEST(Differences, NoDocumentIsAnEmptyOne) {
  EXPECT_TRUE(differences(std::nullopt, Document()).empty());
  EXPECT_EQ(differences(std::nullopt, document(R"({"extra": 1})")),
            (std::vector<Difference>{{.path = "extra", .before = {}, .after = 1}}));
}

}  // namespace
}  // namespace tidemark::state
