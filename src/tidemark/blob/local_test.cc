#include "tidemark/blob/local.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tidemark/blob/conformance_parts.h"
#include "tidemark/os/lock_file.h"
#include "tidemark/os/process.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::blob {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Directory {
 public:
  std::unique_ptr<BlobStore> open(milliseconds patience = std::chrono::seconds(30)) {
    return make_local_store(root, {clock_, random_, sleeper_, cancellation}, patience);
  }

  os::TempDirectory parent;
  os::Path root = parent / "state";
  Cancellation cancellation;

 private:
  SystemClock clock_;
  SystemRandom random_;
  SystemSleeper sleeper_;
};

Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorCode::kInternal, ""};
}

std::vector<std::string> files_below(const os::Path& directory) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_directory()) files.push_back(entry.path().lexically_relative(directory));
  }
  std::ranges::sort(files);
  return files;
}

class LocalStore : public testing::TestWithParam<Check> {};

TEST_P(LocalStore, Conforms) {
  Directory directory;
  GetParam().run([&] { return directory.open(); });
}

INSTANTIATE_TEST_SUITE_P(Blob, LocalStore, testing::ValuesIn(conformance_checks()), name_of_check);

TEST(LocalFiles, AreWhatMeltanoReads) {
  Directory directory;
  const auto store = directory.open();
  store->put("dev:a-to-b/lock", "1796038497.58559", IfAbsent{});
  EXPECT_THAT(files_below(directory.root), ElementsAre("dev:a-to-b/lock"));
  EXPECT_EQ(os::read_file(directory.root / "dev:a-to-b/lock"), "1796038497.58559");
  store->put("dev:a-to-b/state.json", "{}", Always{});
  EXPECT_THAT(files_below(directory.root), ElementsAre(".tidemark/dev:a-to-b/flock",
                                                       "dev:a-to-b/lock", "dev:a-to-b/state.json"));
  EXPECT_EQ(store->describe(), "file://" + directory.root.native());
}

TEST(LocalFiles, AreReadAsMeltanoLeftThem) {
  Directory directory;
  os::make_directories(directory.root / "a");
  os::write_new_file(directory.root / "a/state.json", "{}");
  const auto store = directory.open();
  const auto blob = store->get("a/state.json");
  ASSERT_TRUE(blob);
  EXPECT_EQ(blob->bytes, "{}");
  EXPECT_TRUE(store->put("a/state.json", "{\"a\": 1}", IfMatch{blob->version}));
}

TEST(LocalFiles, AreNotMadeByReading) {
  Directory directory;
  const auto store = directory.open();
  store->get("a/state.json");
  store->stat("a/state.json");
  store->list({}, [](std::string_view) {});
  store->remove("a/state.json", Always{});
  store->put("a/state.json", "1", IfMatch{{"x"}});
  EXPECT_FALSE(os::path_exists(directory.root));
}

TEST(LocalFiles, OfOneDirectoryShareALock) {
  Directory directory;
  const auto store = directory.open();
  store->put(".tidemark/a/lease.json", "1", Always{});
  store->put("a/state.json", "1", Always{});
  store->put("top", "1", Always{});
  EXPECT_THAT(files_below(directory.root / ".tidemark"),
              ElementsAre("a/flock", "a/lease.json", "flock"));
}

TEST(LocalFiles, OfTheStoreItselfAreNoKeys) {
  Directory directory;
  const auto store = directory.open();
  store->put(".tidemark/a/lease.json", "1", Always{});
  os::write_new_file(directory.root / ".tidemark/a/0123456789abcdef", "half");
  std::vector<std::string> keys;
  store->list({}, [&](std::string_view key) { keys.emplace_back(key); });
  EXPECT_THAT(keys, ElementsAre(".tidemark/a/lease.json"));
  for (const char* key : {".tidemark/a/flock", ".tidemark/flock", ".tidemark/a/0123456789abcdef"}) {
    EXPECT_EQ(error_of([&] { store->put(key, "1", Always{}); }).code(), ErrorCode::kInvalid);
    EXPECT_EQ(error_of([&] { store->get(key); }).code(), ErrorCode::kInvalid);
  }
  EXPECT_TRUE(store->put("0123456789abcdef", "1", IfAbsent{}));
}

TEST(LocalFiles, LeaveNoEmptyDirectoryBehind) {
  Directory directory;
  const auto store = directory.open();
  store->put("a/b/state.json", "1", Always{});
  store->put("a/lock", "1", Always{});
  store->remove("a/b/state.json", Always{});
  EXPECT_FALSE(os::path_exists(directory.root / "a/b"));
  EXPECT_TRUE(os::path_exists(directory.root / "a/lock"));
  store->remove("a/lock", Always{});
  EXPECT_FALSE(os::path_exists(directory.root / "a"));
  EXPECT_TRUE(os::path_exists(directory.root));
}

TEST(LocalFiles, OfOneDirectoryMayComeAndGoAtOnce) {
  Directory directory;
  const auto store = directory.open();
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int number = 0; number < 8; ++number) {
      threads.emplace_back([&, key = "a/" + std::to_string(number)] {
        for (int round = 0; round < 20; ++round) {
          EXPECT_TRUE(store->put(key, "1", IfAbsent{}));
          EXPECT_TRUE(store->remove(key, Always{}));
        }
      });
    }
  }
  EXPECT_FALSE(os::path_exists(directory.root / "a"));
}

TEST(LocalFiles, AreNoLinksThemselves) {
  Directory directory;
  const auto store = directory.open();
  os::make_directories(directory.root / "a");
  os::write_new_file(directory.parent / "outside", "secret");
  std::filesystem::create_symlink(directory.parent / "outside", directory.root / "a/state.json");
  std::filesystem::create_symlink(directory.parent / "nowhere", directory.root / "b");
  for (const char* key : {"a/state.json", "b/state.json"}) {
    EXPECT_EQ(error_of([&] { store->get(key); }).code(), ErrorCode::kInvalid);
    EXPECT_EQ(error_of([&] { store->put(key, "1", Always{}); }).code(), ErrorCode::kInvalid);
    EXPECT_EQ(error_of([&] { store->put(key, "1", IfAbsent{}); }).code(), ErrorCode::kInvalid);
    EXPECT_EQ(error_of([&] { store->remove(key, Always{}); }).code(), ErrorCode::kInvalid);
  }
  EXPECT_THAT(keys_of(*store), IsEmpty());
  EXPECT_EQ(os::read_file(directory.parent / "outside"), "secret");
}

TEST(LocalFiles, MayBeInADirectoryThatIsALink) {
  Directory directory;
  const auto store = directory.open();
  const os::Path elsewhere = directory.parent / "elsewhere";
  os::make_directories(elsewhere);
  os::make_directories(directory.root);
  std::filesystem::create_symlink(elsewhere, directory.root / "a");
  const auto version = store->put("a/state.json", "1", IfAbsent{});
  ASSERT_TRUE(version);
  EXPECT_FALSE(store->put("a/state.json", "2", IfAbsent{}));
  EXPECT_TRUE(store->put("a/state.json", "3", IfMatch{*version}));
  EXPECT_FALSE(store->put("a/state.json", "4", IfMatch{*version}));
  EXPECT_EQ(store->get("a/state.json")->bytes, "3");
  EXPECT_THAT(keys_of(*store), ElementsAre("a/state.json"));
  EXPECT_THAT(keys_of(*store, {.prefix = "a/"}), ElementsAre("a/state.json"));
  EXPECT_THAT(files_below(elsewhere), ElementsAre("state.json"));
  EXPECT_TRUE(store->remove("a/state.json", Always{}));
  EXPECT_THAT(files_below(elsewhere), IsEmpty());
  EXPECT_TRUE(std::filesystem::is_symlink(directory.root / "a"));
}

TEST(LocalFiles, OfADirectoryWithTwoNamesHaveOneLock) {
  Directory directory;
  const auto store = directory.open(milliseconds(0));
  const auto version = store->put("a/state.json", "1", IfAbsent{});
  ASSERT_TRUE(version);
  std::filesystem::create_symlink("a", directory.root / "b");
  const auto held =
      os::LockFile::try_acquire(directory.root / ".tidemark/a/flock", {.operation = "put"});
  for (const char* key : {"a/state.json", "b/state.json"}) {
    EXPECT_EQ(error_of([&] { store->put(key, "2", IfMatch{*version}); }).code(),
              ErrorCode::kTimeout);
  }
}

TEST(LocalFiles, AreListedOnceWhereLinksLeadBack) {
  Directory directory;
  const auto store = directory.open();
  ASSERT_TRUE(store->put("a/state.json", "1", IfAbsent{}));
  std::filesystem::create_symlink(directory.root, directory.root / "loop");
  std::filesystem::create_symlink(directory.parent.path(), directory.root / "a/above");
  std::filesystem::create_symlink(directory.root / "a", directory.root / "b");
  std::filesystem::create_symlink(directory.root / "b", directory.root / "a/again");
  EXPECT_THAT(keys_of(*store), ElementsAre("a/again/state.json", "a/state.json", "b/state.json"));
}

TEST(LocalFiles, TheRootMayBeALink) {
  Directory directory;
  os::make_directories(directory.parent / "real");
  std::filesystem::create_symlink("real", directory.root);
  EXPECT_TRUE(directory.open()->put("a/lock", "1", IfAbsent{}));
  EXPECT_EQ(os::read_file(directory.parent / "real/a/lock"), "1");
}

TEST(LocalFiles, AWriterHoldsTheOthersUpForAsLongAsTheyHavePatience) {
  Directory directory;
  const auto store = directory.open(milliseconds(30));
  const auto version = store->put("a/state.json", "1", Always{});
  ASSERT_TRUE(version);
  {
    const auto held =
        os::LockFile::try_acquire(directory.root / ".tidemark/a/flock",
                                  {.pid = 4'711, .host = "elsewhere", .operation = "put"});
    const Error error = error_of([&] { store->put("a/state.json", "2", IfMatch{*version}); });
    EXPECT_EQ(error.code(), ErrorCode::kTimeout);
    EXPECT_THAT(error.message(), HasSubstr("put 'a/state.json' in file://"));
    EXPECT_THAT(error.message(), HasSubstr("pid 4711 on elsewhere"));
    EXPECT_EQ(store->get("a/state.json")->bytes, "1");
    EXPECT_TRUE(store->put("a/lock", "1", IfAbsent{}));
    directory.cancellation.cancel();
    EXPECT_EQ(error_of([&] { directory.open()->remove("a/state.json", Always{}); }).code(),
              ErrorCode::kCancelled);
  }
  EXPECT_TRUE(store->put("a/state.json", "2", IfMatch{*version}));
}

TEST(LocalFiles, AFileInTheWayIsNamed) {
  Directory directory;
  os::write_new_file(directory.root, "");
  const Error error = error_of([&] { directory.open()->put("a/state.json", "1", Always{}); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalid);
  EXPECT_THAT(error.message(),
              HasSubstr("put 'a/state.json' in file://" + directory.root.native()));
}

// Rights do not bind the superuser: within its scope this thread is nobody.
class AsNobody {
 public:
  AsNobody() : user_(::setfsuid(os::is_superuser() ? 65'534 : ::geteuid())) {}
  ~AsNobody() { ::setfsuid(user_); }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  uid_t user_;
};

TEST(LocalFiles, AReadOnlyDirectoryIsNamedAndReadAllTheSame) {
  Directory directory;
  ASSERT_TRUE(directory.open()->put("a/state.json", "1", IfAbsent{}));
  for (const os::Path& path : {directory.root / "a", directory.root, directory.parent.path()}) {
    ASSERT_EQ(::chmod(path.c_str(), 0555), 0);
  }
  const auto store = directory.open();
  {
    const AsNobody nobody;
    EXPECT_EQ(store->get("a/state.json")->bytes, "1");
    for (const Condition& condition : {Condition(Always{}), Condition(IfAbsent{})}) {
      const Error error = error_of([&] { store->put("b/state.json", "2", condition); });
      EXPECT_EQ(error.code(), ErrorCode::kUnauthorized);
      EXPECT_THAT(error.message(), HasSubstr("put 'b/state.json' in file://"));
    }
    EXPECT_EQ(error_of([&] { store->remove("a/state.json", Always{}); }).code(),
              ErrorCode::kUnauthorized);
  }
  ::chmod(directory.parent.path().c_str(), 0755);
  ::chmod(directory.root.c_str(), 0755);
  ::chmod((directory.root / "a").c_str(), 0755);
  EXPECT_EQ(store->get("a/state.json")->bytes, "1");
}

// No file may grow beyond so many bytes: what a full disk does, in this process alone.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit small{.rlim_cur = bytes, .rlim_max = limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  void (*handler_)(int);
  rlimit limit_{};
};

TEST(LocalFiles, AFullDiskIsNamedAndLeavesWhatWasThere) {
  Directory directory;
  const auto store = directory.open();
  const auto version = store->put("a/state.json", "1", Always{});
  ASSERT_TRUE(version);
  const std::string large(100'000, 'x');
  {
    const FullDisk full(1'000);
    for (const Condition& condition : {Condition(Always{}), Condition(IfMatch{*version})}) {
      const Error error = error_of([&] { store->put("a/state.json", large, condition); });
      EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
      EXPECT_THAT(error.message(), HasSubstr("put 'a/state.json' in file://"));
    }
    EXPECT_EQ(error_of([&] { store->put("a/lock", large, IfAbsent{}); }).code(),
              ErrorCode::kUnavailable);
  }
  EXPECT_EQ(store->get("a/state.json")->bytes, "1");
  EXPECT_THAT(files_below(directory.root), ElementsAre(".tidemark/a/flock", "a/state.json"));
}

}  // namespace
}  // namespace tidemark::blob
