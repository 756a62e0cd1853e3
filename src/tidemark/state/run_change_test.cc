#include "tidemark/state/run_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"

namespace tidemark::state {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A document whose completed half has this singer_state.
Document complete(std::string_view state) {
  return {.completed = json::Object{{"singer_state", json::read(state)}}};
}

// A run that started from this, which is what is stored.
RunView started_from(std::string_view state) {
  return {.base = complete(state), .seen = json::read(state)};
}

RunChange change(std::string_view state, const RunView& view, const std::optional<Document>& now) {
  return change_document(StateStrategy::kAuto, json::read(state), view, now);
}

TEST(RunChange, StreamsThatANewStateDoesNotNameKeepTheirs) {
  const RunView view = started_from(R"({"bookmarks": {"a": 5, "b": 9}})");
  EXPECT_EQ(change(R"({"bookmarks": {"b": 10, "c": 1}})", view, view.base).document,
            complete(R"({"bookmarks": {"b": 10, "c": 1, "a": 5}})"));
  EXPECT_EQ(change(R"({"currently_syncing": "b"})", view, view.base).document,
            complete(R"({"currently_syncing": "b", "bookmarks": {"a": 5, "b": 9}})"));
}

TEST(RunChange, MembersBesideTheBookmarksAreCarriedAlongAndNullClearsThem) {
  const RunView view = started_from(R"({"bookmarks": {"a": 1}, "currently_syncing": "a", "x": 1})");
  EXPECT_EQ(
      change(R"({"bookmarks": {"b": 2}, "currently_syncing": null})", view, view.base).document,
      complete(R"({"bookmarks": {"b": 2, "a": 1}, "currently_syncing": null, "x": 1})"));
}

TEST(RunChange, WhereARunStoppedIsNotCarriedIntoTheNextState) {
  const RunView view = started_from(R"({"bookmarks": {"a": 1}, "currently_syncing": "a"})");
  EXPECT_EQ(change(R"({"bookmarks": {"a": 2}})", view, view.base).document,
            complete(R"({"bookmarks": {"a": 2}})"));
}

TEST(RunChange, WhatStoodInThePartialHalfIsPartOfTheNewState) {
  RunView view = started_from(R"({"bookmarks": {"a": 1, "b": 1}})");
  view.base->partial = json::read(R"({"singer_state": {"bookmarks": {"b": 7}}, "k": 1})");
  view.base->others = json::Object{{"note", "kept"}};
  const Document made = change(R"({"bookmarks": {"a": 2}})", view, view.base).document;
  EXPECT_EQ(made.completed,
            json::read(R"({"singer_state": {"bookmarks": {"a": 2, "b": 7}}, "k": 1})"));
  EXPECT_EQ(made.partial, json::Value(json::Object{}));
  EXPECT_EQ(made.others, view.base->others);
}

TEST(RunChange, AStreamThatOnlyOthersChangedKeepsTheirs) {
  const RunView view = started_from(R"({"bookmarks": {"a": 5, "b": 9}})");
  const Document now = complete(R"({"bookmarks": {"a": 3, "b": 9}})");
  const RunChange made = change(R"({"bookmarks": {"a": 5, "b": 10}})", view, now);
  EXPECT_EQ(made.document, complete(R"({"bookmarks": {"a": 3, "b": 10}})"));
  EXPECT_THAT(made.warnings, ElementsAre(HasSubstr("the bookmark of a was changed by others")));
  EXPECT_THAT(made.warnings, ElementsAre(HasSubstr("theirs is kept")));
}

TEST(RunChange, AndItKeepsTheirsWhileTheRunDoesNotChangeIt) {
  RunView view = started_from(R"({"bookmarks": {"a": 5, "b": 9}})");
  view.base = complete(R"({"bookmarks": {"a": 3, "b": 10}})");
  view.seen = json::read(R"({"bookmarks": {"a": 5, "b": 10}})");
  const RunChange made = change(R"({"bookmarks": {"a": 5, "b": 11}})", view, view.base);
  EXPECT_EQ(made.document, complete(R"({"bookmarks": {"a": 3, "b": 11}})"));
  EXPECT_THAT(made.warnings, IsEmpty()) << "it was said before";
  EXPECT_EQ(change(R"({"bookmarks": {"a": 6, "b": 11}})", view, view.base).document,
            complete(R"({"bookmarks": {"a": 6, "b": 11}})"));
}

TEST(RunChange, AStreamThatBothChangedIsOursAndSaidSo) {
  const RunView view = started_from(R"({"bookmarks": {"a": 5}})");
  const RunChange made =
      change(R"({"bookmarks": {"a": 7}})", view, complete(R"({"bookmarks": {"a": 6}})"));
  EXPECT_EQ(made.document, complete(R"({"bookmarks": {"a": 7}})"));
  EXPECT_THAT(made.warnings, ElementsAre(HasSubstr("the run's own replaces it")));
}

TEST(RunChange, AStreamThatOthersRemovedStaysRemovedUnlessTheRunMovedIt) {
  const RunView view = started_from(R"({"bookmarks": {"a": 5, "b": 9}})");
  const RunChange made = change(R"({"bookmarks": {"a": 5, "b": 10}})", view, std::nullopt);
  EXPECT_EQ(made.document.completed,
            json::read(R"({"singer_state": {"bookmarks": {"a": 5, "b": 10}}})"))
      << "a state that is gone as a whole is written as a whole";
  const RunChange other =
      change(R"({"bookmarks": {"a": 5, "b": 10}})", view, complete(R"({"bookmarks": {}})"));
  EXPECT_EQ(other.document, complete(R"({"bookmarks": {"b": 10}})"));
  EXPECT_EQ(other.warnings.size(), 2U);
}

TEST(RunChange, AStateThatKeepsNoBookmarksIsTakenAsItIs) {
  const RunView view = started_from(R"({"last": 5})");
  EXPECT_EQ(change(R"({"last": 6})", view, view.base).document, complete(R"({"last": 6})"));
  EXPECT_EQ(change(R"({"bookmarks": [1]})", view, view.base).document,
            complete(R"({"bookmarks": [1], "last": 5})"));
}

TEST(RunChange, MergeGoesIntoThePartialHalfOfWhateverIsThere) {
  const RunView view = started_from(R"({"bookmarks": {"a": 5}})");
  const Document now = complete(R"({"bookmarks": {"a": 6}})");
  const RunChange made =
      change_document(StateStrategy::kMerge, json::read(R"({"bookmarks": {"b": 1}})"), view, now);
  EXPECT_EQ(made.document.completed, now.completed);
  EXPECT_EQ(made.document.partial, json::read(R"({"singer_state": {"bookmarks": {"b": 1}}})"));
  EXPECT_THAT(made.warnings, IsEmpty());
}

TEST(RunChange, OverwriteKeepsNothingAndSaysWhoWasOverwritten) {
  const RunView view = started_from(R"({"bookmarks": {"a": 5, "b": 9}})");
  const json::Value state = json::read(R"({"bookmarks": {"b": 1}})");
  RunChange made = change_document(StateStrategy::kOverwrite, state, view, view.base);
  EXPECT_EQ(made.document, complete(R"({"bookmarks": {"b": 1}})"));
  EXPECT_THAT(made.warnings, IsEmpty());
  made = change_document(StateStrategy::kOverwrite, state, view,
                         complete(R"({"bookmarks": {"a": 6}})"));
  EXPECT_EQ(made.document, complete(R"({"bookmarks": {"b": 1}})"));
  EXPECT_THAT(made.warnings, ElementsAre(HasSubstr("the history has theirs")));
}

TEST(RunChange, ADocumentThatContradictsItselfIsRefused) {
  Document torn = complete(R"({"bookmarks": 1})");
  torn.partial = json::read(R"({"singer_state": {"bookmarks": {"a": 1}}})");
  EXPECT_THROW(change(R"({"bookmarks": {"a": 2}})", {}, torn), Error);
}

}  // namespace
}  // namespace tidemark::state
