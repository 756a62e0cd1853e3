#include "tidemark/base/base64.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(Base64, EncodesTheVectorsOfRfc4648) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foo"), "Zm9v");
  EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_encode("\xfb\xff\xfe"), "+//+");
}

TEST(Base64, LeavesPaddingOutWhenAsked) {
  EXPECT_EQ(base64_encode("f", false), "Zg");
  EXPECT_EQ(base64_encode("fo", false), "Zm8");
  EXPECT_EQ(base64_encode("foo", false), "Zm9v");
}

TEST(Base64, WritesIntoABufferOfTheRightSize) {
  const std::array<uint8_t, 10> bytes{0, 1, 2, 3, 4, 5, 6, 7, 8, 255};
  std::string out(14, '.');
  base64_encode_to(bytes, out.data());
  EXPECT_EQ(out, "AAECAwQFBgcI/w");
}

TEST(Base64, DecodesEveryByteItEncoded) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes.push_back(static_cast<char>(i));
    EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes);
  }
}

TEST(Base64, RefusesWhatIsNotStrict) {
  for (const char* text : {"Zg", "Zg=", "Zh==", "Zm9=", "Zm 9v", "Zm9v\n", "Zm9-", "=",
                           "====", "Zg==Zg==", "Z===", "Zg=a"}) {
    EXPECT_EQ(base64_decode(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tidemark
