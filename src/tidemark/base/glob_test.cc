#include "tidemark/base/glob.h"

#include <string>

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(GlobMatch, MatchesTheWholeText) {
  EXPECT_TRUE(glob_match("", ""));
  EXPECT_FALSE(glob_match("", "a"));
  EXPECT_TRUE(glob_match("dev:tap", "dev:tap"));
  EXPECT_FALSE(glob_match("dev:tap", "dev:tap2"));
  EXPECT_FALSE(glob_match("dev:tap2", "dev:tap"));
  EXPECT_FALSE(glob_match("TAP", "tap"));
}

TEST(GlobMatch, StarTakesAnythingAlsoSlashes) {
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("dev:*", "dev:a/b"));
  EXPECT_TRUE(glob_match("*-to-*", "tap-to-to-target"));
  EXPECT_TRUE(glob_match("**a*b", "xxaxbxb"));
  EXPECT_FALSE(glob_match("*a", "ab"));
}

TEST(GlobMatch, QuestionMarkTakesOneCharacter) {
  EXPECT_TRUE(glob_match("a?c", "abc"));
  EXPECT_TRUE(glob_match("a?c",
                         "a\xc3\xa9"
                         "c"));
  EXPECT_FALSE(glob_match("a?c", "ac"));
  EXPECT_FALSE(glob_match("a?", "a"));
}

TEST(GlobMatch, SetsFollowFnmatch) {
  EXPECT_TRUE(glob_match("[abc]", "b"));
  EXPECT_FALSE(glob_match("[!abc]", "b"));
  EXPECT_TRUE(glob_match("[!abc]", "d"));
  EXPECT_TRUE(glob_match("v[0-9].[a-fx]", "v7.x"));
  EXPECT_TRUE(glob_match("[]]", "]"));
  EXPECT_TRUE(glob_match("[!]]", "a"));
  EXPECT_TRUE(glob_match("[a-]", "-"));
  EXPECT_TRUE(glob_match("[-a]", "-"));
  EXPECT_TRUE(glob_match("[^a]", "^"));
  EXPECT_FALSE(glob_match("[z-a]", "m"));
  EXPECT_TRUE(glob_match("[!z-a]", "m"));
  EXPECT_TRUE(glob_match("[\xc3\xa0-\xc3\xbf]", "\xc3\xa9"));
}

TEST(GlobMatch, AnOpenBracketWithoutEndIsItself) {
  EXPECT_TRUE(glob_match("[abc", "[abc"));
  EXPECT_TRUE(glob_match("[]", "[]"));
  EXPECT_TRUE(glob_match("[!]", "[!]"));
}

TEST(GlobMatch, ManyStarsOnALongTextEndSoon) {
  EXPECT_FALSE(glob_match("*a*a*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

}  // namespace
}  // namespace tidemark
