#include "tidemark/base/cancellation.h"

#include <csignal>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark {
namespace {

using namespace std::chrono_literals;

TEST(Cancellation, SaysWhichSignalItWas) {
  Cancellation cancellation;
  cancellation.throw_if_cancelled();
  cancellation.cancel(SIGTERM);
  try {
    cancellation.throw_if_cancelled();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCancelled);
    EXPECT_EQ(error.message(), "stopped by SIGTERM");
  }
}

TEST(Cancellation, IsNotSeenWhileAReprieveLives) {
  Cancellation cancellation;
  {
    const Reprieve reprieve(cancellation, 1h);
    cancellation.cancel();
    EXPECT_FALSE(cancellation.is_cancelled());
    {
      const Reprieve another(cancellation, 1h);
    }
    EXPECT_FALSE(cancellation.is_cancelled());
  }
  EXPECT_TRUE(cancellation.is_cancelled());
}

TEST(Cancellation, IsSeenWhenTheReprieveIsOver) {
  Cancellation cancellation;
  cancellation.cancel();
  const Reprieve reprieve(cancellation, 0ms);
  EXPECT_TRUE(cancellation.is_cancelled());
}

}  // namespace
}  // namespace tidemark
