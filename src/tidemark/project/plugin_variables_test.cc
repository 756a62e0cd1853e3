#include "tidemark/project/plugin_variables.h"

#include <set>

#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/project/plugin_config.h"
#include "tidemark/project/plugin_settings.h"
#include "tidemark/project/setting_vectors.h"

namespace tidemark::project {
namespace {

class PluginVariables : public ProjectFixture {
 protected:
  struct Given {
    os::Environment environment;
    std::string config;
  };

  // What the last of the plugins gets in a run of them all.
  static Given given_to_last(const Project& project, const std::vector<std::string>& words) {
    os::Environment handed_on;
    Given given;
    for (const std::string& word : words) {
      const Plugin plugin = *Plugin::find(project.document(), project.root(), word);
      const LayeredSettings settings = plugin_settings(project, plugin, {}, handed_on);
      given = {plugin_environment(project, plugin, settings, handed_on),
               json::write_python_pretty(plugin_config(settings))};
      handed_on = overlay(handed_on, handed_on_by(plugin, settings));
    }
    return given;
  }

  // What Meltano gave it, as it would be in this test's folder.
  std::map<std::string, std::string> golden(const json::Value& plugin) const {
    std::map<std::string, std::string> variables;
    for (const auto& [name, value] : plugin.find("env")->as_object()) {
      std::string text = value.as_string();
      if (const size_t at = text.find("<root>"); at != std::string::npos) {
        text.replace(at, 6, root_.native());
      }
      variables[name] = text;
    }
    return variables;
  }
};

TEST_F(PluginVariables, AndTheConfigurationAreThoseOfMeltano) {
  const os::Path folder = TIDEMARK_GOLDEN_DIR "/meltano/plugin-env";
  write(".env",
        "FROM_DOTENV=dot\nDOT_CLASH=dot\nDOT_REF=${FROM_SHELL}-d\nexport DOT_EXP='q $X'\nNOEQ\n");
  const std::map<std::string, std::vector<std::string>> lines{
      {"probe-tap", {"tap-probe"}},
      {"probe-mapper", {"tap-probe", "pass-through"}},
      {"probe-target", {"tap-probe", "pass-through", "target-probe"}}};
  // Of Meltano alone, or of the files of a run; and what a plugin must not get.
  const std::set<std::string> left_out{"MELTANO_PARENT_CONTEXT_UUID",
                                       "SINGER_SDK_LOG_CONFIG",
                                       "LOGGING_CONF_FILE",
                                       "MELTANO_DATABASE_URI",
                                       "MELTANO_STATE_BACKEND_LOCK_RETRY_SECONDS",
                                       "MELTANO_STATE_BACKEND_URI",
                                       "MELTANO_STATE_BACKEND_LOCK_TIMEOUT_SECONDS"};
  const json::Value plugins = json::read(os::read_file(folder / "plugins.json"));
  ASSERT_EQ(plugins.as_array().size(), 5);
  for (const json::Value& plugin : plugins.as_array()) {
    const bool has_environment = plugin.find("step")->as_array()[0].as_string() == "run";
    SCOPED_TRACE(plugin.find("plugin")->as_string() + (has_environment ? " in dev" : " in none"));
    options_.environment_choice.flag = has_environment ? "dev" : "";
    std::map<std::string, std::string> expected = golden(plugin);
    os::Environment::Variables process;
    for (const char* name : {"HOME", "LANG", "PATH", "PROBE_OUT", "MELTANO_CLI_LOG_FORMAT"}) {
      process[name] = expected.at(name);
    }
    process["FROM_SHELL"] = "shell";
    process["DOT_CLASH"] = "shell";
    process["PYTHONPATH"] = "/p";
    process["VIRTUAL_ENV"] = "/v";
    process["MELTANO_CLI_DISABLE_VERSION_CHECK"] = "1";
    options_.environment = os::Environment(process);
    const Project project = load(os::read_file(folder / "meltano.yml"));
    std::vector<std::string> words = lines.at(plugin.find("plugin")->as_string());
    if (!has_environment) std::erase(words, "pass-through");
    const Given given = given_to_last(project, words);
    expected.at("MELTANO_USER_AGENT") = *project.environment().find("MELTANO_USER_AGENT");
    EXPECT_EQ(given.config, plugin.find("config")->as_string());
    for (const std::string& name : left_out) {
      EXPECT_EQ(expected.erase(name), 1) << name;
      EXPECT_EQ(given.environment.find(name), nullptr) << name;
    }
    const std::map<std::string, std::string> found(given.environment.variables().begin(),
                                                   given.environment.variables().end());
    EXPECT_EQ(found, expected);
  }
}

TEST_F(PluginVariables, LeaveOutWhatOpensTheDatabaseAndTheStateBackend) {
  write(".env", "MELTANO_STATE_BACKEND_AZURE_CONNECTION_STRING=secret\n");
  options_.environment = os::Environment{{"MELTANO_DATABASE_URI", "secret"},
                                         {"TIDEMARK_DATABASE_URI", "secret"},
                                         {"TIDEMARK_STATE_BACKEND_S3_PROFILE", "secret"},
                                         {"MELTANO_HUB_URL_AUTH", "secret"},
                                         {"MELTANO_DATABASE_MAX_RETRIES", "1"}};
  options_.environment_choice.flag = "dev";
  const Project project = load(
      "env: {MELTANO_STATE_BACKEND_URI: secret}\n"
      "environments: [{name: dev, env: {MELTANO_STATE_BACKEND_S3_REGION: secret}}]\n"
      "plugins:\n"
      "  extractors:\n"
      "  - {name: tap-x, namespace: x}\n"
      "  - {name: tap-y, namespace: y, env: {MELTANO_DATABASE_URI: mine}}\n");
  const Given given = given_to_last(project, {"tap-x"});
  for (const auto& [name, value] : given.environment.variables())
    EXPECT_NE(value, "secret") << name;
  EXPECT_EQ(*given.environment.find("MELTANO_DATABASE_MAX_RETRIES"), "1");
  EXPECT_EQ(*given_to_last(project, {"tap-y"}).environment.find("MELTANO_DATABASE_URI"), "mine");
}

TEST_F(PluginVariables, HandSettingsOnToThoseBehind) {
  const Project project = load(
      "plugins:\n"
      "  extractors: [{name: tap-x, namespace: x, config: {schema: s}}]\n"
      "  loaders:\n"
      "  - name: target-y\n"
      "    namespace: y\n"
      "    config: {from: $TAP_X_SCHEMA, load: $MELTANO_EXTRACT__LOAD_SCHEMA, float: 1e5}\n");
  EXPECT_EQ(given_to_last(project, {"tap-x", "target-y"}).config,
            "{\n  \"from\": \"s\",\n  \"load\": \"x\",\n  \"float\": 100000.0\n}");
}

}  // namespace
}  // namespace tidemark::project
