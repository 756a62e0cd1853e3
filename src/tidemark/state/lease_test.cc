#include "tidemark/state/lease.h"

#include <future>
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/memory.h"
#include "tidemark/blob/test_stores.h"
#include "tidemark/state/testing.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;
using blob::Fault;

constexpr const char* kKey = ".tidemark/a/lease.json";

// Two processes and a store whose clock is that of the first.
class LeaseTest : public testing::Test {
 protected:
  using Result = std::variant<std::unique_ptr<Lease>, HeldLease>;

  Result acquire(TestWorld& world, LeaseRequest request) {
    request.author = {.who = "me@host", .operation = "run x", .run_id = "r1"};
    return Lease::acquire(*store_, request, world.context);
  }
  std::unique_ptr<Lease> take(TestWorld& world, std::vector<std::string> ids = {"a"}) {
    auto result = acquire(world, {.ids = std::move(ids)});
    auto* lease = std::get_if<std::unique_ptr<Lease>>(&result);
    return lease == nullptr ? nullptr : std::move(*lease);
  }
  LeaseRecord stored(const std::string& key = kKey) {
    return read_lease(objects_->get(key)->bytes);
  }
  void pass(std::chrono::microseconds time) {
    first_.clock.advance(time);
    second_.clock.advance(time);
  }
  // Another machine, whose pids say nothing here.
  void move_second_away() {
    second_.processes.set_self(
        {.host = "far", .boot_id = "b2", .pid_namespace = 1, .pid = 7, .start_ticks = 70});
  }

  TestWorld first_{100};
  TestWorld second_{200};
  std::unique_ptr<blob::BlobStore> objects_ = blob::make_memory_store(first_.clock);
  blob::BlobStore* store_ = objects_.get();
};

TEST_F(LeaseTest, RecordsWhoHoldsItAndUntilWhen) {
  const auto lease = take(first_);
  const LeaseRecord record = stored();
  EXPECT_EQ(record.author.run_id, "r1");
  EXPECT_EQ(record.process, first_.processes.self());
  EXPECT_EQ(record.since, first_.clock.now());
  EXPECT_EQ(record.expires, first_.clock.now() + 60s);
  EXPECT_EQ(record.fence, 1);
  EXPECT_EQ(record.nonce.size(), 16U);
  EXPECT_TRUE(lease->may_save());
  EXPECT_EQ(read_lease(write_lease(record)), record);
}

TEST_F(LeaseTest, TheSizeOfARecordTellsWhetherItIsReleased) {
  LeaseRecord record{.author = {.run_id = "01a22c71-3bdb-7012-91ce-911369b19eaf"},
                     .fence = std::numeric_limits<int64_t>::max(),
                     .nonce = "0123456789abcdef",
                     .is_released = true};
  EXPECT_EQ(read_lease(write_lease(record)), record);
  EXPECT_EQ(write_lease(record).size(), kReleasedSize);
  record = {};
  EXPECT_EQ(read_lease(write_lease(record)), record);
  EXPECT_GT(write_lease(record).size(), kReleasedSize);
}

TEST_F(LeaseTest, AReleasedOneIsReplacedNotDeletedAndCanBeTaken) {
  take(first_).reset();
  EXPECT_TRUE(stored().is_released);
  EXPECT_EQ(find_lease(*objects_, "a", first_.context), std::nullopt);
  const auto next = take(first_);
  ASSERT_TRUE(next);
  EXPECT_EQ(stored().fence, 2);
}

TEST_F(LeaseTest, TellsWhoHoldsIt) {
  move_second_away();
  const auto lease = take(first_);
  const auto result = acquire(second_, {.ids = {"a"}});
  const auto& held = std::get<HeldLease>(result);
  EXPECT_EQ(held.id, "a");
  EXPECT_EQ(held.record, stored());
  EXPECT_EQ(second_.sleeper.slept, 0ms) << "without patience it answers at once";
}

TEST_F(LeaseTest, IsDescribedByWhatItsRecordSays) {
  const auto lease = take(first_);
  HeldLease held{.id = "a", .record = stored(), .is_dead = true};
  EXPECT_EQ(describe(held),
            "me@host (pid 100, run x, run r1) since 2026-11-30 11:34:57+0000, gone");
  held.is_dead = false;
  held.record.author.run_id = "";
  EXPECT_EQ(describe(held), "me@host (pid 100, run x) since 2026-11-30 11:34:57+0000");
  held.is_unreadable = true;
  EXPECT_EQ(describe(held), "somebody whose lease cannot be read");
}

TEST_F(LeaseTest, AllIdsOrNone) {
  move_second_away();
  const auto other = take(second_, {"m"});
  EXPECT_FALSE(take(first_, {"z", "m", "a"}));
  EXPECT_TRUE(stored().is_released) << "what came before it was given back";
  EXPECT_FALSE(objects_->get(".tidemark/z/lease.json"));
  EXPECT_TRUE(take(first_, {"z", "a", "a"}));
}

TEST_F(LeaseTest, AnExpiredOneIsTakenOverWithAHigherFence) {
  move_second_away();
  const auto lease = take(first_);
  pass(64s);
  EXPECT_FALSE(take(second_));
  pass(2s);
  const auto taken = take(second_);
  ASSERT_TRUE(taken);
  EXPECT_EQ(stored().fence, 2);
  EXPECT_FALSE(lease->renew());
  EXPECT_TRUE(lease->is_lost());
  EXPECT_EQ(lease->taker()->record.process, second_.processes.self());
}

TEST_F(LeaseTest, ALostOneIsNotReleasedOverTheTaker) {
  move_second_away();
  auto lease = take(first_);
  pass(70s);
  const auto taken = take(second_);
  lease.reset();
  EXPECT_EQ(stored().process, second_.processes.self());
  EXPECT_FALSE(stored().is_released);
}

TEST_F(LeaseTest, TheHolderStopsSavingBeforeItsEndByItsOwnClock) {
  const auto lease = take(first_);
  first_.clock.advance(49s);
  EXPECT_TRUE(lease->may_save());
  first_.clock.advance(2s);
  EXPECT_FALSE(lease->may_save());
  EXPECT_TRUE(lease->renew()) << "expired, but nobody took it";
  EXPECT_TRUE(lease->may_save());
}

TEST_F(LeaseTest, TheClocksOfTwoHostsAreNotCompared) {
  move_second_away();
  second_.clock.advance(3600s);
  const auto lease = take(first_);
  EXPECT_FALSE(take(second_)) << "an hour ahead of the store";
  second_.clock.advance(-7200s);
  EXPECT_FALSE(take(second_));
  pass(66s);
  EXPECT_TRUE(take(second_)) << "an hour behind the store";
}

TEST_F(LeaseTest, ARecordThatStandsStillIsTakenWhateverItsTimesSay) {
  move_second_away();
  const auto lease = take(first_);
  LeaseRecord record = stored();
  record.expires += std::chrono::hours(1000);
  objects_->put(kKey, write_lease(record), blob::Always());
  const auto result = acquire(second_, {.ids = {"a"}, .patience = 90s});
  EXPECT_TRUE(std::holds_alternative<std::unique_ptr<Lease>>(result));
  EXPECT_GT(second_.sleeper.slept, 70s);
  EXPECT_LT(second_.sleeper.slept, 72s);
}

TEST_F(LeaseTest, PatienceWaitsForARelease) {
  move_second_away();
  auto lease = take(first_);
  second_.sleeper.meanwhile = [&] {
    if (second_.sleeper.slept > 5s) lease.reset();
  };
  const auto result = acquire(second_, {.ids = {"a"}, .patience = 60s});
  EXPECT_TRUE(std::holds_alternative<std::unique_ptr<Lease>>(result));
  EXPECT_LT(second_.sleeper.slept, 7s);
}

TEST_F(LeaseTest, AHolderThatDiedHereIsFollowedAtOnceAfterItsChildren) {
  auto lease = take(second_);
  const os::ChildProcess child{.pid = 300, .group = 300, .start_ticks = 3000};
  lease->set_children({child});
  EXPECT_TRUE(lease->renew());
  first_.processes.running[200] = 2000;
  EXPECT_FALSE(take(first_)) << "it runs";
  first_.processes.running[300] = 3000;
  first_.processes.running[200] = 9999;  // the pid belongs to another process now
  EXPECT_TRUE(find_lease(*objects_, "a", first_.context)->is_dead);
  EXPECT_TRUE(take(first_));
  EXPECT_EQ(first_.processes.killed, std::vector{child});
}

TEST_F(LeaseTest, AnotherBootOrPidNamespaceSaysNothingAboutThisOne) {
  for (const os::ProcessIdentity& other :
       {os::ProcessIdentity{.host = "host", .boot_id = "earlier", .pid_namespace = 1, .pid = 5},
        os::ProcessIdentity{.host = "host", .boot_id = "boot", .pid_namespace = 2, .pid = 5}}) {
    second_.processes.set_self(other);
    const auto lease = take(second_);
    EXPECT_FALSE(take(first_));
  }
}

TEST_F(LeaseTest, AForcedOneIsTakenFromALiveHolder) {
  move_second_away();
  const auto lease = take(first_);
  const auto result = acquire(second_, {.ids = {"a"}, .is_forced = true});
  EXPECT_TRUE(std::holds_alternative<std::unique_ptr<Lease>>(result));
  EXPECT_FALSE(lease->renew());
}

TEST_F(LeaseTest, AWriteWhoseAnswerGotLostIsStillOurs) {
  bool is_lost = true;
  blob::FaultyStore faulty(*objects_, [&](const blob::Call& call) {
    return call.operation == "put" && std::exchange(is_lost, false) ? Fault::kAnswerLost
                                                                    : Fault::kNone;
  });
  store_ = &faulty;
  const auto lease = take(first_);
  ASSERT_TRUE(lease) << "found by reading back";
  is_lost = true;
  EXPECT_THROW(lease->renew(), Error);
  EXPECT_TRUE(lease->renew());
  EXPECT_FALSE(lease->is_lost());
}

TEST_F(LeaseTest, AForbiddenKeyIsNamed) {
  blob::FaultyStore faulty(*objects_, [](const blob::Call& call) {
    return call.operation == "put" ? Fault::kForbidden : Fault::kNone;
  });
  store_ = &faulty;
  try {
    take(first_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnauthorized);
  }
}

TEST_F(LeaseTest, AreListedById) {
  const auto lease = take(first_, {"b", "a", "n/e"});
  take(first_, {"c"}).reset();
  std::vector<std::string> ids;
  std::vector<std::string> calls;
  blob::FaultyStore counted(*objects_, [&](const blob::Call& call) {
    calls.push_back(fmt::format("{} {}", call.operation, call.key));
    return Fault::kNone;
  });
  for (const HeldLease& held : list_leases(counted, first_.context)) ids.push_back(held.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"a", "b", "n/e"}));
  std::erase_if(calls, [](const std::string& call) { return call == "store_time "; });
  EXPECT_EQ(calls, (std::vector<std::string>{"list .tidemark/", "get .tidemark/a/lease.json",
                                             "get .tidemark/b/lease.json",
                                             "get .tidemark/n/e/lease.json"}))
      << "what is released is not read";
}

TEST_F(LeaseTest, WhatIsNoRecordIsListedWhateverItsSize) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{90}, kReleasedSize - 1, size_t{300}}) {
    objects_->put(fmt::format(".tidemark/{:03}/lease.json", size), std::string(size, 'x'),
                  blob::Always());
  }
  const std::vector<HeldLease> leases = list_leases(*objects_, first_.context);
  ASSERT_EQ(leases.size(), 5U);
  for (const HeldLease& lease : leases) EXPECT_TRUE(lease.is_unreadable) << lease.id;
}

// A holder that stops after operation k of taking, renewing and giving back never keeps others out
// for longer than its time.
TEST_F(LeaseTest, WhereverAHolderStopsTheNextOneGoesOn) {
  uint64_t calls = 1;
  for (uint64_t stop = 1; stop <= calls; ++stop) {
    TestWorld holder(100);
    TestWorld next(7);
    next.processes.set_self({.host = "far", .boot_id = "b2", .pid_namespace = 1, .pid = 7});
    const auto objects = blob::make_memory_store(holder.clock);
    for (const Fault last : {Fault::kNone, Fault::kAnswerLost, Fault::kRefused}) {
      blob::FaultyStore stopping(*objects, [&](const blob::Call& call) {
        if (call.number > stop) throw Error(ErrorCode::kInternal, "stopped");
        return call.number == stop ? last : Fault::kNone;
      });
      try {
        auto result = Lease::acquire(stopping, {.ids = {"a", "b"}}, holder.context);
        std::get<std::unique_ptr<Lease>>(result)->renew();
        std::get<std::unique_ptr<Lease>>(result).reset();
      } catch (const Error&) {
      }
      calls = std::max(calls, stopping.calls());
      holder.clock.advance(66s);
      auto result = Lease::acquire(*objects, {.ids = {"a", "b"}}, next.context);
      EXPECT_TRUE(std::holds_alternative<std::unique_ptr<Lease>>(result)) << stop;
    }
  }
  EXPECT_GT(calls, 8U);
}

TEST_F(LeaseTest, AKeeperRenewsInTheBackground) {
  const auto lease = take(first_);
  const std::string nonce = stored().nonce;
  {
    const LeaseKeeper keeper(*lease, 1ms, [] { ADD_FAILURE() << "not lost"; });
    while (stored().nonce == nonce) std::this_thread::yield();
  }
  EXPECT_TRUE(lease->may_save());
}

TEST_F(LeaseTest, AKeeperSaysOnceThatTheLeaseIsLost) {
  move_second_away();
  const auto lease = take(first_);
  const auto taken = acquire(second_, {.ids = {"a"}, .is_forced = true});
  std::promise<void> lost;
  const LeaseKeeper keeper(*lease, 1ms, [&] { lost.set_value(); });
  lost.get_future().wait();
  EXPECT_TRUE(lease->is_lost());
}

TEST_F(LeaseTest, AKeeperSaysSoInTimeAlsoWhileARequestHangs) {
  std::promise<void> answer;
  std::promise<void> asked;
  auto answered = answer.get_future();
  std::atomic<bool> is_hanging = false;
  blob::FaultyStore faulty(*objects_, [&](const blob::Call&) {
    if (is_hanging.exchange(false)) {
      asked.set_value();
      answered.wait();
    }
    return Fault::kNone;
  });
  store_ = &faulty;
  const auto lease = take(first_);
  is_hanging = true;
  std::promise<void> lost;
  const LeaseKeeper keeper(*lease, 1ms, [&] { lost.set_value(); });
  asked.get_future().wait();
  first_.clock.advance(51s);
  EXPECT_EQ(lost.get_future().wait_for(5s), std::future_status::ready);
  answer.set_value();
}

TEST_F(LeaseTest, ARecordThatCannotBeReadIsTakenOverWhenItStandsStill) {
  objects_->put(kKey, std::string(300, 'x'), blob::Always());
  const auto held = acquire(first_, {.ids = {"a"}});
  EXPECT_TRUE(std::get<HeldLease>(held).is_unreadable);
  EXPECT_EQ(list_leases(*objects_, first_.context), std::vector{std::get<HeldLease>(held)});
  auto result = acquire(first_, {.ids = {"a"}, .patience = 2min});
  EXPECT_TRUE(std::holds_alternative<std::unique_ptr<Lease>>(result));
  EXPECT_GE(first_.sleeper.slept, 70s);
}

TEST_F(LeaseTest, KnowsTheRunsThatItCameAfter) {
  EXPECT_TRUE(take(first_)->earlier_runs().empty());
  EXPECT_EQ(take(first_)->earlier_runs(), std::vector<std::string>{"r1"});
}

TEST_F(LeaseTest, AKeeperGivesUpWhenTheStoreDoesNotAnswerUntilTheEnd) {
  std::atomic<bool> is_down = false;
  blob::FaultyStore faulty(
      *objects_, [&](const blob::Call&) { return is_down ? Fault::kNoAnswer : Fault::kNone; });
  store_ = &faulty;
  const auto lease = take(first_);
  is_down = true;
  std::promise<void> lost;
  const LeaseKeeper keeper(*lease, 10ms, [&] { lost.set_value(); });
  auto future = lost.get_future();
  EXPECT_EQ(future.wait_for(50ms), std::future_status::timeout) << "there is time left";
  first_.clock.advance(51s);
  future.wait();
  EXPECT_FALSE(lease->may_save());
  is_down = false;
}

}  // namespace
}  // namespace tidemark::state
