#include "tidemark/cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/cli/test_world.h"

namespace tidemark::cli {
namespace {

using std::chrono::seconds;
using testing::EndsWith;
using testing::HasSubstr;

TEST(Progress, PrintsAPlainLineEveryFewSecondsAndAtTheEnd) {
  TestWorld world;
  CommonOptions options;
  Console console(world.context, options);
  {
    Progress progress(console);
    progress.step("extract");
    progress.extracted("pulls", 1, 100, 2048);
    EXPECT_EQ(world.err.text, "");
    world.clock.advance(seconds(6));
    progress.extracted("pulls", 2, 1200, 4096);
    EXPECT_EQ(world.err.text, "extract pulls: 1,200 rows (200 rows/s), 4.0K, 2 pages\n");
    progress.extracted("pulls", 3, 1300, 4200);
  }
  EXPECT_THAT(world.err.text, EndsWith("extract pulls: 1,300 rows (216 rows/s), 4.1K, 3 pages\n"));
}

TEST(Progress, RedrawsOneLineAResourceOnATerminal) {
  TestWorld world;
  world.err.terminal = true;
  CommonOptions options;
  Console console(world.context, options);
  Progress progress(console);
  progress.step("extract");
  world.clock.advance(seconds(1));
  progress.extracted("a", 1, 1, 1);
  world.clock.advance(seconds(1));
  progress.extracted("b", 1, 2, 1);
  world.err.text.clear();
  world.clock.advance(seconds(1));
  progress.extracted("a", 2, 3, 1);
  EXPECT_THAT(world.err.text, testing::StartsWith("\x1b[2A\x1b[J"));
  EXPECT_THAT(world.err.text, HasSubstr("extract a: 3 rows"));
  EXPECT_THAT(world.err.text, HasSubstr("extract b: 2 rows"));
}

TEST(Progress, CutsLinesThatWouldWrap) {
  TestWorld world;
  world.err.terminal = true;
  world.err.columns = 20;
  CommonOptions options;
  Console console(world.context, options);
  Progress progress(console);
  progress.step("extract");
  world.clock.advance(seconds(1));
  progress.extracted("a_rather_long_resource", 1, 1, 1);
  EXPECT_EQ(world.err.text, "extract a_rather_lo\n");
}

}  // namespace
}  // namespace tidemark::cli
