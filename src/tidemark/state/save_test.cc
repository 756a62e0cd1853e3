#include "tidemark/state/save.h"

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
using testing::HasSubstr;

// What holds for every save, whatever the verb, beside others that write.
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

// A bucket that ignores conditions of one kind.
template <typename Ignored>
class CarelessStore final : public blob::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::optional<blob::Version> put(std::string_view key, std::string_view bytes,
                                   const blob::Condition& condition) override {
    const bool is_ignored = std::holds_alternative<Ignored>(condition);
    return ForwardingStore::put(key, bytes, is_ignored ? blob::Always() : condition);
  }
};

class CarelessBucketTest : public SaveTest {
 protected:
  template <typename Ignored>
  void is_refused_unless_allowed() {
    const os::TempDirectory directory;
    backend_.objects = std::make_unique<CarelessStore<Ignored>>(*objects_);
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
};

TEST_F(CarelessBucketTest, OneThatOverwritesWhatShouldBeAbsentIsRefusedUnlessAllowed) {
  is_refused_unless_allowed<blob::IfAbsent>();
}

TEST_F(CarelessBucketTest, OneThatOverwritesAnotherVersionIsRefusedUnlessAllowed) {
  is_refused_unless_allowed<blob::IfMatch>();
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

TEST_F(SaveTest, AFaultWhileABucketIsProbedStopsNoSaveAndSaysNothingOfTheBucket) {
  for (const Fault fault : {Fault::kRefused, Fault::kNoAnswer, Fault::kAnswerLost}) {
    for (int faulty = 2; faulty <= 4; ++faulty) {
      backend_.needs_probe = true;
      int puts = 0;
      on_call_ = [&](const Call& call) {
        const bool is_lock = call.operation == "put" && call.key == "a/lock";
        return is_lock && ++puts == faulty ? fault : Fault::kNone;
      };
      EXPECT_TRUE(is_saved(service_.set("a", state("{}"), {.is_forced = true})));
      EXPECT_FALSE(backend_.needs_probe);
      EXPECT_FALSE(objects_->get("a/lock"));
    }
  }
}

TEST_F(SaveTest, ABucketIsProbedOnce) {
  const os::TempDirectory directory;
  backend_.needs_probe = true;
  backend_.probe_file = directory.path() / "probes" / "bucket";
  service_.set("a", state("{}"), {});
  EXPECT_THAT(calls_, testing::Contains("put a/lock").Times(4));
  EXPECT_TRUE(os::path_exists(backend_.probe_file));
  calls_.clear();
  service_.set("b", state("{}"), {});
  EXPECT_THAT(calls_, testing::Contains("put b/lock").Times(1));
}

}  // namespace
}  // namespace tidemark::state
