#include "tidemark/state/service.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/memory.h"
#include "tidemark/blob/test_stores.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/os/temp_directory.h"
#include "tidemark/state/blob_state_store.h"
#include "tidemark/state/testing.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;
using blob::Call;
using blob::Fault;
using testing::ElementsAre;
using testing::HasSubstr;

json::Value state(std::string_view bookmarks) {
  return json::read(R"({"singer_state": {"bookmarks": )" + std::string(bookmarks) + "}}");
}

// A service over a store in memory, with calls that can fail or let others write.
class StateServiceTest : public testing::Test {
 protected:
  StateServiceTest() { open(); }

  void open() {
    backend_.objects = std::make_unique<blob::FaultyStore>(*objects_, [this](const Call& call) {
      calls_.push_back(std::string(call.operation) + " " + std::string(call.key));
      return on_call_ ? on_call_(call) : Fault::kNone;
    });
    backend_.states = make_blob_state_store(*backend_.objects, BlobStateKind::kS3, world_.context);
    backend_.has_lock_objects = true;
    backend_.lock_timeout = 10s;
    backend_.settle_time = 1s;
  }

  // Meltano writes, without looking.
  void write_foreign(std::string_view id, std::string_view document) {
    objects_->put(state_key(id), document, blob::Always());
  }
  std::string stored(std::string_view id) {
    const auto blob = objects_->get(state_key(id));
    return blob ? blob->bytes : "nothing";
  }
  std::string effective(std::string_view id) {
    return json::write(effective_state(read_document(stored(id))));
  }
  // Before the first call like this one.
  void before(std::string_view operation, std::string_view key, const std::function<void()>& act) {
    on_call_ = [=, is_done = false](const Call& call) mutable {
      if (!is_done && call.operation == operation && call.key == key) {
        is_done = true;
        act();
      }
      return Fault::kNone;
    };
  }
  static testing::AssertionResult is_saved(const WriteResult& result) {
    if (std::holds_alternative<Saved>(result)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "alternative " << result.index();
  }

  TestWorld world_;
  std::unique_ptr<blob::BlobStore> objects_ = blob::make_memory_store(world_.clock);
  std::function<Fault(const Call& call)> on_call_;
  std::vector<std::string> calls_;
  Backend backend_;
  Author author_{.who = "me@host", .operation = "state set", .run_id = ""};
  StateService service_{backend_, author_, world_.context};
};

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
  const auto missing = service_.merge_from("z", {"x", "none", "y"});
  EXPECT_EQ(std::get<NotFound>(missing).what, "state none");
  EXPECT_EQ(stored("z"), "nothing");
  EXPECT_TRUE(is_saved(service_.merge_from("z", {"x", "y"})));
  EXPECT_EQ(effective("z"), R"({"singer_state":{"bookmarks":{"s":7,"t":1}}})");
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
  EXPECT_EQ(std::get<Conflict>(result).id, "a");
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
  service_.import("a", json::read(R"({"partial": null, "completed": {"k": 1}, "x": 2})"), {});
  EXPECT_EQ(stored("a"), R"({"completed": {"k": 1}, "partial": {}, "x": 2})");
  const auto result = service_.import("a", json::read(R"({"completed": 1})"), {});
  EXPECT_THAT(std::get<Invalid>(result).reason, HasSubstr("`completed` must be an object"));
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

TEST_F(StateServiceTest, SetDoesNotOverwriteWhatItHasNotRead) {
  service_.set("a", state(R"({"x": 1})"), {});
  const std::string foreign = R"({"completed": {"singer_state": {"bookmarks": {"x": 5}}}})";
  before("put", "a/state.json", [&] { write_foreign("a", foreign); });
  const auto result = service_.set("a", state(R"({"x": 2})"), {});
  ASSERT_EQ(std::get<Conflict>(result).difference.size(), 1U);
  const Difference& difference = std::get<Conflict>(result).difference[0];
  EXPECT_EQ(difference.path, "completed.singer_state.bookmarks.x");
  EXPECT_EQ(difference.before, json::Value(1));
  EXPECT_EQ(difference.after, json::Value(5));
  EXPECT_EQ(stored("a"), foreign);
  EXPECT_FALSE(objects_->get("a/lock"));
}

TEST_F(StateServiceTest, AForcedSetOverwritesAndTheirsGoesToHistory) {
  service_.set("a", state(R"({"x": 1})"), {});
  before("put", "a/state.json", [&] {
    write_foreign("a", R"({"completed": {"singer_state": {"bookmarks": {"x": 5}}}})");
  });
  EXPECT_TRUE(is_saved(service_.set("a", state(R"({"x": 2})"), {.is_forced = true})));
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":2}}})");
  const auto history = service_.history("a");
  ASSERT_EQ(history.size(), 3U);
  EXPECT_TRUE(history[1].is_foreign());
}

TEST_F(StateServiceTest, MergeMeetsAConflictByMergingAgain) {
  service_.set("a", state(R"({"x": 1})"), {});
  before("put", "a/state.json", [&] {
    write_foreign("a",
                  R"({"completed": {"singer_state": {"bookmarks": {"x": 5}}}, "partial": {}})");
  });
  EXPECT_TRUE(is_saved(service_.merge("a", state(R"({"y": 2})"))));
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":5,"y":2}}})");
}

TEST_F(StateServiceTest, GivesUpAfterTenConflicts) {
  service_.set("a", state("{}"), {});
  int writes = 0;
  on_call_ = [&](const Call& call) {
    if (call.operation == "put" && call.key == "a/state.json") {
      write_foreign("a", R"({"completed": {"n": )" + std::to_string(++writes) + "}}");
    }
    return Fault::kNone;
  };
  const auto result = service_.merge("a", state(R"({"y": 2})"));
  EXPECT_TRUE(std::holds_alternative<Conflict>(result));
  EXPECT_EQ(writes, 10);
}

TEST_F(StateServiceTest, ALostAnswerOfASaveIsReadBack) {
  service_.set("a", state(R"({"x": 1})"), {});
  for (const Fault fault :
       {Fault::kAnswerLost, Fault::kAnswerLate, Fault::kRefused, Fault::kNoAnswer}) {
    bool is_done = false;
    on_call_ = [&](const Call& call) {
      if (is_done || call.operation != "put" || call.key != "a/state.json") return Fault::kNone;
      is_done = true;
      return fault;
    };
    const std::string bookmarks = R"({"x": )" + std::to_string(static_cast<int>(fault) + 10) + "}";
    EXPECT_TRUE(is_saved(service_.set("a", state(bookmarks), {})));
    EXPECT_EQ(effective("a"), json::write(state(bookmarks)));
  }
  on_call_ = nullptr;
  EXPECT_EQ(service_.history("a").size(), 5U) << "each is entered once";
}

// A full disk, or a service that throttles for good: said as what it is, not as a lock that
// somebody holds or a change that nobody made, and without an endless wait.
TEST_F(StateServiceTest, AStoreThatTakesNoWriteIsSaidSo) {
  service_.set("a", state(R"({"x": 1})"), {});
  for (const std::string key : {"a/lock", "a/state.json", ".tidemark/a/lease.json"}) {
    on_call_ = [&](const Call& call) {
      return call.operation == "put" && call.key == key ? Fault::kRefused : Fault::kNone;
    };
    const auto start = world_.clock.steady_now();
    try {
      service_.clear("a", false, {});
      ADD_FAILURE() << key;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnavailable) << key;
      EXPECT_THAT(error.message(), HasSubstr("a fault of the test")) << key;
    }
    EXPECT_LT(world_.clock.steady_now() - start, 10s) << key;
  }
  on_call_ = nullptr;
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":1}}})");
}

TEST_F(StateServiceTest, AWriteThatComesLateIsOurs) {
  service_.set("a", state(R"({"x": 1})"), {});
  std::string late;
  on_call_ = [&](const Call& call) {
    if (call.operation == "put" && call.key == "a/state.json" && late.empty()) {
      late = R"({"completed": {"singer_state": {"bookmarks": {"x": 2}}}, "partial": {}})";
      return Fault::kNoAnswer;
    }
    return Fault::kNone;
  };
  world_.sleeper.meanwhile = [&] { write_foreign("a", late); };
  EXPECT_TRUE(is_saved(service_.set("a", state(R"({"x": 2})"), {})));
  EXPECT_EQ(stored("a"), late);
  EXPECT_EQ(service_.history("a").size(), 2U);
}

TEST_F(StateServiceTest, AClearWhoseRemovalFailsIsDoneWithAWarningAndCanBeUndone) {
  write_foreign("a", R"({"completed": {"singer_state": {"m": 1}}, "partial": {}})");
  on_call_ = [](const Call& call) {
    const bool is_removal = call.operation == "remove" && call.key == "a/state.json";
    return is_removal ? Fault::kForbidden : Fault::kNone;
  };
  const auto result = service_.clear("a", false, {});
  ASSERT_TRUE(is_saved(result));
  EXPECT_THAT(std::get<Saved>(result).warnings, ElementsAre(HasSubstr("a fault of the test")));
  EXPECT_EQ(stored("a"), R"({"completed": {}, "partial": {}})");
  on_call_ = nullptr;
  EXPECT_TRUE(is_saved(service_.rollback("a", "1", {})));
  EXPECT_EQ(effective("a"), R"({"singer_state":{"m":1}})");
}

TEST_F(StateServiceTest, WhatIsAboutToBeClearedIsInTheHistoryFirst) {
  const std::string foreign = R"({"completed": {"singer_state": {"m": 1}}, "partial": {}})";
  write_foreign("a", foreign);
  on_call_ = [](const Call& call) {
    if (call.operation == "remove" && call.key == "a/state.json") {
      throw std::runtime_error("the process ends here");
    }
    return Fault::kNone;
  };
  EXPECT_THROW(service_.clear("a", false, {}), std::runtime_error);
  on_call_ = nullptr;
  const auto entries = service_.history("a");
  ASSERT_FALSE(entries.empty());
  EXPECT_EQ(write_document(*entries.front().document), foreign);
}

TEST_F(StateServiceTest, AnEmptyStateIsNotCopiedOverAnother) {
  write_foreign("empty", R"({"completed": {}, "partial": {}})");
  service_.set("a", state(R"({"x": 1})"), {});
  EXPECT_TRUE(std::holds_alternative<Invalid>(service_.copy("empty", "a", {})));
  EXPECT_TRUE(std::holds_alternative<Invalid>(service_.move("empty", "a", {})));
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":1}}})");
}

// Meltano read before our save, and writes back what it read after it.
TEST_F(StateServiceTest, BesideMeltanoASaveIsAcknowledgedOnlyWhenItIsFoundAgain) {
  const std::string foreign =
      R"({"completed": {"singer_state": {"bookmarks": {"m": 1}}}, "partial": {}})";
  write_foreign("a", foreign);
  int overwrites = 0;
  world_.sleeper.meanwhile = [&] {
    if (overwrites++ < 2) write_foreign("a", foreign);
  };
  EXPECT_TRUE(is_saved(service_.merge("a", state(R"({"y": 2})"))));
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"m":1,"y":2}}})");
  EXPECT_EQ(overwrites, 3);
  overwrites = 0;
  const auto result = service_.set("a", state(R"({"z": 3})"), {});
  EXPECT_TRUE(std::holds_alternative<Conflict>(result)) << "set does not overwrite theirs";
  EXPECT_EQ(stored("a"), foreign);
}

TEST_F(StateServiceTest, ASaveThatAnotherOfOursBuiltOnIsFoundAgain) {
  write_foreign("a", R"({"completed": {"singer_state": {}}, "partial": {}})");
  bool is_done = false;
  world_.sleeper.meanwhile = [&] {
    if (std::exchange(is_done, true)) return;
    EXPECT_TRUE(is_saved(service_.set("a", state(R"({"later": 1})"), {})));
  };
  EXPECT_TRUE(is_saved(service_.set("a", state(R"({"x": 1})"), {})));
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"later":1}}})");
}

TEST_F(StateServiceTest, WaitsForMeltanoOnlyWithinADayAfterItWasMet) {
  service_.set("a", state("{}"), {});
  EXPECT_EQ(world_.sleeper.slept, 0ms) << "an ID that only tidemark writes";
  write_foreign("a", R"({"completed": {"singer_state": 1}})");
  service_.set("a", state("{}"), {});
  EXPECT_EQ(world_.sleeper.slept, 1s);
  service_.set("a", state(R"({"x": 1})"), {});
  EXPECT_EQ(world_.sleeper.slept, 2s);
  world_.clock.advance(24h);
  service_.set("a", state(R"({"x": 2})"), {});
  EXPECT_EQ(world_.sleeper.slept, 2s);
}

TEST_F(StateServiceTest, AForeignLockCountsAsMeltanoToo) {
  service_.set("a", state("{}"), {});
  objects_->put("a/lock", "1796038497.5", blob::Always());
  service_.set("a", state(R"({"x": 1})"), {});
  world_.sleeper.slept = 0ms;
  service_.set("a", state(R"({"x": 2})"), {});
  EXPECT_EQ(world_.sleeper.slept, 1s);
}

// Meltano saw no lock, so it writes one over ours, and later writes what it read before our save.
TEST_F(StateServiceTest, ALockThatIsMeltanosAtTheReleaseMakesTheSaveLookAgain) {
  service_.set("a", state(R"({"x": 1})"), {});
  const std::string read_by_meltano = stored("a");
  before("put", "a/state.json", [&] { objects_->put("a/lock", "1796038497.5", blob::Always()); });
  bool is_done = false;
  world_.sleeper.meanwhile = [&] {
    if (std::exchange(is_done, true)) return;
    write_foreign("a", read_by_meltano);
    objects_->remove("a/lock", blob::Always());
  };
  EXPECT_TRUE(is_saved(service_.merge("a", state(R"({"y": 2})"))));
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":1,"y":2}}})");
}

// A store that keeps Meltano out of a save.
class Exclusive final : public ExclusiveSaving {
 public:
  explicit Exclusive(StateStore& states) : states_(states) {}

  std::optional<Revision> save_exclusively(std::string_view id, const Document& document,
                                           const std::optional<Revision>& expected) override {
    ++calls;
    if (is_busy) throw Error(ErrorCode::kLocked, "busy");
    return states_.save(id, document, expected);
  }

  int calls = 0;
  bool is_busy = false;

 private:
  StateStore& states_;
};

TEST_F(StateServiceTest, AnExclusiveSaveNeedsNotBeFoundAgain) {
  Exclusive exclusive(*backend_.states);
  backend_.exclusive = &exclusive;
  write_foreign("a", R"({"completed": {"singer_state": 1}})");
  EXPECT_TRUE(is_saved(service_.set("a", state("{}"), {})));
  EXPECT_EQ(exclusive.calls, 1);
  EXPECT_EQ(world_.sleeper.slept, 0ms);
  exclusive.is_busy = true;
  EXPECT_TRUE(is_saved(service_.set("a", state(R"({"x": 1})"), {})));
  EXPECT_EQ(world_.sleeper.slept, 1s);
}

TEST_F(StateServiceTest, AHistoryThatFailsDoesNotUndoTheSave) {
  on_call_ = [](const Call& call) {
    const bool is_history = call.key == ".tidemark/a/history.jsonl" && call.operation == "put";
    return is_history ? Fault::kForbidden : Fault::kNone;
  };
  const auto result = service_.set("a", state(R"({"x": 1})"), {});
  ASSERT_TRUE(is_saved(result));
  EXPECT_EQ(std::get<Saved>(result).warnings.size(), 1U);
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":1}}})");
}

TEST_F(StateServiceTest, ACorruptHistoryKeepsNobodyFromSaving) {
  objects_->put(".tidemark/a/history.jsonl", "x", blob::Always());
  const auto result = service_.set("a", state(R"({"x": 1})"), {});
  ASSERT_TRUE(is_saved(result));
  EXPECT_THAT(std::get<Saved>(result).warnings, ElementsAre(HasSubstr("line 1")));
}

// A bucket that takes every write.
class CarelessStore final : public blob::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::optional<blob::Version> put(std::string_view key, std::string_view bytes,
                                   const blob::Condition&) override {
    return ForwardingStore::put(key, bytes, blob::Always());
  }
};

TEST_F(StateServiceTest, ABucketThatIgnoresConditionsIsRefusedUnlessAllowed) {
  const os::TempDirectory directory;
  backend_.objects = std::make_unique<CarelessStore>(*objects_);
  backend_.states = make_blob_state_store(*backend_.objects, BlobStateKind::kS3, world_.context);
  backend_.needs_probe = true;
  backend_.probe_file = directory.path() / "probes" / "bucket";
  try {
    service_.set("a", state("{}"), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(error.message(), HasSubstr("state_backend.allow_unconditional"));
  }
  EXPECT_EQ(stored("a"), "nothing");
  EXPECT_FALSE(objects_->get("a/lock"));
  EXPECT_FALSE(os::path_exists(backend_.probe_file));
  backend_.allow_unconditional = true;
  EXPECT_TRUE(is_saved(service_.set("a", state("{}"), {})));
}

TEST_F(StateServiceTest, ABucketIsProbedOnce) {
  const os::TempDirectory directory;
  backend_.needs_probe = true;
  backend_.probe_file = directory.path() / "probes" / "bucket";
  service_.set("a", state("{}"), {});
  EXPECT_THAT(calls_, testing::Contains("put a/lock").Times(2));
  EXPECT_TRUE(os::path_exists(backend_.probe_file));
  calls_.clear();
  service_.set("b", state("{}"), {});
  EXPECT_THAT(calls_, testing::Contains("put b/lock").Times(1));
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

// What each verb makes of a state with {"x": 1}; old or new, never anything else.
struct Verb {
  const char* name;
  WriteResult (*run)(StateService& service);
  const char* after;
};

class StoppedWriter : public StateServiceTest, public testing::WithParamInterface<Verb> {
 protected:
  void start() {
    objects_ = blob::make_memory_store(world_.clock);
    on_call_ = nullptr;
    open();
    ASSERT_TRUE(is_saved(service_.set("a", state(R"({"x": 1})"), {})));
    old_ = stored("a");
  }
  // An emptied state counts as removed.
  bool is_new() {
    const std::string now = stored("a");
    const bool is_emptied = now == R"({"completed": {}, "partial": {}})";
    return now == GetParam().after || (is_emptied && GetParam().after == std::string("nothing"));
  }
  bool is_old_or_new() { return stored("a") == old_ || is_new(); }

  std::string old_;
};

// The process dies before operation k, or after it took effect, for every k.
TEST_P(StoppedWriter, LeavesTheOldOrTheNewStateAndTheNextWriterGoesOn) {
  uint64_t calls = 1;
  for (uint64_t stop = 1; stop <= calls; ++stop) {
    for (const Fault last : {Fault::kNone, Fault::kAnswerLost, Fault::kRefused}) {
      start();
      uint64_t count = 0;
      on_call_ = [&](const Call&) {
        ++count;
        if (count > stop) throw Error(ErrorCode::kInternal, "stopped");
        return count == stop ? last : Fault::kNone;
      };
      try {
        GetParam().run(service_);
      } catch (const Error&) {
      }
      calls = std::max(calls, count);
      on_call_ = nullptr;
      EXPECT_TRUE(is_old_or_new()) << stop << stored("a");
      world_.clock.advance(66s);
      EXPECT_TRUE(is_saved(service_.set("a", state(R"({"next": 1})"), {}))) << stop;
      EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"next":1}}})");
    }
  }
  EXPECT_GT(calls, 6U);
}

// One call fails; what is acknowledged is there, and what is not, is old or new.
TEST_P(StoppedWriter, OneFailureNeverMakesALie) {
  for (const Fault fault : {Fault::kRefused, Fault::kNoAnswer, Fault::kAnswerLost,
                            Fault::kAnswerLate, Fault::kConditionLost, Fault::kForbidden}) {
    uint64_t calls = 1;
    for (uint64_t number = 1; number <= calls; ++number) {
      start();
      uint64_t count = 0;
      on_call_ = [&](const Call&) { return ++count == number ? fault : Fault::kNone; };
      std::optional<Saved> saved;
      try {
        const WriteResult result = GetParam().run(service_);
        if (const auto* done = std::get_if<Saved>(&result)) saved = *done;
      } catch (const Error&) {
      }
      calls = std::max(calls, count);
      if (saved) {
        EXPECT_TRUE(is_new()) << number << stored("a");
        EXPECT_TRUE(stored("a") == GetParam().after || !saved->warnings.empty()) << number;
      }
      EXPECT_TRUE(is_old_or_new()) << number << stored("a");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Verbs, StoppedWriter,
    testing::Values(
        Verb{"set", [](StateService& s) { return s.set("a", state(R"({"y": 2})"), {}); },
             R"({"completed": {"singer_state": {"bookmarks": {"y": 2}}}, "partial": {}})"},
        Verb{"merge", [](StateService& s) { return s.merge("a", state(R"({"y": 2})")); },
             R"({"completed": {"singer_state": {"bookmarks": {"x": 1}}}, )"
             R"("partial": {"singer_state": {"bookmarks": {"y": 2}}}})"},
        Verb{"clear", [](StateService& s) { return s.clear("a", false, {}); }, "nothing"},
        Verb{"move", [](StateService& s) { return s.move("a", "b", {}); }, "nothing"}),
    [](const auto& verb) { return verb.param.name; });

}  // namespace
}  // namespace tidemark::state
