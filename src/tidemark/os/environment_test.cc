#include "tidemark/os/environment.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace tidemark::os {
namespace {

TEST(Environment, IsACopyOfTheProcess) {
  ::setenv("TIDEMARK_TEST_VARIABLE", "a=b", 1);
  const Environment environment = Environment::of_process();
  ::unsetenv("TIDEMARK_TEST_VARIABLE");
  ASSERT_NE(environment.find("TIDEMARK_TEST_VARIABLE"), nullptr);
  EXPECT_EQ(*environment.find("TIDEMARK_TEST_VARIABLE"), "a=b");
  EXPECT_EQ(Environment::of_process().find("TIDEMARK_TEST_VARIABLE"), nullptr);
}

TEST(Environment, TellsEmptyFromUnset) {
  const Environment environment{{"A", ""}, {"B", "x"}};
  ASSERT_NE(environment.find("A"), nullptr);
  EXPECT_EQ(environment.find_not_empty("A"), nullptr);
  EXPECT_EQ(*environment.find_not_empty("B"), "x");
  EXPECT_EQ(environment.find("C"), nullptr);
}

}  // namespace
}  // namespace tidemark::os
