#include "tidemark/os/record_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tidemark/os/temp_directory.h"

namespace tidemark::os {
namespace {

// Counts the waits instead of waiting.
class CountingSleeper final : public Sleeper {
 public:
  void sleep(std::chrono::milliseconds, const Cancellation&) override { ++count; }

  int count = 0;
};

class RecordLockTest : public testing::Test {
 protected:
  std::unique_ptr<RecordLock> acquire() {
    return RecordLock::acquire(file_, std::chrono::milliseconds(200), sleeper_, cancellation_);
  }

  // What lockf() says in another process.
  bool is_locked_elsewhere() {
    const pid_t child = ::fork();
    if (child == 0) {
      const int number = ::open(file_.c_str(), O_RDWR);
      ::_exit(::lockf(number, F_TLOCK, 0) == 0 ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status) == 1;
  }

  TempDirectory directory_;
  Path file_ = directory_ / "meltano.yml.lock";
  CountingSleeper sleeper_;
  Cancellation cancellation_;
};

TEST_F(RecordLockTest, KeepsLockfOfOtherProcessesOut) {
  std::unique_ptr<RecordLock> lock = acquire();
  EXPECT_TRUE(is_locked_elsewhere());
  read_file(file_);  // closes a handle of the same file
  EXPECT_TRUE(is_locked_elsewhere());
  lock.reset();
  EXPECT_FALSE(is_locked_elsewhere());
}

TEST_F(RecordLockTest, WaitsAsLongAsItIsTold) {
  const std::unique_ptr<RecordLock> lock = acquire();
  try {
    acquire();
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kLocked);
  }
  EXPECT_EQ(sleeper_.count, 4);
}

}  // namespace
}  // namespace tidemark::os
