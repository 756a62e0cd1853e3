#include "tidemark/project/dotenv.h"

#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark::project {
namespace {

using Variables = os::Environment::Variables;

Variables read(std::string_view text) {
  return read_dotenv(text, ".env", os::Environment{{"OUTER", "out"}, {"A", "outer"}})
      .values.variables();
}

std::string fault(std::string_view text) {
  try {
    read(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    return error.message();
  }
  return "no error";
}

TEST(ReadDotenv, TakesNamesAndValues) {
  EXPECT_EQ(read("A=1\n  B = two words  \nexport C=3\r\n'D d'=4\nE=\n"),
            (Variables{{"A", "1"}, {"B", "two words"}, {"C", "3"}, {"D d", "4"}, {"E", ""}}));
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "A=1"),
            (Variables{{"A", "1"}}));
  EXPECT_EQ(read("export=1"), (Variables{{"export", "1"}}));
}

TEST(ReadDotenv, CommentsNeedABlankInFront) {
  EXPECT_EQ(read("# c\nA=x # c\nB=x#y\nC= # c\nD=#x\nE='x' # c\n"),
            (Variables{{"A", "x"}, {"B", "x#y"}, {"C", ""}, {"D", "#x"}, {"E", "x"}}));
}

TEST(ReadDotenv, QuotesHoldLinesAndEscapes) {
  EXPECT_EQ(read(R"(A="a\nb\"c\x")"), (Variables{{"A", "a\nb\"c\\x"}}));
  EXPECT_EQ(read(R"(A='a\nb\'c\\')"), (Variables{{"A", "a\\nb'c\\"}}));
  EXPECT_EQ(read("A=\"1\n2\"\nB=3"), (Variables{{"A", "1\n2"}, {"B", "3"}}));
}

TEST(ReadDotenv, PutsInEarlierLinesThenTheProcess) {
  EXPECT_EQ(read("B=${A}-${OUTER}-${NONE}-${NONE:-d}-$A-${A:x}"),
            (Variables{{"B", "outer-out--d-$A-${A:x}"}}));
  EXPECT_EQ(read("A=inner\nB='${A}'"), (Variables{{"A", "inner"}, {"B", "inner"}}));
}

TEST(ReadDotenv, ANameWithoutAValueIsNotSet) {
  EXPECT_EQ(read("A\nB=1\nB\nC # c\n"), (Variables{}));
}

TEST(ReadDotenv, NamesTheLineItCannotRead) {
  EXPECT_EQ(fault("A=1\nB=\"open\n"), ".env:2: expected NAME=VALUE");
  EXPECT_EQ(fault("A=1\n\n=2"), ".env:3: expected NAME=VALUE");
  EXPECT_EQ(fault("A='1' 2"), ".env:1: expected NAME=VALUE");
  EXPECT_EQ(fault("A B=2"), ".env:1: expected NAME=VALUE");
}

}  // namespace
}  // namespace tidemark::project
