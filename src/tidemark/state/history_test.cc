#include "tidemark/state/history.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/memory.h"
#include "tidemark/json/read.h"
#include "tidemark/state/testing.h"

namespace tidemark::state {
namespace {

Document document(int value) { return {.completed = json::Object{{"a", value}}}; }

class HistoryTest : public testing::Test {
 protected:
  void append(const std::optional<Document>& before, const std::optional<Document>& after,
              bool met_foreign = false) {
    history_.append("x", history_.load("x"),
                    {.time = world_.clock.now(),
                     .before = before,
                     .after = after,
                     .author = author_,
                     .met_foreign = met_foreign});
    world_.clock.advance(std::chrono::seconds(1));
  }
  std::vector<HistoryEntry> entries() { return history_.load("x").entries; }

  TestWorld world_;
  std::unique_ptr<blob::BlobStore> objects_ = blob::make_memory_store(world_.clock);
  History history_{*objects_};
  Author author_{.who = "me@host", .operation = "state set", .run_id = ""};
};

TEST_F(HistoryTest, EntersWhoWroteWhatAndWhen) {
  const Time now = world_.clock.now();
  append(std::nullopt, document(1));
  append(document(1), document(2));
  const auto found = entries();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], (HistoryEntry{.sequence = 1,
                                    .time = now,
                                    .hash = document_hash(document(1)),
                                    .parent = "",
                                    .author = author_,
                                    .foreign_seen = {},
                                    .document = document(1)}));
  EXPECT_EQ(found[1].sequence, 2);
  EXPECT_EQ(found[1].parent, found[0].hash);
}

TEST_F(HistoryTest, EntersAForeignDocumentFirst) {
  append(std::nullopt, document(1));
  append(document(7), document(8));
  const auto found = entries();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[1].is_foreign());
  EXPECT_EQ(found[1].document, document(7));
  EXPECT_EQ(found[2].author, author_);
  EXPECT_TRUE(found[2].foreign_seen.has_value());
  append(document(8), document(9));
  EXPECT_EQ(entries().back().foreign_seen, found[2].foreign_seen) << "it is not forgotten";
}

TEST_F(HistoryTest, ADocumentWithoutAHistoryIsForeign) {
  append(document(7), document(8));
  EXPECT_EQ(entries().size(), 2U);
  EXPECT_TRUE(entries()[0].is_foreign());
}

// Writers that save one after the other may enter what they did in any order.
TEST_F(HistoryTest, SavesOfOursAreEnteredInTheirOrderWhoeverComesFirst) {
  append(std::nullopt, document(1));
  const HistoryLog read_before = history_.load("x");
  std::vector<int> order = {1, 2, 3, 4};  // each replaces the document of its number by the next
  do {
    for (const int before : order) {
      const Author author{.who = std::to_string(before), .operation = "state merge"};
      history_.append("x", read_before,
                      {.time = Time(std::chrono::seconds(before)),
                       .before = document(before),
                       .after = document(before + 1),
                       .author = author});
    }
    const auto found = entries();
    ASSERT_EQ(found.size(), 5U) << testing::PrintToString(order);
    for (size_t i = 1; i < found.size(); ++i) {
      EXPECT_EQ(found[i].document, document(static_cast<int>(i) + 1)) << i;
      EXPECT_EQ(found[i].author.who, std::to_string(i)) << testing::PrintToString(order);
      EXPECT_EQ(found[i].sequence, found[i - 1].sequence + 1);
      EXPECT_EQ(found[i].parent, found[i - 1].hash);
    }
    history_.replace("x", read_before.entries);
  } while (std::ranges::next_permutation(order).found);
}

TEST_F(HistoryTest, WhatAnotherToolWroteStandsBetweenSavesOfOursWhoeverComesFirst) {
  append(std::nullopt, document(1));
  const HistoryLog read_before = history_.load("x");
  // Another tool replaced 1 by 7, we that by 8, another of ours that by 9, and was here first.
  for (const int before : {8, 7}) {
    history_.append("x", read_before,
                    {.time = Time(std::chrono::seconds(before)),
                     .before = document(before),
                     .after = document(before + 1),
                     .author = author_});
  }
  const auto found = entries();
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[1].document, document(7));
  EXPECT_TRUE(found[1].is_foreign());
  EXPECT_EQ(found[2].author, author_);
  EXPECT_EQ(found[3].document, document(9));
  EXPECT_EQ(found[3].sequence, 4);
}

TEST_F(HistoryTest, AClearLeavesATombstoneAndSequencesGoOn) {
  append(std::nullopt, document(1));
  append(document(1), std::nullopt);
  EXPECT_TRUE(entries().back().is_tombstone());
  append(std::nullopt, document(2));
  EXPECT_EQ(entries().back().sequence, 3);
  EXPECT_EQ(entries().size(), 3U) << "a state that was cleared by us is not a foreign write";
}

TEST_F(HistoryTest, AChangeThatChangesNothingIsNotEntered) {
  append(std::nullopt, document(1));
  append(document(1), document(1));
  EXPECT_EQ(entries().size(), 1U);
}

TEST_F(HistoryTest, TheChangesOfOneRunAreOneEntry) {
  append(std::nullopt, document(1));
  author_ = {.who = "me@host", .operation = "run a b", .run_id = "r1"};
  append(document(1), document(2));
  append(document(2), document(3));
  ASSERT_EQ(entries().size(), 2U);
  EXPECT_EQ(entries().back().document, document(3));
  EXPECT_EQ(entries().back().hash, document_hash(document(3)));
  append(document(7), document(8));
  EXPECT_EQ(entries().size(), 4U) << "what others wrote in between stands between them";
  author_.run_id = "r2";
  append(document(8), document(9));
  EXPECT_EQ(entries().size(), 5U);
}

TEST_F(HistoryTest, KeepsTwentyEntries) {
  append(std::nullopt, document(1));
  for (int i = 1; i < 30; ++i) append(document(i), document(i + 1));
  const auto found = entries();
  ASSERT_EQ(found.size(), kMaxHistoryEntries);
  EXPECT_EQ(found.front().sequence, 11);
  EXPECT_EQ(found.back().document, document(30));
}

TEST_F(HistoryTest, KeepsOneMebibyteAndAlwaysTheNewest) {
  const auto large = [](int value) {
    Document document;
    document.completed =
        json::Object{{"text", std::string(400'000, static_cast<char>('a' + value))}};
    return document;
  };
  append(std::nullopt, large(0));
  for (int i = 0; i < 4; ++i) append(large(i), large(i + 1));
  EXPECT_EQ(entries().size(), 2U);
  Document huge;
  huge.completed = json::Object{{"text", std::string(2'000'000, 'x')}};
  append(large(4), huge);
  ASSERT_EQ(entries().size(), 1U);
  EXPECT_EQ(entries()[0].document, huge);
}

TEST_F(HistoryTest, AnEntryIsNamedByItsSequenceOrItsHash) {
  append(std::nullopt, document(1));
  append(document(1), document(2));
  append(document(2), document(1));
  const auto found = entries();
  EXPECT_EQ(find_entry(found, "2"), &found[1]);
  EXPECT_EQ(find_entry(found, "9"), nullptr);
  EXPECT_EQ(find_entry(found, found[0].hash.substr(0, 6)), &found[2]) << "the newest that has it";
  EXPECT_EQ(find_entry(found, found[0].hash.substr(0, 3)), nullptr);
  EXPECT_EQ(find_entry(found, ""), nullptr);
}

TEST_F(HistoryTest, TellsWhetherOnlyWeWroteSince) {
  append(std::nullopt, document(1));
  append(document(1), document(2));
  EXPECT_TRUE(leads_from(history_.load("x"), document(1), document(2)));
  EXPECT_FALSE(leads_from(history_.load("x"), document(5), document(2)));
  EXPECT_FALSE(leads_from(history_.load("x"), document(1), document(3)));
  append(document(3), document(4));
  EXPECT_FALSE(leads_from(history_.load("x"), document(2), document(4)));
}

TEST_F(HistoryTest, SurvivesWritingAndReading) {
  append(read_document(R"({"completed": {"n": 1.50, "x": NaN, "s": "\ud800"}, "partial": null})"),
         document(1));
  const auto found = entries();
  EXPECT_EQ(read_history(write_history(found)), found);
  EXPECT_EQ(found[0].document->completed.find("n")->as_number().text(), "1.50");
}

TEST_F(HistoryTest, NamesTheLineThatIsCorrupt) {
  append(std::nullopt, document(1));
  const std::string text = objects_->get(".tidemark/x/history.jsonl")->bytes;
  objects_->put(".tidemark/x/history.jsonl", text + "{\"sequence\": 2}\n", blob::Always());
  try {
    history_.load("x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    EXPECT_THAT(error.message(), testing::HasSubstr("history of state x in memory:"));
    EXPECT_THAT(error.message(), testing::HasSubstr("line 2: no `time`"));
  }
}

TEST_F(HistoryTest, PurgeRemovesEverything) {
  append(std::nullopt, document(1));
  history_.purge("x");
  EXPECT_TRUE(entries().empty());
}

}  // namespace
}  // namespace tidemark::state
