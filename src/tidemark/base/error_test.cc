#include "tidemark/base/error.h"

#include <csignal>

#include <gtest/gtest.h>

#include "tidemark/base/cancellation.h"

namespace tidemark {
namespace {

TEST(Error, PutsContextInFront) {
  Error error(ErrorCode::kNotFound, "no such key");
  error.add_context("state 'dev:a-to-b'");
  EXPECT_STREQ(error.what(), "state 'dev:a-to-b': no such key");
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_EQ(to_string(error.code()), "not_found");
}

TEST(Cancellation, ThrowsOnceCancelledAndNamesTheSignal) {
  Cancellation cancellation;
  EXPECT_NO_THROW(cancellation.throw_if_cancelled());
  cancellation.cancel(SIGTERM);
  EXPECT_EQ(cancellation.signal(), SIGTERM);
  try {
    cancellation.throw_if_cancelled();
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCancelled);
    EXPECT_EQ(error.message(), "stopped by SIGTERM");
  }
}

TEST(Cancellation, WithoutASignalSaysOnlyCancelled) {
  Cancellation cancellation;
  cancellation.cancel();
  try {
    cancellation.throw_if_cancelled();
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "cancelled");
  }
}

}  // namespace
}  // namespace tidemark
