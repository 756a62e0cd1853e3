#include "tidemark/destination/memory_limit.h"

#include <gtest/gtest.h>

namespace tidemark::destination {
namespace {

TEST(MemoryLimit, ThatOfTheUserStays) {
  MemoryLimit limit("300MB", 2);
  EXPECT_FALSE(limit.grow());
  EXPECT_EQ(limit.value(), "300MB");
}

TEST(MemoryLimit, GrowsWithTheThreads) {
  EXPECT_EQ(MemoryLimit("", 2).value(), "112MB");
  EXPECT_EQ(MemoryLimit("", 16).value(), "896MB");
}

TEST(MemoryLimit, GrowsUntilItIsDuckDbsOwn) {
  MemoryLimit limit("", 2);
  EXPECT_TRUE(limit.grow());
  EXPECT_EQ(limit.value(), "448MB");
  EXPECT_TRUE(limit.grow());
  EXPECT_EQ(limit.value(), "");
  EXPECT_FALSE(limit.grow());
}

}  // namespace
}  // namespace tidemark::destination
