#include "tidemark/base/ascii.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(Ascii, ChangesLettersAndNothingElse) {
  EXPECT_EQ(ascii_lower("AZ az@[`{ 09 É"), "az az@[`{ 09 É");
  EXPECT_EQ(ascii_upper("AZ az@[`{ 09 é"), "AZ AZ@[`{ 09 é");
}

TEST(EqualsIgnoringCase, ComparesWholeTexts) {
  EXPECT_TRUE(equals_ignoring_case("Retry-After", "RETRY-after"));
  EXPECT_FALSE(equals_ignoring_case("Retry", "Retry-After"));
  EXPECT_FALSE(equals_ignoring_case("@", "`"));
}

}  // namespace
}  // namespace tidemark
