#include "tidemark/extract/ordered_workers.h"

#include <atomic>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark::extract {
namespace {

using ::testing::ElementsAreArray;

TEST(OrderedWorkers, FinishInTheOrderOfSubmission) {
  OrderedWorkers workers(4, 1 << 20);
  std::vector<int> finished;  // guarded by the turn
  std::vector<int> expected;
  for (int i = 0; i < 500; ++i) {
    expected.push_back(i);
    workers.submit(1, [&finished, i](size_t, const OrderedWorkers::WaitTurn& wait_turn) {
      wait_turn();
      finished.push_back(i);
    });
  }
  workers.drain();
  EXPECT_THAT(finished, ElementsAreArray(expected));
}

TEST(OrderedWorkers, WorkSideBySideBeforeTheirTurn) {
  OrderedWorkers workers(2, 1 << 20);
  std::atomic<bool> second_began = false;
  workers.submit(1, [&](size_t, const OrderedWorkers::WaitTurn&) {
    while (!second_began) std::this_thread::yield();
  });
  workers.submit(1, [&](size_t, const OrderedWorkers::WaitTurn&) { second_began = true; });
  workers.drain();
  EXPECT_TRUE(second_began);
}

TEST(OrderedWorkers, HoldNoMoreThanTheLimit) {
  OrderedWorkers workers(4, 100);
  std::atomic<int> under_way = 0;
  std::atomic<int> most = 0;
  for (int i = 0; i < 50; ++i) {
    workers.submit(40, [&](size_t, const OrderedWorkers::WaitTurn& wait_turn) {
      most = std::max(most.load(), ++under_way);
      wait_turn();
      --under_way;
    });
  }
  workers.drain();
  EXPECT_LE(most, 2);
}

TEST(OrderedWorkers, TakeATaskThatIsLargerThanTheLimit) {
  OrderedWorkers workers(2, 10);
  std::atomic<int> done = 0;
  for (int i = 0; i < 3; ++i) {
    workers.submit(1000, [&](size_t, const OrderedWorkers::WaitTurn&) { ++done; });
  }
  workers.drain();
  EXPECT_EQ(done, 3);
}

TEST(OrderedWorkers, RethrowTheFirstFailureAndFinishNothingBehindIt) {
  OrderedWorkers workers(3, 1 << 20);
  std::atomic<int> finished_behind = 0;
  for (int i = 0; i < 20; ++i) {
    try {
      workers.submit(1, [&finished_behind, i](size_t, const OrderedWorkers::WaitTurn& wait_turn) {
        if (i == 5) throw Error(ErrorCode::kInvalid, "page 5");
        wait_turn();
        if (i > 5) ++finished_behind;
      });
    } catch (const Error&) {
      break;
    }
  }
  try {
    workers.drain();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "page 5");
  }
  EXPECT_EQ(finished_behind, 0);
}

}  // namespace
}  // namespace tidemark::extract
