#include "tidemark/os/process.h"

#include <gtest/gtest.h>

#include "tidemark/os/temp_directory.h"

namespace tidemark::os {
namespace {

TEST(Process, KnowsWhoAndWhereItIs) {
  EXPECT_GT(process_id(), 0);
  EXPECT_FALSE(host_name().empty());
  EXPECT_TRUE(current_directory().is_absolute());
}

TEST(HomeDirectory, IsTheVariableElseTheUserDatabase) {
  EXPECT_EQ(home_directory(Environment{{"HOME", "/home/ann"}}), "/home/ann");
  EXPECT_EQ(home_directory(Environment{{"HOME", ""}}), home_directory(Environment()));
}

TEST(TempDirectoryPath, IsTheVariableElseTmp) {
  EXPECT_EQ(temp_directory(Environment{{"TMPDIR", "/scratch"}}), "/scratch");
  EXPECT_EQ(temp_directory(Environment()), "/tmp");
}

TEST(IsWritableDirectory, IsFalseForFilesAndMissingOnes) {
  const TempDirectory directory;
  write_new_file(directory / "a", "");
  EXPECT_TRUE(is_writable_directory(directory.path()));
  EXPECT_FALSE(is_writable_directory(directory / "a"));
  EXPECT_FALSE(is_writable_directory(directory / "none"));
}

}  // namespace
}  // namespace tidemark::os
