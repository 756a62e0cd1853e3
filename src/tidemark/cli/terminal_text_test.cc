#include "tidemark/cli/terminal_text.h"

#include <gtest/gtest.h>

namespace tidemark::cli {
namespace {

TEST(TerminalText, LeavesWhatPeopleWrite) {
  const std::string text = "dev:täp-☃-𝄞\n\t- a: \"b\\c\"\n";
  EXPECT_EQ(terminal_text(text), text);
}

TEST(TerminalText, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(terminal_text("a\x1b[2Jb"), R"(a\u001b[2Jb)");
  EXPECT_EQ(terminal_text("\x1b]0;title\x07"), R"(\u001b]0;title\u0007)");
  EXPECT_EQ(terminal_text("ready\rerror"), R"(ready\u000derror)");
  EXPECT_EQ(terminal_text("a\b\x7f"), R"(a\u0008\u007f)");
  EXPECT_EQ(terminal_text("\xc2\x9b"
                          "31m"),
            R"(\u009b31m)");
  EXPECT_EQ(terminal_text("\xe2\x80\xae"), R"(\u202e)") << "right to left";
  EXPECT_EQ(terminal_text(std::string_view("\0", 1)), R"(\u0000)");
}

TEST(TerminalText, ShowsBytesThatAreNoText) {
  EXPECT_EQ(terminal_text("a\x9b"
                          "31m\xff"),
            R"(a\x9b31m\xff)");
}

TEST(TerminalLine, CannotBeEnded) {
  EXPECT_EQ(terminal_line("x\nerror: all is lost"), R"(x\u000aerror: all is lost)");
  EXPECT_EQ(terminal_line("ada@host"), "ada@host");
}

}  // namespace
}  // namespace tidemark::cli
