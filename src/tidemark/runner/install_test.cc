#include "tidemark/runner/install.h"

#include <gtest/gtest.h>

#include "tidemark/os/temp_directory.h"
#include "tidemark/project/plugin_settings.h"
#include "tidemark/runner/tap_catalog.h"

namespace tidemark::runner {
namespace {

class InstallTest : public testing::Test {
 protected:
  project::Project load(const std::string& text) {
    os::remove_file(directory_ / "meltano.yml");
    os::write_new_file(directory_ / "meltano.yml", text);
    return project::Project::load(
        {.file = directory_ / "meltano.yml", .environment = os::Environment{{"VERSION", "0.3.1"}}});
  }
  static project::Plugin plugin(const project::Project& project, const std::string& name) {
    return *project::Plugin::find(project.document(), project.root(), name);
  }

  os::TempDirectory directory_;
};

constexpr const char* kProject =
    "plugins:\n"
    "  extractors:\n"
    "  - name: tap-jsonl\n"
    "    namespace: tap_jsonl\n"
    "    pip_url: tap-jsonl==${VERSION}\n"
    "    settings: [{name: path}, {name: stream_name}, {name: primary_keys, kind: array}]\n"
    "    config: {path: in/*.jsonl, stream_name: items, primary_keys: [id]}\n"
    "  - {name: tap-b, namespace: b, pip_url: 'b a b \"c d\"', python: python3.9}\n"
    "  - {name: tap-c, namespace: c, pip_url: $NOT_SET}\n"
    "  - {name: tap-d, namespace: d}\n";

TEST_F(InstallTest, KnowsWhatMeltanoInstalledByItsFingerprint) {
  const project::Project project = load(kProject);
  const project::Plugin tap = plugin(project, "tap-jsonl");
  EXPECT_EQ(requirement_of(project, tap)->fingerprint(),
            "eab1635acac8d31807eacad4e159a75eb0fc64cc32f29fac570c49a141a31de2");
  EXPECT_FALSE(is_installed(project, tap));
  const os::Path venv = project.system_directory() / "extractors/tap-jsonl/venv";
  os::make_directories(venv / "bin");
  os::write_new_file(venv / "bin/python", "");
  os::write_new_file(venv / ".meltano_plugin_fingerprint",
                     "eab1635acac8d31807eacad4e159a75eb0fc64cc32f29fac570c49a141a31de2");
  EXPECT_TRUE(is_installed(project, tap));
}

TEST_F(InstallTest, ReadsAPipUrlAsAShellDoes) {
  const project::Project project = load(kProject);
  const Requirement requirement = *requirement_of(project, plugin(project, "tap-b"));
  EXPECT_EQ(requirement.words, (std::vector<std::string>{"b", "a", "b", "c d"}));
  EXPECT_EQ(requirement.python, "python3.9");
  EXPECT_THROW(requirement_of(project, plugin(project, "tap-c")), Error);
  EXPECT_EQ(requirement_of(project, plugin(project, "tap-d")), std::nullopt);
  EXPECT_TRUE(is_installed(project, plugin(project, "tap-d")));
}

TEST_F(InstallTest, OfAPluginIsPartOfTheKeyOfItsCatalog) {
  const project::Project project = load(kProject);
  const project::Plugin tap = plugin(project, "tap-jsonl");
  EXPECT_EQ(catalog_cache_key(tap, project::plugin_settings(project, tap)),
            "b5af7ef4c586c3f51bd8d1fe844a107cab32710a");
  const project::Plugin other = plugin(project, "tap-d");
  EXPECT_EQ(catalog_cache_key(other, project::plugin_settings(project, other)), "");
}

}  // namespace
}  // namespace tidemark::runner
