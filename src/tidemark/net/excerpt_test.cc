#include "tidemark/net/excerpt.h"

#include <array>

#include <gtest/gtest.h>

namespace tidemark::net {
namespace {

TEST(Excerpt, HidesWhatTheRequestProvesItselfWith) {
  const HttpRequest request{.url = "https://a.example/b?sig=ab%2Bcd&comp=list",
                            .credentials = {{"Authorization", "Bearer t0ken"}}};
  const std::array<std::string, 1> secrets = {"hunter22"};
  EXPECT_EQ(excerpt(request, "t0ken, ab+cd, ab%2Bcd and hunter22 were sent to list", secrets),
            "***, ***, *** and *** were sent to list");
}

TEST(Excerpt, IsOneLineOf200BytesThatEndsWithAWholeCharacter) {
  EXPECT_EQ(excerpt({}, "a\r\n\tb"), "a   b");
  EXPECT_EQ(excerpt({}, std::string(199, 'x') + "é"), std::string(199, 'x') + "...");
  EXPECT_EQ(excerpt({}, std::string(200, 'x')), std::string(200, 'x'));
}

}  // namespace
}  // namespace tidemark::net
