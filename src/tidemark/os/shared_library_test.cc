#include "tidemark/os/shared_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark::os {
namespace {

TEST(SharedLibrary, FindsFunctionsByName) {
  const SharedLibrary library("libm.so.6");
  const auto cosine = library.find<double (*)(double)>("cos");
  ASSERT_NE(cosine, nullptr);
  EXPECT_EQ(cosine(0), 1);
  EXPECT_EQ(library.find<double (*)(double)>("no_such_function"), nullptr);
}

TEST(SharedLibrary, NamesTheOneThatIsMissing) {
  try {
    const SharedLibrary library("libtidemark-missing.so.7");
    FAIL() << "loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_THAT(error.message(), testing::HasSubstr("libtidemark-missing.so.7"));
  }
}

}  // namespace
}  // namespace tidemark::os
