#include "tidemark/os/foreground.h"

#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark::os {
namespace {

TEST(RunInForeground, GivesTheCodeTheProgramEndedWith) {
  EXPECT_EQ(run_in_foreground({"sh", "-c", "exit 7"}), 7);
  EXPECT_EQ(run_in_foreground({"true"}), 0);
  EXPECT_EQ(run_in_foreground({"sh", "-c", "kill -TERM $$"}), 128 + 15);
}

TEST(RunInForeground, LeavesTheKeyboardsInterruptToTheProgram) {
  EXPECT_EQ(run_in_foreground({"sh", "-c", "kill -INT $PPID; exit 3"}), 3);
  EXPECT_EQ(run_in_foreground({"sh", "-c", "kill -INT $$"}), 128 + 2);
}

TEST(RunInForeground, SaysWhatCannotBeStarted) {
  try {
    run_in_foreground({"no-such-editor"});
    FAIL() << "started";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_NE(error.message().find("no-such-editor"), std::string::npos);
  }
}

}  // namespace
}  // namespace tidemark::os
