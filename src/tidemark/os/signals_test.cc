#include "tidemark/os/signals.h"

#include <gtest/gtest.h>

namespace tidemark::os {
namespace {

TEST(SignalCancellation, TheFirstSignalCancels) {
  Cancellation cancellation;
  const SignalCancellation handler(cancellation);
  std::raise(SIGTERM);
  EXPECT_TRUE(cancellation.is_cancelled());
  EXPECT_EQ(cancellation.signal(), SIGTERM);
}

TEST(SignalCancellation, TheSecondSignalKillsWhicheverItIs) {
  Cancellation cancellation;
  const SignalCancellation handler(cancellation);
  std::raise(SIGTERM);
  EXPECT_EXIT(std::raise(SIGTERM), testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(std::raise(SIGINT), testing::KilledBySignal(SIGINT), "");
}

TEST(SignalCancellation, AnEarlierCancellationOfAnotherKindDoesNotKill) {
  Cancellation cancellation;
  const SignalCancellation handler(cancellation);
  cancellation.cancel();
  std::raise(SIGINT);
  EXPECT_EQ(cancellation.signal(), SIGINT);
}

TEST(SignalCancellation, PutsTheEarlierHandlerBack) {
  static volatile std::sig_atomic_t earlier_calls;
  earlier_calls = 0;
  const auto original = std::signal(SIGTERM, [](int) { earlier_calls = earlier_calls + 1; });
  Cancellation cancellation;
  {
    const SignalCancellation handler(cancellation);
  }
  std::raise(SIGTERM);
  std::signal(SIGTERM, original);
  EXPECT_EQ(earlier_calls, 1);
  EXPECT_FALSE(cancellation.is_cancelled());
}

}  // namespace
}  // namespace tidemark::os
