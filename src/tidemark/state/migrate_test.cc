#include "tidemark/state/migrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/memory.h"
#include "tidemark/blob/test_stores.h"
#include "tidemark/json/read.h"
#include "tidemark/state/blob_state_store.h"
#include "tidemark/state/service.h"
#include "tidemark/state/testing.h"

namespace tidemark::state {
namespace {

using testing::ElementsAre;
using testing::Pair;

class MigrateTest : public testing::Test {
 protected:
  MigrateTest() {
    open(from_, blob::make_memory_store(world_.clock));
    open(to_, blob::make_memory_store(world_.clock));
  }
  void open(Backend& backend, std::unique_ptr<blob::BlobStore> objects) {
    backend.objects = std::move(objects);
    backend.states = make_blob_state_store(*backend.objects, BlobStateKind::kS3, world_.context);
    backend.has_lock_objects = true;
    backend.lock_timeout = std::chrono::seconds(10);
  }
  void set(Backend& backend, std::string_view id, int value) {
    StateService(backend, {.who = "me@host", .operation = "state set", .run_id = ""},
                 world_.context)
        .set(id, json::Object{{"singer_state", value}}, {});
  }
  std::vector<std::pair<std::string, MigrateOutcome>> run(const MigrateOptions& options = {}) {
    std::vector<std::pair<std::string, MigrateOutcome>> outcomes;
    migrated_.clear();
    migrate(from_, to_, author_, options, world_.context, [&](const Migrated& migrated) {
      outcomes.emplace_back(migrated.id, migrated.outcome);
      migrated_.push_back(migrated);
    });
    return outcomes;
  }
  std::vector<HistoryEntry> history(std::string_view id) {
    return History(*to_.objects).load(id).entries;
  }

  TestWorld world_;
  Backend from_;
  Backend to_;
  std::vector<Migrated> migrated_;
  Author author_{.who = "me@host", .operation = "state migrate", .run_id = ""};
};

TEST_F(MigrateTest, CopiesStatesThatMatchWithTheirHistory) {
  set(from_, "prod:a", 1);
  set(from_, "prod:a", 2);
  set(from_, "dev:c", 3);
  EXPECT_THAT(run({.pattern = "prod:*"}), ElementsAre(Pair("prod:a", MigrateOutcome::kCopied)));
  EXPECT_EQ(to_.states->load("prod:a")->document, from_.states->load("prod:a")->document);
  EXPECT_FALSE(to_.states->load("dev:c"));
  const auto entries = history("prod:a");
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].author.operation, "state set");
  EXPECT_EQ(entries[2].author, author_);
  EXPECT_EQ(entries[2].sequence, 3);
}

TEST_F(MigrateTest, ADryRunWritesNothing) {
  set(from_, "a", 1);
  EXPECT_THAT(run({.is_dry_run = true}), ElementsAre(Pair("a", MigrateOutcome::kCopied)));
  EXPECT_FALSE(to_.states->load("a"));
  EXPECT_TRUE(history("a").empty());
}

// One whose time costs a write, as that of a directory, and that takes none.
class ReadOnlyStore final : public blob::ForwardingStore {
 public:
  using blob::ForwardingStore::ForwardingStore;
  std::optional<blob::Version> put(std::string_view, std::string_view,
                                   const blob::Condition&) override {
    throw Error(ErrorCode::kUnauthorized, "read-only");
  }
  bool remove(std::string_view, const blob::Condition&) override {
    throw Error(ErrorCode::kUnauthorized, "read-only");
  }
  Time store_time() override { throw Error(ErrorCode::kUnauthorized, "read-only"); }
  blob::Capabilities capabilities() const override { return {.time_takes_write = true}; }
};

TEST_F(MigrateTest, OnlyReadsTheSourceAndInADryRunTheTargetToo) {
  const auto source = blob::make_memory_store(world_.clock);
  open(from_, std::make_unique<blob::ForwardingStore>(*source));
  set(from_, "a", 1);
  const auto lease = Lease::acquire(*source, {.ids = {"a"}, .author = author_}, world_.context);
  open(from_, std::make_unique<ReadOnlyStore>(*source));
  EXPECT_THAT(run(), ElementsAre(Pair("a", MigrateOutcome::kHeld)));
  const auto target = blob::make_memory_store(world_.clock);
  const auto there = Lease::acquire(*target, {.ids = {"a"}, .author = author_}, world_.context);
  open(to_, std::make_unique<ReadOnlyStore>(*target));
  EXPECT_THAT(run({.is_dry_run = true}), ElementsAre(Pair("a", MigrateOutcome::kHeld)));
  world_.clock.advance(std::chrono::minutes(2));
  EXPECT_THAT(run({.is_dry_run = true}), ElementsAre(Pair("a", MigrateOutcome::kCopied)));
}

TEST_F(MigrateTest, LeavesOtherStatesAloneUnlessAsked) {
  set(from_, "a", 1);
  set(to_, "a", 2);
  EXPECT_THAT(run(), ElementsAre(Pair("a", MigrateOutcome::kDiffers)));
  EXPECT_EQ(to_.states->load("a")->document.completed.find("singer_state")->as_int64(), 2);
  EXPECT_THAT(run({.overwrites = true}), ElementsAre(Pair("a", MigrateOutcome::kCopied)));
  EXPECT_EQ(to_.states->load("a")->document.completed.find("singer_state")->as_int64(), 1);
  EXPECT_EQ(history("a").size(), 2U) << "the target keeps its own history";
}

TEST_F(MigrateTest, LeavesOutNoIdWithASlash) {
  set(from_, "team/a", 1);
  set(from_, "a", 2);
  EXPECT_THAT(run(), ElementsAre(Pair("a", MigrateOutcome::kCopied),
                                 Pair("team/a", MigrateOutcome::kCopied)));
  EXPECT_EQ(to_.states->load("team/a")->document, from_.states->load("team/a")->document);
}

TEST_F(MigrateTest, LeavesAloneWhatSomebodyWorksOnUnlessAsked) {
  set(from_, "a", 1);
  set(from_, "b", 2);
  set(from_, "c", 3);
  const Author runner{.who = "run@host", .operation = "run tap-a target-b", .run_id = "r1"};
  const auto here =
      Lease::acquire(*from_.objects, {.ids = {"a"}, .author = runner}, world_.context);
  const auto there = Lease::acquire(*to_.objects, {.ids = {"b"}, .author = runner}, world_.context);
  for (const bool is_dry_run : {true, false}) {
    EXPECT_THAT(run({.is_dry_run = is_dry_run}),
                ElementsAre(Pair("a", MigrateOutcome::kHeld), Pair("b", MigrateOutcome::kHeld),
                            Pair("c", MigrateOutcome::kCopied)));
    ASSERT_TRUE(migrated_[0].holder);
    EXPECT_EQ(migrated_[0].holder->record.author, runner);
  }
  EXPECT_FALSE(to_.states->load("a"));
  EXPECT_FALSE(to_.states->load("b"));
  EXPECT_THAT(run({.overwrites = true}),
              ElementsAre(Pair("a", MigrateOutcome::kCopied), Pair("b", MigrateOutcome::kCopied),
                          Pair("c", MigrateOutcome::kUnchanged)));
}

TEST_F(MigrateTest, TellsTheWarningsOfTheSave) {
  set(from_, "a", 1);
  to_.objects->put(record_key("a", "history.jsonl"), "no history\n", blob::Always{});
  from_.objects->remove(record_key("a", "history.jsonl"), blob::Always{});
  EXPECT_THAT(run(), ElementsAre(Pair("a", MigrateOutcome::kCopied)));
  EXPECT_THAT(migrated_[0].warnings, testing::Each(testing::HasSubstr("history of state a")));
  EXPECT_FALSE(migrated_[0].warnings.empty());
}

TEST_F(MigrateTest, GoesOnWhereItStoppedAtAnyCall) {
  uint64_t calls = 1;
  for (uint64_t stop = 1; stop <= calls; ++stop) {
    from_ = {};
    to_ = {};
    const auto target = blob::make_memory_store(world_.clock);
    open(from_, blob::make_memory_store(world_.clock));
    set(from_, "a", 1);
    set(from_, "a", 2);
    set(from_, "b", 3);
    uint64_t count = 0;
    bool is_armed = true;
    open(to_, std::make_unique<blob::FaultyStore>(*target, [&](const blob::Call&) {
           if (++count == stop && is_armed) throw Error(ErrorCode::kInternal, "stopped");
           return blob::Fault::kNone;
         }));
    try {
      run();
    } catch (const Error&) {
    }
    if (count >= stop) calls = stop + 1;
    is_armed = false;
    EXPECT_EQ(run().size(), 2U) << stop;
    EXPECT_GE(history("a").size(), 2U) << stop;
    EXPECT_EQ(history("a").back().document, from_.states->load("a")->document) << stop;
    EXPECT_EQ(to_.states->load("b")->document, from_.states->load("b")->document);
    to_ = {};
  }
  EXPECT_GT(calls, 20U);
}

TEST_F(MigrateTest, FindsATargetThatKeepsSomethingElse) {
  class Liar final : public blob::ForwardingStore {
   public:
    using ForwardingStore::ForwardingStore;
    std::optional<blob::Version> put(std::string_view key, std::string_view bytes,
                                     const blob::Condition& condition) override {
      return ForwardingStore::put(key, key == "a/state.json" ? "{}" : bytes, condition);
    }
  };
  set(from_, "a", 1);
  const auto target = blob::make_memory_store(world_.clock);
  open(to_, std::make_unique<Liar>(*target));
  EXPECT_THROW(run(), Error);
  to_ = {};
}

}  // namespace
}  // namespace tidemark::state
