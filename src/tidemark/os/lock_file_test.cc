#include "tidemark/os/lock_file.h"

#include <gtest/gtest.h>

#include "tidemark/os/temp_directory.h"

namespace tidemark::os {
namespace {

LockHolder holder() {
  return {.pid = 4711,
          .host = "box",
          .operation = "run github",
          .since = Time(std::chrono::seconds(1'700'000'000))};
}

TEST(LockFile, ShowsItsHolderToWhoeverComesSecond) {
  const TempDirectory directory;
  const LockFile::Result first = LockFile::try_acquire(directory / "lock", holder());
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<LockFile>>(first));
  const LockFile::Result second = LockFile::try_acquire(directory / "lock", {.pid = 1});
  ASSERT_TRUE(std::holds_alternative<LockHolder>(second));
  EXPECT_EQ(std::get<LockHolder>(second), holder());
  EXPECT_EQ(describe(std::get<LockHolder>(second)),
            "run github (pid 4711 on box) since 2023-11-14T22:13:20+00:00");
}

TEST(LockFile, IsFreeAfterItsHolderWent) {
  const TempDirectory directory;
  {
    const LockFile::Result first = LockFile::try_acquire(directory / "lock", holder());
  }
  EXPECT_EQ(read_file(directory / "lock"), "");
  const LockFile::Result second = LockFile::try_acquire(directory / "lock", {.pid = 1});
  EXPECT_TRUE(std::holds_alternative<std::unique_ptr<LockFile>>(second));
}

TEST(LockFile, TakesOverTheLongerRecordOfAHolderThatCrashed) {
  const TempDirectory directory;
  write_new_file(directory / "lock", std::string(1'000, 'x'));
  const LockFile::Result first = LockFile::try_acquire(directory / "lock", holder());
  const LockFile::Result second = LockFile::try_acquire(directory / "lock", {});
  EXPECT_EQ(std::get<LockHolder>(second), holder());
}

TEST(LockFile, AHolderThatCannotBeReadIsStillAHolder) {
  const TempDirectory directory;
  const LockFile::Result first = LockFile::try_acquire(directory / "lock", holder());
  ASSERT_EQ(::truncate((directory / "lock").c_str(), 5), 0);
  const LockFile::Result second = LockFile::try_acquire(directory / "lock", {});
  EXPECT_EQ(describe(std::get<LockHolder>(second)), "another process");
}

TEST(LockFile, NamesTheFileItCannotOpen) {
  try {
    LockFile::try_acquire("/none/lock", holder());
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "cannot open /none/lock: No such file or directory");
  }
}

}  // namespace
}  // namespace tidemark::os
