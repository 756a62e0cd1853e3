#include "tidemark/os/scratch_files.h"

#include <gtest/gtest.h>

#include "tidemark/os/temp_directory.h"

namespace tidemark::os {
namespace {

using std::filesystem::perms;

TEST(ScratchFiles, AreTheirOwnersAlone) {
  const TempDirectory directory;
  make_scratch_directory(directory / "run");
  write_scratch_file(directory / "run" / "config.json", "{}");
  EXPECT_EQ(read_file(directory / "run" / "config.json"), "{}");
  EXPECT_EQ(status(directory / "run").permissions(), perms::owner_all);
  EXPECT_EQ(status(directory / "run" / "config.json").permissions(),
            perms::owner_read | perms::owner_write);
  EXPECT_THROW(write_scratch_file(directory / "run" / "config.json", ""), Error);
  EXPECT_THROW(make_scratch_directory(directory / "run"), Error);
  EXPECT_THROW(make_scratch_directory(directory / "none" / "run"), Error);
}

TEST(OpenToAppend, WritesBehindWhatIsThere) {
  const TempDirectory directory;
  const FileDescriptor one = open_to_append(directory / "log");
  const FileDescriptor two = open_to_append(directory / "log");
  write_all(one, "a", "log");
  write_all(two, "b", "log");
  write_all(one, "c", "log");
  EXPECT_EQ(read_file(directory / "log"), "abc");
  EXPECT_THROW(open_to_append(directory / "none" / "log"), Error);
}

}  // namespace
}  // namespace tidemark::os
