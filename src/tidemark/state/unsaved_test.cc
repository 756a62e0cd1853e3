#include "tidemark/state/unsaved.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::state {
namespace {

using testing::HasSubstr;

UnsavedState unsaved(std::string id, Time time) {
  return {.id = std::move(id),
          .author = {.who = "me@host", .operation = "run tap-a target-b", .run_id = "r1"},
          .time = time,
          .store = "s3://bucket/prefix",
          .strategy = StateStrategy::kMerge,
          .state = json::read_python(R"({"bookmarks": {"a": 1e5, "b": NaN}})"),
          .view = {.base = Document{.completed = json::Object{{"k", 1}}}, .seen = json::Object{}}};
}

TEST(Unsaved, SurvivesWritingAndReading) {
  UnsavedState state = unsaved("prod:a/b", Time(std::chrono::seconds(1'796'038'497)));
  EXPECT_EQ(read_unsaved(write_unsaved(state)), state);
  state.view = {};
  state.strategy = StateStrategy::kOverwrite;
  EXPECT_EQ(read_unsaved(write_unsaved(state)), state);
}

TEST(Unsaved, IsKeptOnceForEachIdOfARunAndListedByTime) {
  const os::TempDirectory folder;
  const os::Path directory = folder / "sys/unsaved-states";
  SystemRandom random;
  EXPECT_TRUE(list_unsaved(directory).found.empty());
  EXPECT_FALSE(os::path_exists(directory)) << "looking makes nothing";
  const UnsavedState later = unsaved("a", Time(std::chrono::seconds(200)));
  const UnsavedState earlier = unsaved("b", Time(std::chrono::seconds(100)));
  const os::Path file = keep_unsaved(directory, later, random);
  EXPECT_EQ(keep_unsaved(directory, later, random), file);
  EXPECT_NE(keep_unsaved(directory, earlier, random), file);
  const auto found = list_unsaved(directory).found;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].unsaved, earlier);
  EXPECT_EQ(found[1].unsaved, later);
  EXPECT_EQ(found[1].file, file);
}

TEST(Unsaved, AFileThatIsNoneIsNamedAndHidesNoOther) {
  const os::TempDirectory folder;
  SystemRandom random;
  os::write_new_file(folder / "x.json", "{\"state_id\": \"a\"}");
  keep_unsaved(folder.path(), unsaved("a", Time()), random);
  const UnsavedFiles files = list_unsaved(folder.path());
  EXPECT_EQ(files.found.size(), 1U);
  ASSERT_EQ(files.faults.size(), 1U);
  EXPECT_EQ(files.faults[0].code(), ErrorCode::kCorrupt);
  EXPECT_THAT(files.faults[0].message(), HasSubstr("x.json: no unsaved state: no `who`"));
}

// A link to nothing is what a file is that is there for the listing alone.
TEST(Unsaved, AFileThatGoesBeforeItIsReadIsNone) {
  const os::TempDirectory folder;
  SystemRandom random;
  std::filesystem::create_symlink("gone", folder / "a.json");
  keep_unsaved(folder.path(), unsaved("a", Time()), random);
  const UnsavedFiles files = list_unsaved(folder.path());
  EXPECT_EQ(files.found.size(), 1U);
  EXPECT_TRUE(files.faults.empty());
}

}  // namespace
}  // namespace tidemark::state
