#include "tidemark/project/setting_store.h"

#include <gtest/gtest.h>

#include "tidemark/project/plugin_settings.h"
#include "tidemark/project/setting_vectors.h"

namespace tidemark::project {
namespace {

constexpr std::string_view kText =
    "include_paths: [more.yml]\n"
    "elt: {buffer_size: 5}  # small\n"
    "environments:\n"
    "- name: dev  # c\n"
    "- {name: prod, config: {plugins: {extractors: [{name: tap, config: {rows: 7}}]}}}\n"
    "plugins:\n"
    "  extractors:\n"
    "  - name: tap\n"
    "    namespace: tap\n"
    "    settings:\n"
    "    - {name: rows, kind: integer}\n"
    "    - {name: plain, aliases: [simple]}\n"
    "    - {name: token, sensitive: true}\n"
    "    config:\n"
    "      rows: 3   # keep me\n"
    "      a.b: 1\n"
    "      c: {d: 1}\n"
    "    select: [x.*]\n";
constexpr std::string_view kMore = "plugins:\n  loaders:\n  - {name: target}\n";

class SettingWriterTest : public ProjectFixture {
 protected:
  SettingWriterTest() {
    write("meltano.yml", kText);
    write("more.yml", kMore);
  }

  // Runs with a writer for that plugin, Meltano's own settings without one.
  template <typename Function>
  auto with(const std::string& plugin, Function function) {
    const Project project = Project::load(options_);
    const auto found = Plugin::find(project.document(), project.root(), plugin);
    const LayeredSettings settings = found ? plugin_settings(project, *found) : project.settings();
    ProjectWriter writer(project, random_, sleeper_, cancellation_);
    SettingWriter setting_writer(project, found ? &*found : nullptr, settings, writer);
    return function(setting_writer);
  }
  std::string set(const std::string& plugin, const std::string& name, const json::Value& value,
                  SettingStore store = SettingStore::kAuto) {
    return with(plugin, [&](SettingWriter& writer) { return writer.set(name, value, store); });
  }
  std::vector<std::string> unset(const std::string& plugin, const std::string& name,
                                 SettingStore store = SettingStore::kAuto) {
    return with(plugin, [&](SettingWriter& writer) { return writer.unset(name, store); });
  }
  std::vector<std::string> reset(const std::string& plugin,
                                 SettingStore store = SettingStore::kAuto) {
    return with(plugin, [&](SettingWriter& writer) { return writer.reset(store); });
  }

  std::string text(const os::Path& file = "meltano.yml") { return os::read_file(root_ / file); }
  static std::string changed(std::string_view from, std::string_view to,
                             std::string_view in = kText) {
    std::string out(in);
    out.replace(out.find(from), from.size(), to);
    return out;
  }

  SystemRandom random_;
  SystemSleeper sleeper_;
  Cancellation cancellation_;
};

using Places = std::vector<std::string>;

TEST_F(SettingWriterTest, WritesWhereTheSettingStands) {
  EXPECT_EQ(set("tap", "rows", 12), "`meltano.yml`");
  EXPECT_EQ(text(), changed("rows: 3 ", "rows: 12 "));
  write("meltano.yml", kText);
  set("tap", "a.b", 2);
  EXPECT_EQ(text(), changed("a.b: 1", "a.b: 2"));
  write("meltano.yml", kText);
  set("tap", "c.e.f", "v");
  EXPECT_EQ(text(), changed("{d: 1}", "{d: 1, e: {f: v}}"));
  write("meltano.yml", kText);
  set("tap", "_select", json::Array{"a.*"});
  EXPECT_EQ(text(), changed("[x.*]", "['a.*']"));
  write("meltano.yml", kText);
  set("tap", "new\\.dot", "x");
  EXPECT_EQ(text(), changed("{d: 1}\n", "{d: 1}\n      'new\\.dot': x\n"));
}

TEST_F(SettingWriterTest, WritesIntoTheFileThatHasThePlugin) {
  EXPECT_EQ(set("target", "x", "1"), "`more.yml`");
  EXPECT_EQ(text("more.yml"), changed("{name: target}", "{name: target, config: {x: '1'}}", kMore));
  EXPECT_EQ(text(), kText);
}

TEST_F(SettingWriterTest, WritesMeltanosOwnAtTheTop) {
  EXPECT_EQ(set("", "elt.buffer_size", 6), "`meltano.yml`");
  EXPECT_EQ(text(), changed("size: 5", "size: 6"));
  set("", "venv.backend", "uv");
  EXPECT_EQ(text(), changed("size: 5", "size: 6") + "venv:\n  backend: uv\n");
}

TEST_F(SettingWriterTest, SecretsAndWhatDependsOnThePlaceGoToDotenv) {
  write(".env", "# mine\nOTHER=1\n");
  EXPECT_EQ(set("tap", "token", "s3'x"), "`.env`");
  EXPECT_EQ(set("", "state_backend.uri", "file:///s"), "`.env`");
  EXPECT_EQ(text(".env"),
            "# mine\nOTHER=1\nTAP_TOKEN='s3\\'x'\nMELTANO_STATE_BACKEND_URI='file:///s'\n");
  EXPECT_EQ(text(), kText);
}

TEST_F(SettingWriterTest, ANewDotenvIsPrivate) {
  set("tap", "token", "x");
  const auto permissions = std::filesystem::status(root_ / ".env").permissions();
  EXPECT_EQ(permissions, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(SettingWriterTest, AnExplicitEnvironmentTakesThePluginsSettings) {
  options_.environment_choice = {.use = EnvironmentUse::kExplicit, .flag = "dev"};
  EXPECT_EQ(set("tap", "rows", 31), "the active environment in `meltano.yml`");
  EXPECT_EQ(text(), changed("- name: dev  # c\n",
                            "- name: dev  # c\n"
                            "  config:\n"
                            "    plugins:\n"
                            "      extractors:\n"
                            "      - name: tap\n"
                            "        config:\n"
                            "          rows: 31\n"));
  EXPECT_EQ(set("", "elt.buffer_size", 6), "`meltano.yml`");
  write("meltano.yml", kText);
  options_.environment_choice.flag = "prod";
  set("tap", "_select", json::Array{"p"});
  EXPECT_EQ(text(), changed("config: {rows: 7}", "config: {rows: 7}, select: [p]"));
}

TEST_F(SettingWriterTest, AListGrowsAndShrinksByItems) {
  const auto append = [&](const std::string& item) {
    with("tap", [&](SettingWriter& writer) { writer.append("_select", item); });
  };
  const auto remove = [&](const std::string& item) {
    return with("tap", [&](SettingWriter& writer) { return writer.remove_item("_select", item); });
  };
  append("!y.z");
  append("x.*");
  EXPECT_EQ(text(), changed("[x.*]", "[x.*, '!y.z', 'x.*']"));
  EXPECT_TRUE(remove("x.*"));
  EXPECT_FALSE(remove("q.*"));
  EXPECT_EQ(text(), changed("[x.*]", "['!y.z', 'x.*']"));
}

TEST_F(SettingWriterTest, AListBeginsAnewInAnEnvironment) {
  options_.environment_choice = {.use = EnvironmentUse::kExplicit, .flag = "prod"};
  const auto remove = [&](const std::string& item) {
    return with("tap", [&](SettingWriter& writer) { return writer.remove_item("_select", item); });
  };
  EXPECT_FALSE(remove("x.*"));
  with("tap", [](SettingWriter& writer) { writer.append("_select", "p.*"); });
  EXPECT_EQ(text(), changed("config: {rows: 7}", "config: {rows: 7}, select: ['p.*']"));
  EXPECT_TRUE(remove("p.*"));
  EXPECT_EQ(text(), changed("config: {rows: 7}", "config: {rows: 7}, select: []"));
}

TEST_F(SettingWriterTest, AnAliasTakesThePlaceOfTheName) {
  set("tap", "plain", "a");
  set("tap", "simple", "b");
  EXPECT_EQ(text(), changed("{d: 1}\n", "{d: 1}\n      simple: b\n"));
  write(".env", "TAP_SIMPLE=1\n");
  set("tap", "plain", "c", SettingStore::kDotenv);
  EXPECT_EQ(text(".env"), "TAP_PLAIN='c'\n");
}

TEST_F(SettingWriterTest, UnsettingTakesEmptyMapsAlong) {
  EXPECT_EQ(unset("tap", "c.d"), (Places{"`meltano.yml`"}));
  EXPECT_EQ(text(), changed("      c: {d: 1}\n", ""));
  EXPECT_EQ(unset("", "elt.buffer_size"), (Places{"`meltano.yml`"}));
  EXPECT_EQ(text().find("elt"), std::string::npos);
  EXPECT_EQ(unset("tap", "nothing"), Places{});
}

TEST_F(SettingWriterTest, UnsettingReachesEveryStoreOrOne) {
  write(".env", "TAP_ROWS=1\nB=2\n");
  options_.environment_choice = {.use = EnvironmentUse::kExplicit, .flag = "prod"};
  EXPECT_EQ(unset("tap", "rows", SettingStore::kProjectFile),
            (Places{"the active environment in `meltano.yml`"}));
  EXPECT_EQ(text(), changed(", config: {rows: 7}", ""));
  EXPECT_EQ(unset("tap", "rows"), (Places{"`.env`", "`meltano.yml`"}));
  EXPECT_EQ(text(".env"), "B=2\n");
}

TEST_F(SettingWriterTest, ResettingLeavesOthersAlone) {
  write(".env", "# c\nTAP_ROWS=1\nTAP__SELECT='[]'\nTARGET_SECRET=2\nTAP_ROWS_OTHER=3\n");
  EXPECT_EQ(reset("tap"), (Places{"`.env`", "`meltano.yml`"}));
  EXPECT_EQ(text(".env"), "# c\nTARGET_SECRET=2\nTAP_ROWS_OTHER=3\n");
  EXPECT_EQ(text(),
            changed("    config:\n      rows: 3   # keep me\n      a.b: 1\n      c: {d: 1}\n"
                    "    select: [x.*]\n",
                    ""));
  write("meltano.yml", std::string(kText) + "project_id: p\nother_tool: {a: 1}\n");
  EXPECT_EQ(reset("", SettingStore::kProjectFile), (Places{"`meltano.yml`"}));
  EXPECT_EQ(text(), changed("elt: {buffer_size: 5}  # small\n", "") +
                        "project_id: p\nother_tool: {a: 1}\n");
}

TEST_F(SettingWriterTest, RefusesWhatItCannotWrite) {
  EXPECT_EQ(
      fault([&] { set("tap", "unknown", "1", SettingStore::kDotenv); }),
      "unknown setting 'unknown' cannot be set in `.env`; define it in a project file, or use "
      "another store");
  EXPECT_EQ(fault([] { read_setting_store("db"); }),
            "the store 'db' holds Python pickles, which tidemark neither reads nor writes; use "
            "auto, dotenv or meltano_yml");
  EXPECT_EQ(fault([] { read_setting_store("meltano-yml"); }),
            "unknown store 'meltano-yml'; did you mean 'meltano_yml'?");
  options_.environment = os::Environment{{"MELTANO_PROJECT_READONLY", "1"}};
  EXPECT_EQ(fault([&] { set("tap", "rows", 1); }),
            "this project is deployed as read-only: project_readonly at environment variable "
            "MELTANO_PROJECT_READONLY");
  EXPECT_EQ(text(), kText);
}

}  // namespace
}  // namespace tidemark::project
