#include "tidemark/runner/lines.h"

#include <vector>

#include <gtest/gtest.h>

namespace tidemark::runner {
namespace {

using Lines = std::vector<std::string>;

TEST(LineSplitter, PutsLinesTogetherWhereverTheyWereCut) {
  const std::string text = "one\n\ntwo\nlast";
  for (size_t step = 1; step <= text.size(); ++step) {
    LineSplitter splitter(100);
    Lines lines;
    const auto visit = [&](std::string_view line) { lines.emplace_back(line); };
    for (size_t at = 0; at < text.size(); at += step) {
      splitter.add(std::string_view(text).substr(at, step), visit);
    }
    splitter.finish(visit);
    EXPECT_EQ(lines, (Lines{"one", "", "two", "last"})) << step;
  }
}

TEST(LineSplitter, CutsWhatIsTooLong) {
  LineSplitter splitter(3);
  Lines lines;
  const auto visit = [&](std::string_view line) { lines.emplace_back(line); };
  splitter.add("abcdefgh\nij\n", visit);
  splitter.finish(visit);
  EXPECT_EQ(lines, (Lines{"abc", "def", "gh", "ij"}));
}

TEST(Readable, ReplacesWhatIsNoTextAndCutsBlanksBehind) {
  EXPECT_EQ(readable("  caf\xC3\xA9 \xFF\xC3x \t\r"), "  café \uFFFD\uFFFDx");
  EXPECT_EQ(readable(" \r"), "");
}

}  // namespace
}  // namespace tidemark::runner
