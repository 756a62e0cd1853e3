#include "tidemark/state/write_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/memory.h"
#include "tidemark/blob/test_stores.h"
#include "tidemark/state/testing.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;
using testing::StartsWith;

class WriteLockTest : public testing::Test {
 protected:
  std::unique_ptr<WriteLock> acquire() {
    auto result = WriteLock::acquire(*objects_, "a", options_, world_.context);
    auto* lock = std::get_if<std::unique_ptr<WriteLock>>(&result);
    return lock == nullptr ? nullptr : std::move(*lock);
  }
  std::optional<std::string> stored() {
    const auto blob = objects_->get("a/lock");
    return blob ? std::optional(blob->bytes) : std::nullopt;
  }
  void put(std::string_view text) { objects_->put("a/lock", text, blob::Always()); }

  TestWorld world_;
  std::unique_ptr<blob::BlobStore> objects_ = blob::make_memory_store(world_.clock);
  LockOptions options_;
};

TEST_F(WriteLockTest, WritesTheTimeAsANumberThatNamesItsOwner) {
  const auto lock = acquire();
  ASSERT_TRUE(lock);
  EXPECT_THAT(*stored(), StartsWith("1796038497.585590"));
  EXPECT_TRUE(is_own_lock(*stored()));
  EXPECT_FALSE(lock->met_foreign());
  EXPECT_EQ(world_.sleeper.slept, 0ms);
}

TEST_F(WriteLockTest, TellsItsTextFromMeltanos) {
  EXPECT_TRUE(is_own_lock("1796038497.5855901234567890"));
  for (const char* text : {"1796038497.58559", "1796038497.585590", "1796038497", "", "x",
                           ".5855901234567890", "1796038497.585590123456789x"}) {
    EXPECT_FALSE(is_own_lock(text)) << text;
  }
}

TEST_F(WriteLockTest, IsGoneAfterItsRelease) {
  acquire().reset();
  EXPECT_EQ(stored(), std::nullopt);
}

TEST_F(WriteLockTest, WaitsUntilTheOtherIsDone) {
  auto first = acquire();
  world_.sleeper.meanwhile = [&] {
    if (world_.sleeper.slept >= 3s) first.reset();
  };
  const auto second = acquire();
  EXPECT_TRUE(second);
  EXPECT_GE(world_.sleeper.slept, 3s);
  EXPECT_LE(world_.sleeper.slept, 3200ms);
}

TEST_F(WriteLockTest, ALockThatStandsStillIsDeadAfterItsTimeoutAndTwoSeconds) {
  put("1796038497.58559");
  const auto lock = acquire();
  ASSERT_TRUE(lock);
  EXPECT_TRUE(lock->met_foreign());
  EXPECT_GT(world_.sleeper.slept, 12s);
  EXPECT_LT(world_.sleeper.slept, 13s);
}

TEST_F(WriteLockTest, TheClockOfWhoeverWroteItDoesNotMatter) {
  put("9999999999.0");  // of a host whose clock is far ahead
  EXPECT_TRUE(acquire());
  EXPECT_LT(world_.sleeper.slept, 13s);
  world_.sleeper.slept = {};
  put("1.0");  // far behind: still held until it stood still for long enough
  EXPECT_TRUE(acquire());
  EXPECT_GT(world_.sleeper.slept, 12s);
}

TEST_F(WriteLockTest, TextThatIsNoNumberIsHeldToo) {
  put("");
  EXPECT_TRUE(acquire());
  EXPECT_GT(world_.sleeper.slept, 12s);
}

TEST_F(WriteLockTest, GivesUpOnALockThatIsRefreshed) {
  int round = 0;
  put("0");
  world_.sleeper.meanwhile = [&] {
    if (world_.sleeper.slept / 5s > round) put(std::to_string(++round));
  };
  const auto result = WriteLock::acquire(*objects_, "a", options_, world_.context);
  EXPECT_EQ(std::get<LockObject>(result), (LockObject{.id = "a", .text = std::to_string(round)}));
  EXPECT_GE(world_.sleeper.slept, 60s);
  EXPECT_LE(world_.sleeper.slept, 61s);
  EXPECT_EQ(stored(), std::to_string(round)) << "a waiter that gives up removes nothing";
}

TEST_F(WriteLockTest, IsRefreshedAtAThirdOfTheTimeout) {
  const auto lock = acquire();
  const auto first = stored();
  world_.clock.advance(3s);
  lock->refresh_if_due();
  EXPECT_EQ(stored(), first);
  world_.clock.advance(1s);
  lock->refresh_if_due();
  EXPECT_NE(stored(), first);
  EXPECT_TRUE(is_own_lock(*stored()));
  lock->release();
  EXPECT_EQ(stored(), std::nullopt);
}

TEST_F(WriteLockTest, ARefreshWithoutAnAnswerLeavesItOursAndToBeRefreshedAgain) {
  for (const blob::Fault fault :
       {blob::Fault::kAnswerLost, blob::Fault::kAnswerLate, blob::Fault::kRefused}) {
    int puts = 0;
    blob::FaultyStore store(*objects_, [&](const blob::Call& call) {
      return call.operation == "put" && ++puts == 2 ? fault : blob::Fault::kNone;
    });
    auto result = WriteLock::acquire(store, "a", options_, world_.context);
    const auto& lock = std::get<std::unique_ptr<WriteLock>>(result);
    for (int refreshes = 0; refreshes < 2; ++refreshes) {
      world_.clock.advance(4s);
      lock->refresh_if_due();
    }
    EXPECT_THAT(stored().value_or(""),
                StartsWith(std::to_string(world_.clock.now().time_since_epoch() / 1s)));
    lock->release();
    EXPECT_EQ(stored(), std::nullopt);
  }
}

TEST_F(WriteLockTest, ARefreshThatDidNotArriveLeavesItToBeRemoved) {
  int puts = 0;
  blob::FaultyStore store(*objects_, [&](const blob::Call& call) {
    return call.operation == "put" && ++puts == 2 ? blob::Fault::kRefused : blob::Fault::kNone;
  });
  auto result = WriteLock::acquire(store, "a", options_, world_.context);
  const auto& lock = std::get<std::unique_ptr<WriteLock>>(result);
  world_.clock.advance(4s);
  lock->refresh_if_due();
  lock->release();
  EXPECT_EQ(stored(), std::nullopt);
}

TEST_F(WriteLockTest, RemovesOnlyItsOwn) {
  auto lock = acquire();
  put("1796038499.5");
  lock.reset();
  EXPECT_EQ(stored(), "1796038499.5");
}

TEST_F(WriteLockTest, ALockThatChangedHandsIsASignOfMeltano) {
  auto lock = acquire();
  put("1796038499.5");
  lock->release();
  EXPECT_TRUE(lock->met_foreign());
  objects_->remove("a/lock", blob::Always());
  lock = acquire();
  objects_->remove("a/lock", blob::Always());
  lock->release();
  EXPECT_TRUE(lock->met_foreign());
  lock = acquire();
  put("1796038499.5855901234567890");
  lock->release();
  EXPECT_FALSE(lock->met_foreign()) << "another tidemark took it for dead";
}

// A service, or what is on the way to it, may do what it was asked and not say so.
TEST_F(WriteLockTest, ARemovalWhoseAnswerGotLostIsNoSignOfMeltano) {
  for (const char* next : {"", "1796038499.5855901234567890"}) {
    blob::FaultyStore store(*objects_, [&](const blob::Call& call) {
      const std::string text = next;
      if (call.operation == "get" && !stored() && !text.empty()) put(text);
      return call.operation == "remove" ? blob::Fault::kAnswerLost : blob::Fault::kNone;
    });
    auto result = WriteLock::acquire(store, "a", options_, world_.context);
    const auto& lock = std::get<std::unique_ptr<WriteLock>>(result);
    lock->release();
    EXPECT_FALSE(lock->met_foreign()) << next;
    EXPECT_EQ(stored().value_or(""), next);
    objects_->remove("a/lock", blob::Always());
  }
}

TEST_F(WriteLockTest, ARemovalThatDidNotArriveIsRepeated) {
  int removals = 0;
  blob::FaultyStore store(*objects_, [&](const blob::Call& call) {
    const bool is_first = call.operation == "remove" && ++removals == 1;
    return is_first ? blob::Fault::kRefused : blob::Fault::kNone;
  });
  auto result = WriteLock::acquire(store, "a", options_, world_.context);
  const auto& lock = std::get<std::unique_ptr<WriteLock>>(result);
  lock->release();
  EXPECT_EQ(stored(), std::nullopt);
  EXPECT_FALSE(lock->met_foreign());
}

TEST_F(WriteLockTest, AWaiterThatIsCancelledLeavesTheLockAlone) {
  put("1796038497.5");
  world_.cancellation.cancel();
  EXPECT_THROW(acquire(), Error);
  EXPECT_EQ(stored(), "1796038497.5");
}

TEST_F(WriteLockTest, IsHeldWhileItProbesConditionsAndGoneAfterItsRelease) {
  const auto lock = acquire();
  EXPECT_TRUE(lock->probe_conditions());
  EXPECT_TRUE(is_own_lock(*stored()));
  lock->release();
  EXPECT_EQ(stored(), std::nullopt);
  EXPECT_FALSE(lock->met_foreign());
}

TEST_F(WriteLockTest, AProbeWhoseAnswerGotLostLeavesItToBeRefreshed) {
  int puts = 0;
  blob::FaultyStore store(*objects_, [&](const blob::Call& call) {
    // The first takes the lock, the second is refused as it should be, the third renews it.
    return call.operation == "put" && ++puts == 3 ? blob::Fault::kAnswerLost : blob::Fault::kNone;
  });
  auto result = WriteLock::acquire(store, "a", options_, world_.context);
  const auto& lock = std::get<std::unique_ptr<WriteLock>>(result);
  EXPECT_TRUE(lock->probe_conditions());
  const auto probed = stored();
  world_.clock.advance(4s);
  lock->refresh_if_due();
  EXPECT_NE(stored(), probed);
  lock->release();
  EXPECT_EQ(stored(), std::nullopt);
}

}  // namespace
}  // namespace tidemark::state
