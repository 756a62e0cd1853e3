#include "tidemark/base/hash.h"

#include <array>

#include <gtest/gtest.h>

#include "tidemark/base/random.h"

namespace tidemark {
namespace {

constexpr std::string_view kSha256OfAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr std::string_view kSha3OfAbc =
    "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532";

TEST(Hash, GivesThePublishedDigests) {
  EXPECT_EQ(to_hex(sha256("abc")), kSha256OfAbc);
  EXPECT_EQ(to_hex(sha3_256("abc")), kSha3OfAbc);
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Hasher, HashesPiecesAndStartsAgainAfterFinish) {
  Hasher hasher(Hasher::Algorithm::kSha256);
  for (int i = 0; i < 2; ++i) {
    hasher.update("a");
    hasher.update("bc");
    EXPECT_EQ(to_hex(hasher.finish()), kSha256OfAbc);
  }
  Hasher sha3(Hasher::Algorithm::kSha3_256);
  sha3.update("abc");
  EXPECT_EQ(to_hex(sha3.finish()), kSha3OfAbc);
}

std::string hex_of(std::string_view bytes) {
  return to_hex({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

// RFC 4231, test cases 1, 2, 6; and nothing under an empty key.
TEST(HmacSha256, GivesThePublishedDigests) {
  EXPECT_EQ(hex_of(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hex_of(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex_of(hmac_sha256(std::string(131, '\xaa'),
                               "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(hex_of(hmac_sha256({}, {})),
            "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(Shake128, GivesThePublishedDigestEachTime) {
  Shake128 shake;
  std::array<uint8_t, 16> digest{};
  for (int i = 0; i < 2; ++i) {
    shake.digest("", digest);
    EXPECT_EQ(to_hex(digest), "7f9c2ba4e88f827d616045507605853e");
    shake.digest("abc", std::span(digest).first(8));
    EXPECT_EQ(to_hex(std::span(digest).first(8)), "5881092dd818bf5c");
  }
}

TEST(Shake128, MakesRowIdsOfFourteenCharacters) {
  Shake128 shake;
  EXPECT_EQ(shake.base64_digest("", 10), "f5wrpOiPgn1hYA");
  EXPECT_EQ(shake.base64_digest("", 9), "f5wrpOiPgn1h");
}

TEST(Random, FillsAndPrintsHex) {
  SystemRandom random;
  const std::string text = random_hex(random, 16);
  EXPECT_EQ(text.size(), 32);
  EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(random_hex(random, 16), text);
}

}  // namespace
}  // namespace tidemark
