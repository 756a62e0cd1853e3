#include <cstdarg>
#include <cstdio>
#include <functional>
#include <set>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tidemark/workdir/testing.h"
#include "tidemark/workdir/working_directory.h"

// Every call that changes the disk goes through here: this program is linked with --wrap.
namespace {

constexpr int kStopped = 42;
long calls_until_stop = -1;  // below zero: never
std::set<std::string>* unsynced = nullptr;

void count_call() {
  if (calls_until_stop >= 0 && calls_until_stop-- == 0) ::_exit(kStopped);
}

std::string path_of(int fd) {
  char path[4096];
  std::string link = "/proc/self/fd/" + std::to_string(fd);
  ssize_t size = ::readlink(link.c_str(), path, sizeof path);
  return size < 0 ? "" : std::string(path, static_cast<size_t>(size));
}

}  // namespace

extern "C" {
int __real_open(const char* path, int flags, ...);
ssize_t __real_write(int fd, const void* bytes, size_t size);
int __real_rename(const char* from, const char* to);
int __real_unlink(const char* path);
int __real_mkdir(const char* path, mode_t mode);

int __wrap_open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  auto mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if ((flags & O_CREAT) != 0) count_call();
  return __real_open(path, flags, mode);
}
ssize_t __wrap_write(int fd, const void* bytes, size_t size) {
  count_call();
  if (unsynced != nullptr) unsynced->insert(path_of(fd));
  return __real_write(fd, bytes, size);
}
int __wrap_fsync(int fd) {
  if (unsynced != nullptr) unsynced->erase(path_of(fd));
  // Nobody cuts the power here, and the real call takes most of the time of these tests.
  return 0;
}
int __wrap_rename(const char* from, const char* to) {
  count_call();
  return __real_rename(from, to);
}
int __wrap_unlink(const char* path) {
  count_call();
  return __real_unlink(path);
}
int __wrap_mkdir(const char* path, mode_t mode) {
  count_call();
  return __real_mkdir(path, mode);
}
}

namespace tidemark::workdir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Shop;

state::PipelineState advanced_state() {
  state::PipelineState state = testing::fresh_state();
  state.source_state("shop").set("n", 1);
  state.bump();
  return state;
}

// Makes the directory, then does the operation in a process that stops before its k-th change to
// the disk, for every k until it gets through; check looks at what a new start finds.
void for_every_crash(const std::function<void(WorkingDirectory&)>& prepare,
                     const std::function<void(WorkingDirectory&)>& operation,
                     const std::function<void(WorkingDirectory&, bool is_through)>& check) {
  bool is_through = false;
  for (long k = 0; !is_through; ++k) {
    ASSERT_LT(k, 500);
    SCOPED_TRACE("stopped before change " + std::to_string(k));
    Shop shop;
    {
      auto directory = shop.open();
      directory->write_state(testing::fresh_state());
      prepare(*directory);
    }
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto directory = shop.open();
      calls_until_stop = k;
      operation(*directory);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    is_through = WEXITSTATUS(status) == 0;
    ASSERT_TRUE(is_through || WEXITSTATUS(status) == kStopped);
    check(*shop.open(), is_through);
    if (::testing::Test::HasFailure()) return;
  }
}

std::vector<std::string> pending(const WorkingDirectory& directory) {
  return directory.packages(PackageStage::kNormalized);
}

TEST(Crash, WhileSealingLeavesAWholePackageOrNone) {
  for_every_crash([](WorkingDirectory&) {},
                  [](WorkingDirectory& directory) { testing::seal_package(directory, {"a", "b"}); },
                  [](WorkingDirectory& directory, bool is_through) {
                    EXPECT_THAT(directory.packages(PackageStage::kNew), IsEmpty());
                    EXPECT_EQ(directory.read_state(), testing::fresh_state());
                    std::vector<std::string> ids = pending(directory);
                    EXPECT_TRUE(!is_through || ids.size() == 1u);
                    for (const std::string& id : ids)
                      EXPECT_EQ(directory.read_sealed(id).jobs.size(), 2u);
                  });
}

TEST(Crash, WhileCompletingLeavesThePackagePendingOrLoaded) {
  std::string id;
  for_every_crash(
      [&](WorkingDirectory& directory) { id = testing::seal_package(directory, {"a", "b"}); },
      [&](WorkingDirectory& directory) {
        directory.write_state(advanced_state());
        directory.complete_package(id, {});
      },
      [&](WorkingDirectory& directory, bool is_through) {
        if (!pending(directory).empty()) {
          EXPECT_FALSE(is_through);
          // The destination has committed: the same call again ends it.
          directory.write_state(advanced_state());
          directory.complete_package(id, {});
        }
        EXPECT_THAT(directory.packages(PackageStage::kLoaded), ElementsAre(id));
        EXPECT_EQ(directory.read_state(), advanced_state());
        EXPECT_EQ(directory.package_info(id).count_jobs(info::JobState::kCompleted), 2u);
      });
}

TEST(Crash, WhileAbortingEndsWithTheOldState) {
  std::string id;
  for_every_crash(
      [&](WorkingDirectory& directory) {
        id = testing::seal_package(directory);
        testing::seal_package(directory);
        directory.write_state(advanced_state());
        directory.write_schema(testing::shop_schema());
        directory.note_failure(id, "orders", FailureKind::kTerminal, "out of range");
      },
      [&](WorkingDirectory& directory) { directory.abort_package(id); },
      [&](WorkingDirectory& directory, bool) {
        if (!pending(directory).empty()) {
          // Not begun: nothing has changed.
          EXPECT_EQ(pending(directory).size(), 2u);
          EXPECT_EQ(directory.read_state(), advanced_state());
          return;
        }
        EXPECT_EQ(directory.read_state(), testing::fresh_state());
        EXPECT_EQ(directory.read_schema("shop"), std::nullopt);
        EXPECT_THAT(directory.packages(PackageStage::kLoaded), ElementsAre(id));
        EXPECT_EQ(directory.package_info(id).state, info::PackageState::kAborted);
      });
}

TEST(Crash, WhileNotingAFailureKeepsTheJob) {
  std::string id;
  for_every_crash(
      [&](WorkingDirectory& directory) { id = testing::seal_package(directory, {"a", "b"}); },
      [&](WorkingDirectory& directory) {
        directory.note_failure(id, "a", FailureKind::kTransient, "busy");
      },
      [&](WorkingDirectory& directory, bool) {
        EXPECT_EQ(directory.read_sealed(id).jobs.size(), 2u);
      });
}

TEST(Crash, StateFileIsNeverTorn) {
  for_every_crash([](WorkingDirectory&) {},
                  [](WorkingDirectory& directory) { directory.write_state(advanced_state()); },
                  [](WorkingDirectory& directory, bool is_through) {
                    bool is_new = directory.read_state() == advanced_state();
                    EXPECT_TRUE(is_new || directory.read_state() == testing::fresh_state());
                    EXPECT_TRUE(is_new || !is_through);
                  });
}

TEST(Crash, EverythingWrittenIsSyncedWhenTheCallReturns) {
  Shop shop;
  auto directory = shop.open();
  std::set<std::string> written;
  unsynced = &written;
  directory->write_state(testing::fresh_state());
  directory->write_schema(testing::shop_schema());
  std::string id = testing::seal_package(*directory, {"a", "b"});
  EXPECT_THAT(written, IsEmpty());
  directory->note_failure(id, "a", FailureKind::kTransient, "busy");
  directory->complete_package(id, {});
  unsynced = nullptr;
  EXPECT_THAT(written, IsEmpty());
}

}  // namespace
}  // namespace tidemark::workdir
