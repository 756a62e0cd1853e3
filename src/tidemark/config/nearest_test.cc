#include "tidemark/config/nearest.h"

#include <array>

#include <gtest/gtest.h>

namespace tidemark::config {
namespace {

constexpr std::array<std::string_view, 4> kKeys{"base_url", "auth", "paginator", "headers"};

TEST(Nearest, FindsTheWordATypoMeant) {
  EXPECT_EQ(nearest("base_uri", kKeys), "base_url");
  EXPECT_EQ(nearest("Base_Url", kKeys), "base_url");
  EXPECT_EQ(nearest("atuh", kKeys), "auth");
  EXPECT_EQ(nearest("paginater", kKeys), "paginator");
  EXPECT_EQ(nearest("header", kKeys), "headers");
}

TEST(Nearest, FindsNothingThatIsNoTypo) {
  EXPECT_EQ(nearest("path", kKeys), std::nullopt);
  EXPECT_EQ(nearest("token", kKeys), std::nullopt);
  EXPECT_EQ(nearest("", kKeys), std::nullopt);
}

TEST(Suggestion, NamesTheNearestElseAll) {
  EXPECT_EQ(suggestion("atuh", kKeys), "; did you mean 'auth'?");
  EXPECT_EQ(suggestion("xyz", kKeys), "; known: base_url, auth, paginator, headers");
  EXPECT_EQ(suggestion("xyz", {}), "");
}

}  // namespace
}  // namespace tidemark::config
