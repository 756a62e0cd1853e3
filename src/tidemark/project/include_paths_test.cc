#include "tidemark/project/include_paths.h"

#include <gtest/gtest.h>

#include "tidemark/config/yaml.h"
#include "tidemark/json/write.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::project {
namespace {

class FindIncludedFiles : public testing::Test {
 protected:
  FindIncludedFiles() : root_(os::resolve_links(directory_.path())) { add("tidemark.yml"); }

  void add(const os::Path& file) {
    os::make_directories((root_ / file).parent_path());
    os::write_new_file(root_ / file, "");
  }

  std::vector<std::string> find(std::string_view patterns) const {
    std::vector<std::string> names;
    for (const os::Path& file : find_included_files(config::read_yaml(patterns, "tidemark.yml"),
                                                    root_, root_ / "tidemark.yml")) {
      names.push_back(file.lexically_relative(root_).native());
    }
    return names;
  }

  os::TempDirectory directory_;
  os::Path root_;
};

using Names = std::vector<std::string>;

TEST_F(FindIncludedFiles, FollowsThePatternsInTheirOrder) {
  add("b.yml");
  add("a.yml");
  add("sub/c.yml");
  add("sub/deep/d.yml");
  add("sub/deep/e.txt");
  EXPECT_EQ(find("[sub/*.yml, '*.yml']"), (Names{"sub/c.yml", "a.yml", "b.yml"}));
  EXPECT_EQ(find("['**/*.yml']"), (Names{"a.yml", "b.yml", "sub/c.yml", "sub/deep/d.yml"}));
  EXPECT_EQ(find("[./sub/**/d.yml]"), Names{"sub/deep/d.yml"});
  EXPECT_EQ(find("[none/*.yml]"), Names{});
}

TEST_F(FindIncludedFiles, DoesNotGoRoundInLinkedDirectories) {
  add("sub/a.yml");
  std::filesystem::create_directory_symlink("..", root_ / "sub" / "up");
  EXPECT_EQ(find("['**/*.yml']"), Names{"sub/a.yml"});
}

TEST_F(FindIncludedFiles, RefusesWhatIsNoFileOfTheProject) {
  add("sub/a.yml");
  const os::TempDirectory outside;
  os::write_new_file(outside / "x.yml", "");
  std::filesystem::create_symlink(outside / "x.yml", root_ / "link.yml");
  EXPECT_THROW(find("[sub]"), Error);
  EXPECT_THROW(find("[link.yml]"), Error);
  try {
    find("['su*']");
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "tidemark.yml:1:2: [0]: matches " + (root_ / "sub").native() +
                                   ", which is no file of the project");
  }
}

TEST(MergeDocuments, JoinsMapsAndListsAndLetsTheLaterScalarWin) {
  const config::Node merged =
      merge_documents(config::read_yaml("{a: {x: 1, y: 2}, l: [1], s: 1, k: {}}", "1.yml"),
                      config::read_yaml("{a: {y: 3, z: 4}, l: [2], s: 2, k: 5, n: 6}", "2.yml"));
  EXPECT_EQ(json::write(merged.to_json()),
            R"({"a":{"x":1,"y":3,"z":4},"l":[1,2],"s":2,"k":5,"n":6})");
  EXPECT_EQ(to_string(merged.require("a").require("z").position()), "2.yml:1:15");
}

}  // namespace
}  // namespace tidemark::project
