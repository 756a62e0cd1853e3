#include "tidemark/project/plugin_settings.h"

#include <gtest/gtest.h>

#include "tidemark/project/setting_vectors.h"

namespace tidemark::project {
namespace {

LayeredSettings settings_of(const Project& project, std::string_view plugin) {
  return plugin_settings(project, *Plugin::find(project.document(), project.root(), plugin));
}

using PluginSettingVectors = SettingVectors;

TEST_F(PluginSettingVectors, AllHold) {
  EXPECT_EQ(check("tap-x",
                  [](const Project& project, const std::string& name) {
                    return settings_of(project, "tap-x").find(name);
                  }),
            54);
}

class PluginSettings : public ProjectFixture {
 protected:
  Setting find(std::string_view text, std::string_view plugin, std::string_view name) {
    return settings_of(load(text), plugin).find(name);
  }
};

constexpr std::string_view kFamily =
    "plugins:\n"
    "  extractors:\n"
    "  - name: tap-a\n"
    "    namespace: tap_a\n"
    "    settings:\n"
    "    - {name: host, env_aliases: [OLD_HOST]}\n"
    "    - {name: port, kind: integer, value: 1}\n"
    "    - {name: token, sensitive: true, env: A_TOKEN}\n"
    "    config: {host: '$WHO', extra: {deep: 1}}\n"
    "    env: {WHO: parent}\n"
    "    select: [a.*]\n"
    "  - name: tap-b\n"
    "    inherit_from: tap-a\n"
    "    settings: [{name: port, kind: integer, value: 2}]\n"
    "    env: {WHO: child}\n"
    "  - {name: tap-c, inherit_from: tap-b}\n";

TEST_F(PluginSettings, AreInheritedAsTheyAreWritten) {
  const Setting host = find(kFamily, "tap-c", "host");
  EXPECT_EQ(host.value.string(), "child");
  EXPECT_EQ(host.source, SettingSource::kInherited);
  EXPECT_EQ(to_string(host.written.position()), "meltano.yml:9:20");
  EXPECT_EQ(find(kFamily, "tap-a", "host").value.string(), "parent");
  EXPECT_EQ(find(kFamily, "tap-c", "extra.deep").value.integer(), 1);
  EXPECT_EQ(json::write(find(kFamily, "tap-c", "_select").value.to_json()), R"(["a.*"])");
}

TEST_F(PluginSettings, AnObjectIsInheritedWithTheParentsEnvironment) {
  options_.environment_choice.flag = "dev";
  const std::string text =
      "environments:\n"
      "- {name: dev, config: {plugins: {extractors: [{name: a, config: {o.k: 1}}]}}}\n"
      "plugins: {extractors: [{name: a, namespace: a, settings: [{name: o, kind: object}]},\n"
      "                       {name: b, inherit_from: a}]}\n";
  EXPECT_EQ(json::write(find(text, "b", "o").value.to_json()), R"({"k":1})");
  EXPECT_TRUE(find(text, "b", "o.k").value.is_null());
}

TEST_F(PluginSettings, ADefaultOfTheParentIsNotInherited) {
  const Setting port = find(kFamily, "tap-c", "port");
  EXPECT_EQ(port.value.integer(), 2);
  EXPECT_EQ(port.source, SettingSource::kDefault);
}

TEST_F(PluginSettings, AVariableOfTheParentCountsForIt) {
  options_.environment = os::Environment{{"TAP_A_PORT", "7"}, {"OLD_HOST", "$h"}};
  EXPECT_EQ(find(kFamily, "tap-b", "port").source, SettingSource::kInherited);
  EXPECT_EQ(find(kFamily, "tap-b", "port").value.integer(), 7);
  EXPECT_EQ(find(kFamily, "tap-b", "host").value.string(), "$h");
}

TEST_F(PluginSettings, AreHandedOnUnderAllTheirNames) {
  options_.environment = os::Environment{{"TAP_C_TOKEN", "t"}};
  std::vector<std::string> lines;
  for (const LayeredSettings::Exported& exported :
       settings_of(load(kFamily), "tap-c").exported(false)) {
    lines.push_back(exported.variable + "=" + exported.value +
                    (exported.is_sensitive ? " (secret)" : ""));
  }
  EXPECT_EQ(
      lines,
      (std::vector<std::string>{
          "TAP_C_HOST=child", "TAP_B_HOST=child", "TAP_A_HOST=child", "MELTANO_EXTRACT_HOST=child",
          "TAP_C_PORT=2", "TAP_B_PORT=2", "TAP_A_PORT=2", "MELTANO_EXTRACT_PORT=2",
          "A_TOKEN=t (secret)", "TAP_C_TOKEN=t (secret)", "TAP_B_TOKEN=t (secret)",
          "TAP_A_TOKEN=t (secret)", "MELTANO_EXTRACT_TOKEN=t (secret)", "TAP_C_EXTRA_DEEP=1",
          "TAP_B_EXTRA_DEEP=1", "TAP_A_EXTRA_DEEP=1", "MELTANO_EXTRACT_EXTRA_DEEP=1"}));
}

TEST_F(PluginSettings, TheDefinitionMayStandInALockFile) {
  constexpr std::string_view kText =
      "plugins:\n  loaders:\n  - {name: target-l, variant: acme, config: {batch: '5'}}\n";
  write("plugins/loaders/target-l--acme.lock",
        R"({"plugin_type":"loaders","name":"target-l","namespace":"target_l_ns","variant":"acme",
            "executable":"target-lock","settings":[{"name":"batch","kind":"integer"}],
            "dialect":"acmesql"})");
  EXPECT_EQ(find(kText, "target-l", "batch").value.integer(), 5);
  EXPECT_EQ(find(kText, "target-l", "_dialect").value.string(), "acmesql");
  options_.environment = os::Environment{{"TARGET_L_NS_BATCH", "6"}};
  EXPECT_EQ(find(kText, "target-l", "batch").value.integer(), 6);
  const auto plugin = Plugin::find(load(kText).document(), root_, "target-l");
  EXPECT_EQ(plugin->attribute("executable")->string(), "target-lock");
  EXPECT_EQ(plugin->label(), "Loader 'target-l'");
  write("plugins/loaders/target-l--acme.lock", "{");
  EXPECT_EQ(fault([&] { find(kText, "target-l", "batch"); }).substr(0, 35),
            "plugins/loaders/target-l--acme.lock");
}

TEST_F(PluginSettings, VariablesComeFromTheirLayersInOrder) {
  options_.environment_choice.flag = "dev";
  options_.environment = os::Environment{{"X", "process"}, {"Y", "process"}, {"Z", "process"}};
  constexpr std::string_view kText =
      "env: {X: top, Y: top, W: top}\n"
      "environments:\n"
      "- name: dev\n"
      "  env: {Y: \"dev-$X\"}\n"
      "  config: {plugins: {extractors: [{name: t, env: {V: entry}, select: [s]}]}}\n"
      "plugins:\n"
      "  extractors:\n"
      "  - {name: t, namespace: t, env: {X: own}, config: {all: '$X $Y $Z $W $V "
      "$MELTANO_EXTRACTOR_NAME $MELTANO_STATE_BACKEND_URI'}}\n";
  EXPECT_EQ(find(kText, "t", "all").value.string(), "own dev-own process top entry t systemdb");
  EXPECT_EQ(find(kText, "t", "_select").source, SettingSource::kActiveEnvironment);
}

TEST_F(PluginSettings, AMappingHasItsOwnConfig) {
  constexpr std::string_view kText =
      "plugins:\n  mappers:\n  - name: map-m\n    namespace: m\n    config: {a: 1, b: 1}\n"
      "    mappings:\n    - {name: hide, config: {b: 2}}\n";
  EXPECT_EQ(find(kText, "hide", "b").value.integer(), 2);
  EXPECT_EQ(find(kText, "hide", "a").value.integer(), 1);
  EXPECT_EQ(find(kText, "map-m", "b").value.integer(), 1);
}

TEST_F(PluginSettings, FaultsNameTheirPlace) {
  EXPECT_EQ(
      fault([&] {
        find("plugins: {extractors: [{name: a, inherit_from: b}, {name: b, inherit_from: a}]}\n",
             "a", "x");
      }),
      "meltano.yml:1:48: plugins.extractors[0].inherit_from: inherits from itself");
  EXPECT_EQ(
      fault([&] {
        find("plugins: {extractors: [{name: a, namespace: a, settings: [{name: x, kind: int}]}]}\n",
             "a", "x");
      }),
      "meltano.yml:1:75: plugins.extractors[0].settings[0].kind: 'int' is no kind of a setting");
}

}  // namespace
}  // namespace tidemark::project
