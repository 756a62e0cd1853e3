#include "tidemark/state/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/state/service_fixture.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(StateServiceTest, SetWritesACompleteStateAndItsHistory) {
  ASSERT_TRUE(is_saved(service_.set("a", state(R"({"x": 1})"), {})));
  EXPECT_EQ(stored("a"),
            R"({"completed": {"singer_state": {"bookmarks": {"x": 1}}}, "partial": {}})");
  EXPECT_FALSE(objects_->get("a/lock"));
  const auto details = service_.show("a");
  EXPECT_EQ(details->written->author, author_);
  EXPECT_FALSE(details->lease);
}

TEST_F(StateServiceTest, SetCostsSevenRequestsAndTheReadBackOfTheLock) {
  service_.set("a", state("{}"), {});
  calls_.clear();
  service_.set("a", state(R"({"x": 1})"), {});
  std::erase_if(calls_, [](const auto& call) { return call.starts_with("store_time"); });
  EXPECT_THAT(calls_,
              ElementsAre("get .tidemark/a/lease.json", "put a/lock",
                          "get .tidemark/a/history.jsonl", "get a/state.json", "put a/state.json",
                          "put .tidemark/a/history.jsonl", "get a/lock", "remove a/lock"));
}

TEST_F(StateServiceTest, SetErasesThePartialHalfAndKeepsUnknownKeys) {
  write_foreign("a", R"({"completed": {}, "partial": {"p": 1}, "extra": [1.50]})");
  service_.set("a", state("{}"), {});
  EXPECT_EQ(
      stored("a"),
      R"({"completed": {"singer_state": {"bookmarks": {}}}, "partial": {}, "extra": [1.50]})");
}

TEST_F(StateServiceTest, MergeGoesIntoThePartialHalf) {
  service_.merge("a", state(R"({"x": 1})"));
  service_.merge("a", state(R"({"y": {"id": 2}})"));
  EXPECT_EQ(stored("a"), R"({"completed": {}, "partial": )"
                         R"({"singer_state": {"bookmarks": {"x": 1, "y": {"id": 2}}}}})");
}

TEST_F(StateServiceTest, AMergeThatCannotBeWritesNothingAndNamesThePath) {
  service_.merge("a", state(R"({"x": 1})"));
  const std::string before = stored("a");
  const auto result = service_.merge("a", state(R"({"x": {"id": 2}})"));
  EXPECT_THAT(std::get<Invalid>(result).reason, HasSubstr("`singer_state.bookmarks.x`"));
  EXPECT_EQ(stored("a"), before);
  EXPECT_FALSE(objects_->get("a/lock"));
}

TEST_F(StateServiceTest, MergesSeveralSourcesTheLaterOverTheEarlier) {
  service_.set("x", state(R"({"s": 5, "t": 1})"), {});
  service_.set("y", state(R"({"s": 7})"), {});
  const auto missing = service_.gather({"x", "none", "y"});
  EXPECT_EQ(std::get<NotFound>(std::get<WriteResult>(missing)).what, "state none");
  const auto gathered = service_.gather({"x", "y"});
  EXPECT_EQ(json::write(std::get<json::Value>(gathered)),
            R"({"singer_state":{"bookmarks":{"s":7,"t":1}}})");
  EXPECT_EQ(stored("z"), "nothing");
}

TEST_F(StateServiceTest, CopyTakesTheEffectiveState) {
  write_foreign(
      "a", R"({"completed": {"singer_state": {"k": 1}}, "partial": {"singer_state": {"k": 2}}})");
  EXPECT_TRUE(is_saved(service_.copy("a", "b", {})));
  EXPECT_EQ(stored("b"), R"({"completed": {"singer_state": {"k": 2}}, "partial": {}})");
  EXPECT_EQ(std::get<NotFound>(service_.copy("none", "b", {})).what, "state none");
}

TEST_F(StateServiceTest, MoveLeavesOnlyTheTarget) {
  service_.set("a", state(R"({"x": 1})"), {});
  EXPECT_TRUE(is_saved(service_.move("a", "b", {})));
  EXPECT_EQ(stored("a"), "nothing");
  EXPECT_EQ(effective("b"), R"({"singer_state":{"bookmarks":{"x":1}}})");
  EXPECT_TRUE(service_.history("a").back().is_tombstone());
  EXPECT_THAT(std::get<Invalid>(service_.move("b", "b", {})).reason, HasSubstr("onto itself"));
}

TEST_F(StateServiceTest, MoveKeepsASourceThatChangedMeanwhile) {
  service_.set("a", state(R"({"x": 1})"), {});
  before("put", "b/state.json",
         [&] { write_foreign("a", R"({"completed": {"singer_state": 2}})"); });
  const auto result = service_.move("a", "b", {});
  ASSERT_TRUE(is_saved(result));
  EXPECT_EQ(std::get<Saved>(result).unfinished,
            "state a is copied to b, but somebody changed it meanwhile: it stays where it is");
  EXPECT_EQ(stored("a"), R"({"completed": {"singer_state": 2}})");
  EXPECT_EQ(effective("b"), R"({"singer_state":{"bookmarks":{"x":1}}})");
}

TEST_F(StateServiceTest, ClearLeavesATombstoneAndPurgeNothing) {
  service_.set("a", state(R"({"x": 1})"), {});
  EXPECT_TRUE(is_saved(service_.clear("a", false, {})));
  EXPECT_EQ(stored("a"), "nothing");
  EXPECT_TRUE(service_.history("a").back().is_tombstone());
  EXPECT_TRUE(std::holds_alternative<NotFound>(service_.clear("a", false, {})));
  service_.set("a", state("{}"), {});
  EXPECT_EQ(service_.history("a").size(), 3U);
  service_.clear("a", true, {});
  EXPECT_TRUE(service_.history("a").empty());
}

TEST_F(StateServiceTest, ClearRemovesOnlyWhatWasShown) {
  service_.set("a", state(R"({"x": 1})"), {});
  WriteOptions options;
  options.shown = Shown{service_.states().load("a")};
  service_.merge("a", state(R"({"y": 2})"));
  const auto result = service_.clear("a", false, options);
  EXPECT_EQ(std::get<Conflict>(result).difference.size(), 1U);
  EXPECT_NE(stored("a"), "nothing");
}

TEST_F(StateServiceTest, RollbackRestoresAnEntry) {
  service_.set("a", state(R"({"x": 1})"), {});
  service_.set("a", state(R"({"x": 2})"), {});
  EXPECT_TRUE(is_saved(service_.rollback("a", "1", {})));
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":1}}})");
  EXPECT_EQ(service_.history("a").back().sequence, 3);
  EXPECT_EQ(std::get<NotFound>(service_.rollback("a", "9", {})).what, "revision 9 of state a");
  service_.clear("a", false, {});
  EXPECT_THAT(std::get<Invalid>(service_.rollback("a", "4", {})).reason, HasSubstr("cleared"));
  EXPECT_TRUE(is_saved(service_.rollback("a", "2", {}))) << "also of a state that is gone";
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":2}}})");
}

TEST_F(StateServiceTest, ImportTakesAMissingOrNullHalfForAnEmptyOne) {
  const json::Value exported = json::read(R"({"partial": null, "completed": {"k": 1}, "x": 2})");
  service_.import("a", read_exported(exported), {});
  EXPECT_EQ(stored("a"), R"({"completed": {"k": 1}, "partial": {}, "x": 2})");
  for (const char* other : {R"({"completed": 1})", "[]"}) {
    EXPECT_THROW(read_exported(json::read(other)), Error) << other;
  }
}

TEST_F(StateServiceTest, AnEmptyStateIsNotCopiedOverAnother) {
  write_foreign("empty", R"({"completed": {}, "partial": {}})");
  service_.set("a", state(R"({"x": 1})"), {});
  EXPECT_TRUE(std::holds_alternative<Invalid>(service_.copy("empty", "a", {})));
  EXPECT_TRUE(std::holds_alternative<Invalid>(service_.move("empty", "a", {})));
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":1}}})");
}

TEST_F(StateServiceTest, AForcedSetReplacesWhatCannotBeReadAndKeepsIt) {
  write_foreign("a", "{\"completed\": ");
  try {
    service_.set("a", state("{}"), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    EXPECT_THAT(error.message(), HasSubstr("set --force"));
  }
  EXPECT_EQ(stored("a"), "{\"completed\": ");
  const auto result = service_.set("a", state(R"({"x": 1})"), {.is_forced = true});
  ASSERT_TRUE(is_saved(result));
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":1}}})");
  std::string kept;
  objects_->list({.prefix = ".tidemark/a/unreadable-"}, [&](std::string_view key) { kept = key; });
  EXPECT_EQ(objects_->get(kept)->bytes, "{\"completed\": ");
  EXPECT_THAT(std::get<Saved>(result).warnings, ElementsAre(HasSubstr(kept)));
}

TEST_F(StateServiceTest, WhatCannotBeReadIsSaidOnceThoughItIsTriedAgain) {
  write_foreign("a", "x");
  bool is_done = false;
  on_call_ = [&](const blob::Call& call) {
    if (is_done || call.operation != "put" || call.key != "a/state.json") return blob::Fault::kNone;
    is_done = true;
    return blob::Fault::kRefused;
  };
  const auto result = service_.set("a", state(R"({"x": 1})"), {.is_forced = true});
  ASSERT_TRUE(is_saved(result));
  EXPECT_THAT(std::get<Saved>(result).warnings, ElementsAre(HasSubstr("unreadable-")));
}

TEST_F(StateServiceTest, ClearRemovesWhatCannotBeReadIfItIsWhatWasShown) {
  write_foreign("a", "x");
  WriteOptions options{.shown = service_.look("a")};
  write_foreign("a", "y");
  EXPECT_TRUE(std::holds_alternative<Conflict>(service_.clear("a", false, options)));
  EXPECT_EQ(stored("a"), "y");
  options.shown = service_.look("a");
  const auto result = service_.clear("a", false, options);
  ASSERT_TRUE(is_saved(result));
  EXPECT_EQ(stored("a"), "nothing");
  EXPECT_THAT(std::get<Saved>(result).warnings, ElementsAre(HasSubstr("unreadable-")));
}

TEST_F(StateServiceTest, ALeaseThatCannotBeReadCountsAsHeldUntilItIsBroken) {
  service_.set("a", state(R"({"x": 1})"), {});
  const std::string torn(300, 'x');
  objects_->put(".tidemark/a/lease.json", torn, blob::Always());
  const auto result = service_.set("a", state("{}"), {});
  EXPECT_TRUE(std::get<Locked>(result).lease->is_unreadable);
  EXPECT_TRUE(std::holds_alternative<Locked>(service_.clear("a", false, {})));
  ASSERT_EQ(service_.locks().leases.size(), 1U);
  EXPECT_EQ(service_.locks_of("a").leases, service_.locks().leases);
  EXPECT_TRUE(service_.unlock("a").leases.at(0).is_unreadable);
  EXPECT_TRUE(service_.locks().leases.empty());
  EXPECT_TRUE(is_saved(service_.clear("a", false, {})));
  std::string kept;
  objects_->list({.prefix = ".tidemark/a/unreadable-"}, [&](std::string_view key) { kept = key; });
  EXPECT_EQ(objects_->get(kept)->bytes, torn);
}

TEST_F(StateServiceTest, AForcedClearPassesALeaseThatCannotBeRead) {
  service_.set("a", state(R"({"x": 1})"), {});
  objects_->put(".tidemark/a/lease.json", "{}", blob::Always());
  EXPECT_TRUE(is_saved(service_.clear("a", false, {.is_forced = true})));
  EXPECT_EQ(stored("a"), "nothing");
}

TEST_F(StateServiceTest, ALiveLeaseStopsWritesButNotMerges) {
  service_.set("a", state(R"({"x": 1})"), {});
  TestWorld runner(200);
  world_.processes.running[200] = 2000;
  auto lease = Lease::acquire(*objects_, {.ids = {"a"}}, runner.context);
  const auto result = service_.set("a", state("{}"), {});
  EXPECT_EQ(std::get<Locked>(result).lease->record.process.pid, 200);
  EXPECT_TRUE(std::holds_alternative<Locked>(service_.clear("a", false, {})));
  EXPECT_TRUE(std::holds_alternative<Locked>(service_.rollback("a", "1", {})));
  EXPECT_TRUE(std::holds_alternative<Locked>(service_.move("a", "b", {})));
  EXPECT_TRUE(std::holds_alternative<Locked>(service_.copy("a", "a", {})));
  EXPECT_TRUE(is_saved(service_.merge("a", state(R"({"y": 1})"))));
  EXPECT_TRUE(is_saved(service_.set("a", state("{}"), {.is_forced = true})));
}

TEST_F(StateServiceTest, AForcedClearTakesTheLeaseAwayAndItsHolderSavesNothing) {
  service_.set("a", state(R"({"x": 1})"), {});
  TestWorld runner(200);
  world_.processes.running[200] = 2000;
  auto lease = Lease::acquire(*objects_, {.ids = {"a"}}, runner.context);
  EXPECT_TRUE(is_saved(service_.clear("a", false, {.is_forced = true})));
  EXPECT_FALSE(std::get<std::unique_ptr<Lease>>(lease)->renew());
}

// A holder that was stopped beyond its time wakes up in the middle of its save.
TEST_F(StateServiceTest, AHolderThatWakesUpLateWritesNothing) {
  service_.set("a", state(R"({"x": 1})"), {});
  auto taken = Lease::acquire(*objects_, {.ids = {"a"}}, world_.context);
  Lease& lease = *std::get<std::unique_ptr<Lease>>(taken);
  before("get", "a/state.json", [&] {
    world_.clock.advance(70s);
    TestWorld next(200);
    next.processes.set_self({.host = "far", .boot_id = "b2", .pid_namespace = 1, .pid = 7});
    auto result = Lease::acquire(*objects_, {.ids = {"a"}}, next.context);
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Lease>>(result));
  });
  const std::string stored_before = stored("a");
  const auto decide = [](const Round&) -> Decision { return Write{.document = {}, .kept = {}}; };
  const auto result = save_state(backend_, author_, world_.context, "a", decide, {.lease = &lease});
  EXPECT_TRUE(std::holds_alternative<Locked>(result));
  EXPECT_EQ(stored("a"), stored_before);
}

TEST_F(StateServiceTest, ALockThatStaysHeldStopsTheWrite) {
  int round = 0;
  objects_->put("a/lock", "0", blob::Always());
  world_.sleeper.meanwhile = [&] {
    objects_->put("a/lock", std::to_string(++round), blob::Always());
  };
  const auto result = service_.set("a", state("{}"), {});
  EXPECT_EQ(std::get<Locked>(result).lock, std::to_string(round));
  EXPECT_EQ(stored("a"), "nothing");
}

TEST_F(StateServiceTest, UnlockTakesLeaseAndLockAndTellsWhatWasThere) {
  TestWorld runner(200);
  world_.processes.running[200] = 2000;
  auto lease = Lease::acquire(*objects_, {.ids = {"a"}}, runner.context);
  objects_->put("a/lock", "1796038497.5", blob::Always());
  objects_->put("b/lock", "1", blob::Always());
  const Locks locks = service_.locks();
  EXPECT_EQ(locks.leases.size(), 1U);
  EXPECT_EQ(locks.locks.size(), 2U);
  const Locks broken = service_.unlock("a");
  EXPECT_EQ(broken.leases, locks.leases);
  EXPECT_THAT(broken.locks, ElementsAre(LockObject{.id = "a", .text = "1796038497.5"}));
  EXPECT_FALSE(std::get<std::unique_ptr<Lease>>(lease)->renew());
  EXPECT_TRUE(service_.unlock("a").leases.empty());
  EXPECT_EQ(service_.locks().locks.size(), 1U);
}

}  // namespace
}  // namespace tidemark::state
