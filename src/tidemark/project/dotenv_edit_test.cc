#include "tidemark/project/dotenv_edit.h"

#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/project/dotenv.h"

namespace tidemark::project {
namespace {

std::string set(std::string_view text, const std::string& name, std::string_view value) {
  return set_in_dotenv(text, ".env", name, value);
}
std::string remove(std::string_view text, std::string_view name) {
  return remove_from_dotenv(text, ".env", name);
}

TEST(SetInDotenv, PutsAValueInItsPlace) {
  EXPECT_EQ(set("# c\nexport A = 1 # one\nB=2\n", "A", "x y"),
            "# c\nexport A = 'x y' # one\nB=2\n");
  EXPECT_EQ(set("A=\"two\nlines\"\nB=2", "A", "1"), "A='1'\nB=2");
  EXPECT_EQ(set("A= # none\n", "A", "1"), "A='1' # none\n");
  EXPECT_EQ(set("A=\nB=1\n", "A", "1"), "A='1'\nB=1\n");
  EXPECT_EQ(set("A\n", "A", "1"), "A='1'\n");
  EXPECT_EQ(set("A=1\nA=2\n", "A", "3"), "A=1\nA='3'\n");
}

TEST(SetInDotenv, AddsALine) {
  EXPECT_EQ(set("", "A", "1"), "A='1'\n");
  EXPECT_EQ(set("B=1", "A", "1"), "B=1\nA='1'\n");
  EXPECT_EQ(set("B=1\r\n", "A", "1"), "B=1\r\nA='1'\r\n");
}

TEST(SetInDotenv, QuotesAsTheReadersUnquote) {
  for (const char* value : {"it's", "a\\", "a\\\\b", "\\'", "a\\nb", "$X #c \"q\"", "two\nlines",
                            "", "é", "\\", "'", "\\\\'\\"}) {
    const std::string text = set("", "A", value);
    EXPECT_EQ(*read_dotenv(text, ".env", {}).values.find("A"), value) << text;
  }
  EXPECT_EQ(set("", "A", "t p'q\"r"), "A='t p\\'q\"r'\n");
}

TEST(SetInDotenv, RefusesWhatReadersWouldReplace) {
  try {
    set("", "A", "a${B}");
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_EQ(error.message().find("a${B}"), std::string::npos);
  }
  EXPECT_THROW(set("", "A B", "1"), Error);
}

TEST(RemoveFromDotenv, TakesItsLinesAndNothingElse) {
  EXPECT_EQ(remove("# c\nA=1 # one\nB=2\n export A='x\ny'\nC=3", "A"), "# c\nB=2\nC=3");
  EXPECT_EQ(remove("B=1\r\nA=2\r\nC=3\r\n", "A"), "B=1\r\nC=3\r\n");
  EXPECT_EQ(remove("B=1\n", "A"), "B=1\n");
  EXPECT_EQ(remove("A=1", "A"), "");
}

TEST(EditDotenv, KeepsEveryOtherByteInRandomEdits) {
  constexpr std::string_view kText =
      "# head\n\nexport A=1 # one\r\n  B = 'two\nlines'\nC=\"a\\\"b\" # c\nD\nE=${A}x\n'F "
      "f'=5\n#G=7";
  std::mt19937 random(3);
  const std::vector<DotenvAssignment> all = parse_dotenv(kText, ".env");
  for (int i = 0; i < 200; ++i) {
    const DotenvAssignment& one = all[random() % all.size()];
    const std::string edited =
        random() % 2 == 0 ? set(kText, one.name, "new 'v'\n") : remove(kText, one.name);
    const size_t begin = kText.substr(0, one.begin).find_last_of("\r\n") + 1;
    EXPECT_TRUE(edited.starts_with(kText.substr(0, begin))) << edited;
    EXPECT_TRUE(edited.ends_with(kText.substr(std::min(one.end + 2, kText.size())))) << edited;
  }
}

}  // namespace
}  // namespace tidemark::project
