#include "tidemark/os/files.h"

#include <cerrno>
#include <functional>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tidemark/os/temp_directory.h"

namespace {

// A file system that refuses hard links with this error; 0 for one that has them.
int link_error = 0;

}  // namespace

// In the place of the C library's, as a file system without hard links would have it answer.
extern "C" int link(const char* from, const char* to) noexcept {
  if (link_error != 0) {
    errno = link_error;
    return -1;
  }
  return ::linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

namespace tidemark::os {
namespace {

ErrorCode code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "no error";
  return ErrorCode::kInternal;
}

TEST(FileError, NamesOperationPathAndReason) {
  const Error error = file_error(ENOSPC, "write", "/data/a.json");
  EXPECT_EQ(error.message(), "cannot write /data/a.json: No space left on device");
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_EQ(file_error(EACCES, "read", "/a").code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(file_error(EROFS, "read", "/a").code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(file_error(ENOENT, "read", "/a").code(), ErrorCode::kNotFound);
  EXPECT_EQ(file_error(EBADF, "read", "/a").code(), ErrorCode::kInternal);
}

TEST(ReadFile, GivesAllBytesOrSaysThatThereIsNone) {
  const TempDirectory directory;
  const std::string bytes(200'000, '\0');
  write_new_file(directory / "a", bytes);
  EXPECT_EQ(read_file(directory / "a"), bytes);
  EXPECT_EQ(read_file_if_exists(directory / "b"), std::nullopt);
  EXPECT_EQ(read_file_if_exists(directory / "a" / "b"), std::nullopt);
  EXPECT_EQ(code_of([&] { read_file(directory / "b"); }), ErrorCode::kNotFound);
  EXPECT_EQ(code_of([&] { read_file(directory.path()); }), ErrorCode::kInvalid);
}

TEST(ReplaceFile, MakesAndReplacesAndLeavesNoTemporaryFile) {
  const TempDirectory directory;
  SystemRandom random;
  replace_file(directory / "a", "1", directory.path(), random);
  replace_file(directory / "a", "23", directory.path(), random);
  EXPECT_EQ(read_file(directory / "a"), "23");
  EXPECT_EQ(list_directory(directory.path()), std::vector<std::string>{"a"});
}

TEST(ReplaceFile, KeepsPermissions) {
  const TempDirectory directory;
  SystemRandom random;
  write_new_file(directory / "a", "1");
  ASSERT_EQ(::chmod((directory / "a").c_str(), 0640), 0);
  replace_file(directory / "a", "2", directory.path(), random);
  struct stat status{};
  ASSERT_EQ(::stat((directory / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640);
}

TEST(ReplaceFile, RemovesTheTemporaryFileWhenItFails) {
  const TempDirectory directory;
  SystemRandom random;
  make_directories(directory / "a");
  EXPECT_EQ(code_of([&] { replace_file(directory / "a", "1", directory.path(), random); }),
            ErrorCode::kInvalid);
  EXPECT_EQ(list_directory(directory.path()), std::vector<std::string>{"a"});
  EXPECT_EQ(code_of([&] { replace_file(directory / "b", "1", directory / "none", random); }),
            ErrorCode::kNotFound);
}

TEST(WriteNewFile, RefusesToReplace) {
  const TempDirectory directory;
  write_new_file(directory / "a", "1");
  EXPECT_EQ(code_of([&] { write_new_file(directory / "a", "2"); }), ErrorCode::kConflict);
  EXPECT_EQ(read_file(directory / "a"), "1");
  EXPECT_TRUE(remove_file(directory / "a"));
  EXPECT_FALSE(remove_file(directory / "a"));
}

TEST(Directories, AreMadeMovedListedAndRemoved) {
  const TempDirectory directory;
  make_directories(directory / "x/y/z");
  make_directories(directory / "x/y/z");
  write_new_file(directory / "x/y/b", "");
  write_new_file(directory / "x/y/a", "");
  EXPECT_EQ(list_directory(directory / "x/y"), (std::vector<std::string>{"a", "b", "z"}));
  rename_directory(directory / "x/y", directory / "moved");
  EXPECT_TRUE(path_exists(directory / "moved" / "z"));
  EXPECT_FALSE(path_exists(directory / "x" / "y"));
  remove_tree(directory / "moved");
  remove_tree(directory / "moved");
  EXPECT_EQ(list_directory(directory.path()), std::vector<std::string>{"x"});
  EXPECT_TRUE(list_directory(directory / "none").empty());
}

TEST(PathKind, FollowsLinks) {
  const TempDirectory directory;
  write_new_file(directory / "a", "");
  std::filesystem::create_symlink("a", directory / "link");
  std::filesystem::create_symlink("none", directory / "broken");
  EXPECT_EQ(path_kind(directory / "link"), PathKind::kFile);
  EXPECT_EQ(path_kind(directory / "broken"), PathKind::kMissing);
  EXPECT_EQ(path_kind(directory / "a" / "b"), PathKind::kMissing);
  EXPECT_EQ(path_kind(directory.path()), PathKind::kDirectory);
  EXPECT_EQ(path_kind("/dev/null"), PathKind::kOther);
  EXPECT_EQ(resolve_links(directory / "." / "link"), resolve_links(directory / "a"));
  EXPECT_EQ(code_of([&] { resolve_links(directory / "broken"); }), ErrorCode::kNotFound);
}

TEST(EntryKind, DoesNotFollowLinks) {
  const TempDirectory directory;
  write_new_file(directory / "a", "");
  make_directories(directory / "d");
  std::filesystem::create_symlink("a", directory / "link");
  EXPECT_EQ(entry_kind(directory / "a"), PathKind::kFile);
  EXPECT_EQ(entry_kind(directory / "d"), PathKind::kDirectory);
  EXPECT_EQ(entry_kind(directory / "link"), PathKind::kOther);
  EXPECT_EQ(entry_kind(directory / "none"), PathKind::kMissing);
  EXPECT_EQ(entry_kind(directory / "a" / "b"), PathKind::kMissing);
  for (const Entry& entry : list_entries(directory.path())) {
    EXPECT_EQ(entry.kind, entry_kind(directory / entry.name)) << entry.name;
  }
  EXPECT_EQ(list_entries(directory.path()).size(), 3u);
  EXPECT_TRUE(list_entries(directory / "none").empty());
}

TEST(CreateFile, TakesAFreeNameOnceAndLeavesNoTemporaryFile) {
  const TempDirectory directory;
  SystemRandom random;
  make_directories(directory / "temp");
  EXPECT_TRUE(create_file(directory / "a", "1", directory / "temp", random));
  EXPECT_FALSE(create_file(directory / "a", "2", directory / "temp", random));
  EXPECT_EQ(read_file(directory / "a"), "1");
  EXPECT_TRUE(list_directory(directory / "temp").empty());
  EXPECT_EQ(code_of([&] { create_file(directory / "none/a", "1", directory / "temp", random); }),
            ErrorCode::kNotFound);
  EXPECT_TRUE(list_directory(directory / "temp").empty());
}

TEST(CreateFile, DoesTheSameWhereThereAreNoHardLinks) {
  const TempDirectory directory;
  SystemRandom random;
  make_directories(directory / "temp");
  for (const int error : {EPERM, EOPNOTSUPP, ENOSYS}) {
    link_error = error;
    const os::Path file = directory / std::to_string(error);
    EXPECT_TRUE(create_file(file, "1", directory / "temp", random));
    EXPECT_FALSE(create_file(file, "2", directory / "temp", random));
    link_error = 0;
    EXPECT_EQ(read_file(file), "1");
    EXPECT_TRUE(list_directory(directory / "temp").empty());
  }
}

TEST(RemoveEmptyDirectory, SparesWhatIsInOne) {
  const TempDirectory directory;
  make_directories(directory / "a/b");
  EXPECT_FALSE(remove_empty_directory(directory / "a"));
  EXPECT_TRUE(remove_empty_directory(directory / "a/b"));
  EXPECT_FALSE(remove_empty_directory(directory / "a/b"));
}

TEST(Directories, AFileInTheWayIsAnError) {
  const TempDirectory directory;
  write_new_file(directory / "a", "");
  EXPECT_EQ(code_of([&] { make_directories(directory / "a"); }), ErrorCode::kConflict);
  EXPECT_EQ(code_of([&] { make_directories(directory / "a/b"); }), ErrorCode::kInvalid);
  EXPECT_EQ(code_of([&] { list_directory(directory / "a"); }), ErrorCode::kInvalid);
}

TEST(Directories, AreNotMovedOverOneThatIsNotEmpty) {
  const TempDirectory directory;
  make_directories(directory / "a");
  make_directories(directory / "b/c");
  EXPECT_EQ(code_of([&] { rename_directory(directory / "a", directory / "b"); }),
            ErrorCode::kConflict);
}

TEST(TempDirectory, GoesWithItsContents) {
  Path path;
  {
    const TempDirectory directory;
    path = directory.path();
    write_new_file(directory / "a", "1");
  }
  EXPECT_FALSE(path_exists(path));
}

}  // namespace
}  // namespace tidemark::os
