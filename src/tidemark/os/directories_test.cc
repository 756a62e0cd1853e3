#include "tidemark/os/directories.h"

#include <gtest/gtest.h>

#include "tidemark/os/temp_directory.h"

namespace tidemark::os {
namespace {

Surroundings user_at(const Path& home) {
  return {.current_directory = "/home/ada/project",
          .home_directory = home,
          .temp_directory = "/scratch",
          .is_superuser = false,
          .is_home_writable = true};
}

TEST(DltDirectories, StartAtTheCurrentDirectoryAndTheHome) {
  const DltDirectories directories = dlt_directories({}, user_at("/home/ann"));
  EXPECT_EQ(directories.run, "/home/ada/project");
  EXPECT_EQ(directories.settings, "/home/ada/project/.dlt");
  EXPECT_EQ(directories.local, "/home/ada/project");
  EXPECT_EQ(directories.global, "/home/ann/.dlt");
  EXPECT_EQ(directories.data, "/home/ann/.dlt");
  EXPECT_EQ(directories.pipelines, "/home/ann/.dlt/pipelines");
}

TEST(DltDirectories, FollowTheVariables) {
  const Environment environment{{"DLT_PROJECT_DIR", "/p"},
                                {"DLT_CONFIG_FOLDER", "conf"},
                                {"DLT_LOCAL_DIR", "/l"},
                                {"DLT_DATA_DIR", "/d"}};
  const DltDirectories directories = dlt_directories(environment, user_at("/home/ann"));
  EXPECT_EQ(directories.settings, "/p/conf");
  EXPECT_EQ(directories.local, "/l");
  EXPECT_EQ(directories.global, "/home/ann/.dlt");
  EXPECT_EQ(directories.pipelines, "/d/pipelines");
}

TEST(DltDirectories, GlobalOneDependsOnTheUser) {
  Surroundings surroundings = user_at("/home/ann");
  surroundings.is_home_writable = false;
  EXPECT_EQ(dlt_directories({}, surroundings).global, "/scratch/dlt");
  surroundings.is_superuser = true;
  EXPECT_EQ(dlt_directories({}, surroundings).global, "/var/dlt");
}

TEST(DltDirectories, XdgDataHomeYieldsToAnExistingFolderInTheHome) {
  const TempDirectory home;
  const Environment environment{{"XDG_DATA_HOME", "/xdg"}};
  EXPECT_EQ(dlt_directories(environment, user_at(home.path())).global, "/xdg/dlt");
  make_directories(home / ".dlt");
  EXPECT_EQ(dlt_directories(environment, user_at(home.path())).global, home / ".dlt");
}

}  // namespace
}  // namespace tidemark::os
