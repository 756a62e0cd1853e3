#include "tidemark/state/save.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/os/temp_directory.h"
#include "tidemark/state/service_fixture.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;
using blob::Call;
using blob::Fault;
using testing::ElementsAre;
using testing::HasSubstr;

// What holds for every save, whatever the verb.
class SaveTest : public StateServiceTest {};

TEST_F(SaveTest, SetDoesNotOverwriteWhatItHasNotRead) {
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

TEST_F(SaveTest, AForcedSetOverwritesAndTheirsGoesToHistory) {
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

TEST_F(SaveTest, MergeMeetsAConflictByMergingAgain) {
  service_.set("a", state(R"({"x": 1})"), {});
  before("put", "a/state.json", [&] {
    write_foreign("a",
                  R"({"completed": {"singer_state": {"bookmarks": {"x": 5}}}, "partial": {}})");
  });
  EXPECT_TRUE(is_saved(service_.merge("a", state(R"({"y": 2})"))));
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":5,"y":2}}})");
}

TEST_F(SaveTest, GivesUpAfterTenConflicts) {
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

TEST_F(SaveTest, ALostAnswerOfASaveIsReadBack) {
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
TEST_F(SaveTest, AStoreThatTakesNoWriteIsSaidSo) {
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

TEST_F(SaveTest, AWriteThatComesLateIsOurs) {
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

TEST_F(SaveTest, AClearWhoseRemovalFailsIsDoneWithAWarningAndCanBeUndone) {
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

TEST_F(SaveTest, WhatIsAboutToBeClearedIsInTheHistoryFirst) {
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

TEST_F(SaveTest, AnEmptyStateIsNotCopiedOverAnother) {
  write_foreign("empty", R"({"completed": {}, "partial": {}})");
  service_.set("a", state(R"({"x": 1})"), {});
  EXPECT_TRUE(std::holds_alternative<Invalid>(service_.copy("empty", "a", {})));
  EXPECT_TRUE(std::holds_alternative<Invalid>(service_.move("empty", "a", {})));
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":1}}})");
}

// Meltano read before our save, and writes back what it read after it.
TEST_F(SaveTest, BesideMeltanoASaveIsAcknowledgedOnlyWhenItIsFoundAgain) {
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

TEST_F(SaveTest, ASaveThatIsOverwrittenEachTimeIsNotSaidToBeUnwritten) {
  const std::string foreign =
      R"({"completed": {"singer_state": {"bookmarks": {"m": 1}}}, "partial": {}})";
  write_foreign("a", foreign);
  world_.sleeper.meanwhile = [&] { write_foreign("a", foreign); };
  try {
    service_.merge("a", state(R"({"y": 2})"));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kConflict);
    EXPECT_THAT(error.message(), HasSubstr("save 'a' in memory"));
  }
}

TEST_F(SaveTest, ASaveThatAnotherOfOursBuiltOnIsFoundAgain) {
  write_foreign("a", R"({"completed": {"singer_state": {}}, "partial": {}})");
  bool is_done = false;
  world_.sleeper.meanwhile = [&] {
    if (std::exchange(is_done, true)) return;
    EXPECT_TRUE(is_saved(service_.set("a", state(R"({"later": 1})"), {})));
  };
  EXPECT_TRUE(is_saved(service_.set("a", state(R"({"x": 1})"), {})));
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"later":1}}})");
}

TEST_F(SaveTest, WaitsForMeltanoOnlyWithinADayAfterItWasMet) {
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

TEST_F(SaveTest, AForeignLockCountsAsMeltanoToo) {
  service_.set("a", state("{}"), {});
  objects_->put("a/lock", "1796038497.5", blob::Always());
  service_.set("a", state(R"({"x": 1})"), {});
  world_.sleeper.slept = 0ms;
  service_.set("a", state(R"({"x": 2})"), {});
  EXPECT_EQ(world_.sleeper.slept, 1s);
}

// Meltano saw no lock, so it writes one over ours, and later writes what it read before our save.
TEST_F(SaveTest, ALockThatIsMeltanosAtTheReleaseMakesTheSaveLookAgain) {
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
    const auto revision = states_.save(id, document, expected);
    if (loses_answer) throw Error(ErrorCode::kTimeout, "no answer");
    return revision;
  }

  int calls = 0;
  bool is_busy = false;
  bool loses_answer = false;

 private:
  StateStore& states_;
};

TEST_F(SaveTest, AnExclusiveSaveNeedsNotBeFoundAgain) {
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

TEST_F(SaveTest, ALostAnswerOfAnExclusiveSaveIsReadBack) {
  Exclusive exclusive(*backend_.states);
  backend_.exclusive = &exclusive;
  exclusive.loses_answer = true;
  write_foreign("a", R"({"completed": {"singer_state": 1}})");
  EXPECT_TRUE(is_saved(service_.set("a", state(R"({"x": 1})"), {})));
  EXPECT_EQ(exclusive.calls, 1);
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":1}}})");
}

TEST_F(SaveTest, AHistoryThatFailsDoesNotUndoTheSave) {
  on_call_ = [](const Call& call) {
    const bool is_history = call.key == ".tidemark/a/history.jsonl" && call.operation == "put";
    return is_history ? Fault::kForbidden : Fault::kNone;
  };
  const auto result = service_.set("a", state(R"({"x": 1})"), {});
  ASSERT_TRUE(is_saved(result));
  EXPECT_EQ(std::get<Saved>(result).warnings.size(), 1U);
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":1}}})");
}

TEST_F(SaveTest, ACorruptHistoryKeepsNobodyFromSaving) {
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

TEST_F(SaveTest, ABucketThatIgnoresConditionsIsRefusedUnlessAllowed) {
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

TEST_F(SaveTest, ALockThatMeltanoRemovesDoesNotMakeABucketLookCareless) {
  backend_.needs_probe = true;
  int puts = 0;
  on_call_ = [&](const Call& call) {
    // Between our lock and the probe.
    if (call.operation == "put" && call.key == "a/lock" && ++puts == 2) {
      objects_->remove("a/lock", blob::Always());
    }
    return Fault::kNone;
  };
  EXPECT_TRUE(is_saved(service_.set("a", state("{}"), {})));
  EXPECT_FALSE(backend_.needs_probe);
}

// What is stopped in the middle leaves nothing that others would have to wait for.
TEST_F(SaveTest, AStoppedWriterReleasesWhatItHolds) {
  service_.set("a", state(R"({"x": 1})"), {});
  on_call_ = [&](const Call& call) {
    if (call.operation == "put" && call.key == "b/state.json") world_.cancellation.cancel(SIGINT);
    world_.cancellation.throw_if_cancelled();
    return Fault::kNone;
  };
  EXPECT_THROW(service_.move("a", "b", {}), Error);
  EXPECT_FALSE(objects_->get("b/lock"));
  for (const char* id : {"a", "b"}) {
    EXPECT_EQ(find_lease(*objects_, id, world_.context), std::nullopt) << id;
  }
  EXPECT_EQ(stored("b"), "nothing");
}

TEST_F(SaveTest, ABucketIsProbedOnce) {
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
