#include "tidemark/project/plugin_installation.h"

#include "tidemark/project/setting_vectors.h"

namespace tidemark::project {
namespace {

class PluginInstallation : public ProjectFixture {
 protected:
  static constexpr std::string_view kText =
      "plugins:\n"
      "  extractors:\n"
      "  - {name: tap-a, namespace: a, pip_url: tap-a==1, capabilities: [discover, state]}\n"
      "  - {name: tap-b, inherit_from: tap-a}\n"
      "  - {name: tap-c, inherit_from: tap-b, pip_url: tap-a==1}\n"
      "  - {name: tap-d, inherit_from: tap-a, pip_url: tap-a==2, executable: other}\n"
      "  - {name: tap-e, namespace: e, executable: bin/tap-e}\n"
      "  - {name: tap-f, inherit_from: tap-hub}\n"
      "  - {name: tap-g, variant: acme}\n";

  Project project_ = load(kText);

  Plugin plugin(std::string_view name) const {
    return *Plugin::find(project_.document(), project_.root(), name);
  }
  std::string directory(std::string_view name) const {
    return plugin_directory(project_, plugin(name))
        .lexically_relative(project_.system_directory())
        .native();
  }
};

TEST_F(PluginInstallation, IsSharedByThoseWhoInheritThePackage) {
  EXPECT_EQ(directory("tap-a"), "extractors/tap-a");
  EXPECT_EQ(directory("tap-b"), "extractors/tap-a");
  EXPECT_EQ(directory("tap-c"), "extractors/tap-a");
  EXPECT_EQ(directory("tap-d"), "extractors/tap-d");
  EXPECT_EQ(directory("tap-f"), "extractors/tap-hub");
  EXPECT_EQ(virtual_environment(project_, plugin("tap-b")),
            project_.system_directory() / "extractors/tap-a/venv");
  EXPECT_EQ(virtual_environment(project_, plugin("tap-e")), std::nullopt);
  EXPECT_TRUE(has_capability(plugin("tap-b"), "state"));
  EXPECT_FALSE(has_capability(plugin("tap-b"), "catalog"));
  EXPECT_FALSE(has_capability(plugin("tap-e"), "state"));
}

TEST_F(PluginInstallation, HasAProgramNamedAfterTheDefinition) {
  EXPECT_EQ(executable_name(plugin("tap-a")), "tap-a");
  EXPECT_EQ(executable_name(plugin("tap-c")), "tap-a");
  EXPECT_EQ(executable_name(plugin("tap-d")), "other");
  EXPECT_EQ(executable_name(plugin("tap-f")), "tap-hub");
  EXPECT_EQ(executable_name(plugin("tap-e")), "bin/tap-e");
}

TEST_F(PluginInstallation, IsLookedForInItsPlaceOnly) {
  write("bin/tap-e", "");
  std::filesystem::permissions(root_ / "bin/tap-e", std::filesystem::perms::owner_all);
  EXPECT_EQ(find_executable(project_, plugin("tap-e"), "bin/tap-e", {}), root_ / "bin/tap-e");
  // A program of that name on the PATH is another one.
  const os::Environment environment{{"PATH", (root_ / "bin").native()}};
  write("bin/tap-a", "");
  std::filesystem::permissions(root_ / "bin/tap-a", std::filesystem::perms::owner_all);
  EXPECT_EQ(fault([&] { find_executable(project_, plugin("tap-b"), "tap-a", environment); }),
            "Executable 'tap-a' could not be found. Extractor 'tap-b' may not have been installed "
            "yet using `tidemark install --plugin-type extractor tap-b`, or the executable name "
            "may be incorrect");
  const os::Path program = project_.system_directory() / "extractors/tap-a/venv/bin/tap-a";
  write(program.lexically_relative(root_), "");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  EXPECT_EQ(find_executable(project_, plugin("tap-b"), "tap-a", environment), program);
}

TEST_F(PluginInstallation, ComesFirstInThePath) {
  const os::Environment inside =
      in_virtual_environment(os::Environment{{"PATH", "/usr/bin"}, {"A", "1"}}, "/v");
  EXPECT_EQ(*inside.find("PATH"), "/v/bin:/usr/bin");
  EXPECT_EQ(*inside.find("VIRTUAL_ENV"), "/v");
  EXPECT_EQ(*inside.find("A"), "1");
}

}  // namespace
}  // namespace tidemark::project
