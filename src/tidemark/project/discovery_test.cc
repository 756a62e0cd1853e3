#include "tidemark/project/discovery.h"

#include <gtest/gtest.h>

#include "tidemark/os/temp_directory.h"

namespace tidemark::project {
namespace {

class FindProjectFile : public testing::Test {
 protected:
  os::Path add(const os::Path& file) {
    os::make_directories((root_ / file).parent_path());
    os::write_new_file(root_ / file, "");
    return os::resolve_links(root_ / file);
  }

  os::TempDirectory root_;
};

TEST_F(FindProjectFile, TakesTheNearestUpwards) {
  add("meltano.yml");
  const os::Path inner = add("a/meltano.yml");
  os::make_directories(root_ / "a/b/c");
  EXPECT_EQ(find_project_file({}, root_ / "a/b/c"), inner);
}

TEST_F(FindProjectFile, PrefersTheOwnNameInOneDirectory) {
  add("meltano.yml");
  const os::Path own = add("tidemark.yml");
  EXPECT_EQ(find_project_file({}, root_.path()), own);
}

TEST_F(FindProjectFile, LooksNowhereElseThanTheVariableSays) {
  const os::Path file = add("a/meltano.yml");
  add("tidemark.yml");
  const std::string root = (root_ / "a").native();
  EXPECT_EQ(find_project_file({{"MELTANO_PROJECT_ROOT", root}}, root_.path()), file);
  EXPECT_EQ(find_project_file({{"TIDEMARK_PROJECT_ROOT", root}, {"MELTANO_PROJECT_ROOT", "/none"}},
                              root_.path()),
            file);
  try {
    find_project_file({{"MELTANO_PROJECT_ROOT", "/none"}}, root_.path());
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_EQ(error.message(),
              "MELTANO_PROJECT_ROOT is /none, which has neither tidemark.yml nor meltano.yml");
  }
}

TEST_F(FindProjectFile, ResolvesLinks) {
  const os::Path file = add("real/tidemark.yml");
  std::filesystem::create_directory_symlink("real", root_ / "link");
  EXPECT_EQ(find_project_file({}, root_ / "link"), file);
}

TEST_F(FindProjectFile, FindsNothingWhereThereIsNone) {
  EXPECT_EQ(find_project_file({}, root_.path()), std::nullopt);
}

}  // namespace
}  // namespace tidemark::project
