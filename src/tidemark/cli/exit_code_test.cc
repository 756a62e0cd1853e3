#include "tidemark/cli/exit_code.h"

#include <csignal>

#include <gtest/gtest.h>

namespace tidemark::cli {
namespace {

TEST(ExitCode, TellsLocksAndSignalsFromOtherFailures) {
  EXPECT_EQ(exit_code(ErrorCode::kLocked, 0), 11);
  EXPECT_EQ(exit_code(ErrorCode::kCancelled, SIGINT), 130);
  EXPECT_EQ(exit_code(ErrorCode::kCancelled, SIGTERM), 143);
  EXPECT_EQ(exit_code(ErrorCode::kCancelled, 0), 1);
  EXPECT_EQ(exit_code(ErrorCode::kInvalid, 0), 1);
  EXPECT_EQ(exit_code(ErrorCode::kUnavailable, SIGINT), 1);
}

}  // namespace
}  // namespace tidemark::cli
