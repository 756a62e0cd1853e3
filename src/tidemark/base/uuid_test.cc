#include "tidemark/base/uuid.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace tidemark {
namespace {

using namespace std::chrono_literals;

class FixedRandom final : public Random {
 public:
  explicit FixedRandom(uint8_t byte) : byte_(byte) {}
  void fill(std::span<uint8_t> bytes) override { std::ranges::fill(bytes, byte_); }

 private:
  uint8_t byte_;
};

TEST(MakeUuid7, HasTimeVersionAndVariantInTheirPlaces) {
  FixedRandom ones(0xFF);
  FixedRandom zeros(0x00);
  // The example of RFC 9562, appendix A.6: 2022-02-22T19:22:22Z.
  const Time time{1'645'557'742'000'000us};
  EXPECT_EQ(make_uuid7(time, ones), "017f22e2-79b0-7fff-bfff-ffffffffffff");
  EXPECT_EQ(make_uuid7(time, zeros), "017f22e2-79b0-7000-8000-000000000000");
}

TEST(ReadUuid, TakesBothFormsInEitherCase) {
  const std::string uuid = "017f22e2-79b0-7000-8000-00000000abcd";
  EXPECT_EQ(read_uuid(uuid), uuid);
  EXPECT_EQ(read_uuid("017F22E279B07000800000000000ABCD"), uuid);
  for (const char* text :
       {"", "nope", "017f22e2-79b0-7000-8000-00000000abc", "017f22e279b0-70008000-00000000abcd-",
        "017f22e2-79b0-7000-8000-00000000abcg"}) {
    EXPECT_EQ(read_uuid(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tidemark
