#include "tidemark/cli/console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/test_world.h"

namespace tidemark::cli {
namespace {

using testing::HasSubstr;

std::string refusal(const Console& console) {
  try {
    console.confirm("Drop it?");
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(Console, SplitsResultsFromEverythingElse) {
  TestWorld world;
  CommonOptions options;
  Console console(world.context, options);
  console.result("rows");
  console.warning("slow");
  console.error("broken");
  EXPECT_EQ(world.out.text, "rows\n");
  EXPECT_EQ(world.err.text, "warning: slow\nerror: broken\n");
}

TEST(Console, ColorsOnlyATerminalThatDidNotRefuse) {
  TestWorld world;
  CommonOptions options;
  world.err.terminal = true;
  EXPECT_TRUE(Console(world.context, options).is_colored());
  options.no_color = true;
  EXPECT_FALSE(Console(world.context, options).is_colored());
  options.no_color = false;
  world.environment = os::Environment{{"NO_COLOR", "1"}};
  EXPECT_FALSE(Console(world.context, options).is_colored());
}

TEST(Console, LetsNoTextTakeControlOfATerminal) {
  TestWorld world;
  CommonOptions options;
  options.no_color = true;
  const Console console(world.context, options);
  console.error("state \x1b[2J");
  EXPECT_EQ(world.err.text, "error: state \\u001b[2J\n");
  console.result("\x1b[2J");
  EXPECT_EQ(world.out.text, "\x1b[2J\n") << "a program gets the bytes as they are";
  world.out.text.clear();
  world.out.terminal = true;
  console.result("\x1b[2J");
  console.result_part("\x1b");
  EXPECT_EQ(world.out.text, "\\u001b[2J\n\\u001b");
  world.in.terminal = true;
  world.in.lines = {"y"};
  world.err.text.clear();
  console.confirm("Drop \x1b?");
  EXPECT_EQ(world.err.text, "Drop \\u001b? [y/N]: ");
  options.json_log = true;
  world.err.text.clear();
  Console(world.context, options).note("\xc2\x9b");
  EXPECT_THAT(world.err.text, HasSubstr("\\u009b"));
}

TEST(Console, WritesMessagesAsJsonWhenAsked) {
  TestWorld world;
  CommonOptions options;
  options.json_log = true;
  Console(world.context, options).warning("a \"quote\"");
  EXPECT_EQ(world.err.text,
            "{\"time\":\"2027-01-15T08:00:00+00:00\",\"level\":\"warning\","
            "\"message\":\"a \\\"quote\\\"\"}\n");
}

TEST(Console, RefusesWithoutATerminalAndNamesTheFlag) {
  TestWorld world;
  CommonOptions options;
  EXPECT_THAT(refusal(Console(world.context, options)), HasSubstr("--yes"));
}

TEST(Console, TakesOnlyAYes) {
  TestWorld world;
  CommonOptions options;
  world.in.terminal = true;
  for (const char* line : {"n", "", "what"}) {
    world.in.lines = {line};
    EXPECT_THAT(refusal(Console(world.context, options)), HasSubstr("--yes")) << line;
  }
  world.in.lines = {"y"};
  EXPECT_EQ(refusal(Console(world.context, options)), "");
  EXPECT_THAT(world.err.text, HasSubstr("Drop it? [y/N]: "));
}

TEST(Console, EndsAQuestionOnASignal) {
  TestWorld world;
  CommonOptions options;
  world.in.terminal = true;
  world.cancellation.cancel(2);
  try {
    Console(world.context, options).confirm("Drop it?");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCancelled);
  }
}

TEST(Console, DoesNotAskWhenYesWasGiven) {
  TestWorld world;
  CommonOptions options;
  options.assume_yes = true;
  EXPECT_EQ(refusal(Console(world.context, options)), "");
  EXPECT_EQ(world.err.text, "");
}

}  // namespace
}  // namespace tidemark::cli
