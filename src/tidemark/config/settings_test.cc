#include "tidemark/config/settings.h"

#include <functional>

#include <gtest/gtest.h>

#include "tidemark/config/toml.h"
#include "tidemark/config/yaml.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::config {
namespace {

const SettingName kApiKey{
    .key = "api_key", .sections = {"sources", "module", "shop"}, .is_secret = true};

Settings::Sources sources(os::Environment environment, std::string_view secrets = "",
                          std::string_view config = "") {
  return {.environment = std::move(environment),
          .secrets = read_toml(secrets, "/p/.dlt/secrets.toml"),
          .config = read_toml(config, "/p/.dlt/config.toml"),
          .mounted_secrets = "/none"};
}

std::string find_text(Settings::Sources from, const SettingName& name,
                      const std::string& pipeline = "pp") {
  Settings settings(std::move(from), pipeline);
  const std::optional<Node> value = settings.find(name);
  return value ? value->string() : "nothing";
}

std::string fault(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    return error.message();
  }
  return "no error";
}

TEST(Settings, AskTheEnvironmentInTheOrderOfDlt) {
  const std::vector<std::string> order{"PP__SOURCES__MODULE__SHOP__API_KEY",
                                       "PP__SOURCES__MODULE__API_KEY",
                                       "PP__SOURCES__SHOP__API_KEY",
                                       "PP__SOURCES__API_KEY",
                                       "PP__API_KEY",
                                       "SOURCES__MODULE__SHOP__API_KEY",
                                       "SOURCES__MODULE__API_KEY",
                                       "SOURCES__SHOP__API_KEY",
                                       "SOURCES__API_KEY",
                                       "API_KEY"};
  os::Environment::Variables variables;
  for (size_t i = order.size(); i > 0; --i) {
    variables[order[i - 1]] = order[i - 1];
    EXPECT_EQ(find_text(sources(os::Environment(variables)), kApiKey), order[i - 1]);
  }
}

TEST(Settings, HaveNoCompactFormWhenModuleAndSourceAreOne) {
  const SettingName name{.key = "k", .sections = {"sources", "shop", "shop"}};
  EXPECT_EQ(find_text(sources({{"SOURCES__SHOP__K", "v"}}), name), "v");
  EXPECT_EQ(find_text(sources({{"SOURCES__SHOP__SHOP__K", "w"}, {"SOURCES__SHOP__K", "v"}}), name),
            "w");
}

TEST(Settings, NeverLeaveTheInnerSectionOut) {
  const SettingName name{
      .key = "host", .sections = {"destination", "postgres"}, .inner_section = "credentials"};
  EXPECT_EQ(find_text(sources({{"DESTINATION__POSTGRES__CREDENTIALS__HOST", "a"}}), name), "a");
  EXPECT_EQ(find_text(sources({{"DESTINATION__CREDENTIALS__HOST", "b"}}), name), "b");
  EXPECT_EQ(find_text(sources({{"CREDENTIALS__HOST", "c"}}), name), "c");
  EXPECT_EQ(find_text(sources({{"DESTINATION__POSTGRES__HOST", "d"}, {"HOST", "e"}}), name),
            "nothing");
}

TEST(Settings, AShortVariableBeatsAQualifiedKeyInAFile) {
  EXPECT_EQ(find_text(sources({{"API_KEY", "short"}}, "[sources.module.shop]\napi_key='toml'\n"),
                      kApiKey),
            "short");
}

TEST(Settings, AKeyOfThePipelineInAFileBeatsAVariableOfAll) {
  EXPECT_EQ(find_text(sources({{"SOURCES__API_KEY", "all"}}, "[pp.sources]\napi_key='pipeline'\n"),
                      kApiKey),
            "pipeline");
}

TEST(Settings, SecretsBeatConfig) {
  const SettingName workers{.key = "workers", .sections = {"load"}};
  EXPECT_EQ(find_text(sources({}, "workers='s'\n", "[load]\nworkers='c'\n"), workers), "s");
  EXPECT_EQ(find_text(sources({}, "", "[load]\nworkers='c'\n"), workers), "c");
}

TEST(Settings, OwnVariablesBeatThoseOfDlt) {
  const SettingName workers{.key = "workers", .sections = {"load"}};
  EXPECT_EQ(find_text(sources({{"LOAD__WORKERS", "4"}, {"TIDEMARK_LOAD__WORKERS", "5"}}), workers),
            "5");
}

TEST(Settings, TheProjectFileYieldsOnlyToTheEnvironment) {
  const SettingName workers{.key = "workers", .sections = {"load"}};
  const auto with_project = [](os::Environment environment) {
    Settings::Sources from = sources(std::move(environment), "[pp.load]\nworkers='toml'\n");
    from.project =
        read_yaml("name: pp\nworkers: no setting\nload: {workers: project}\n", "tidemark.yml");
    return from;
  };
  EXPECT_EQ(find_text(with_project({}), workers), "project");
  EXPECT_EQ(find_text(with_project({{"LOAD__WORKERS", "environment"}}), workers), "environment");
  EXPECT_EQ(find_text(with_project({{"PP__LOAD__WORKERS", "environment"}}), workers),
            "environment");
  EXPECT_EQ(find_text(with_project({}), {.key = "name", .sections = {"load"}}), "nothing");
}

TEST(Settings, ASecretInConfigIsAnError) {
  Settings settings(sources({}, "", "[sources]\napi_key='oops'\n"), "pp");
  EXPECT_EQ(fault([&] { settings.require_secret(kApiKey); }),
            "/p/.dlt/config.toml:2:9: sources.api_key: a secret; put it into secrets.toml or the "
            "environment variable SOURCES__API_KEY");
}

TEST(Settings, SecretsMayBeMountedAsFiles) {
  const os::TempDirectory directory;
  os::write_new_file(directory / "sources--shop--api-key", "docker\n");
  os::make_directories(directory / "api-key");
  os::write_new_file(directory / "api-key" / "api-key", "kubernetes");
  Settings::Sources from = sources({{"API_KEY", "variable"}});
  from.mounted_secrets = directory.path();
  Settings settings(from, "");
  EXPECT_EQ(settings.require_secret(kApiKey).reveal(), "docker");
  EXPECT_EQ(settings.require_secret({.key = "api_key"}).reveal(), "kubernetes");
  EXPECT_EQ(settings.require({.key = "api_key"}).string(), "variable");
}

TEST(Settings, RememberWhereEachValueCameFrom) {
  Settings::Sources from = sources({{"LOAD__WORKERS", "4"}}, "[sources]\napi_key='s'\n");
  from.global_directory = "/p/.dlt";
  Settings settings(from, "pp");
  settings.require({.key = "workers", .sections = {"load"}});
  settings.find({.key = "missing"});
  settings.require_secret(kApiKey);
  const std::vector<ResolvedSetting> expected{
      {"workers", {"load"}, "Environment Variables", "", false},
      {"api_key", {"sources"}, "secrets.toml", "global:secrets.toml", true}};
  EXPECT_EQ(settings.resolved(), expected);
}

TEST(Settings, MissingOnesNameEveryPlaceThatWasAsked) {
  Settings settings(sources({}), "pp");
  EXPECT_EQ(
      fault([&] { settings.require_secret({.key = "key", .sections = {"sources"}}); }),
      "setting 'sources.key' is missing; tried in the environment: PP__SOURCES__KEY, PP__KEY, "
      "SOURCES__KEY, KEY; in secrets.toml: pp.sources.key, pp.key, sources.key, key");
}

TEST(Settings, ErrorsOfAVariableNameIt) {
  Settings settings(sources({{"LOAD__WORKERS", "many"}}), "");
  EXPECT_EQ(fault([&] { settings.require({.key = "workers", .sections = {"load"}}).integer(); }),
            "environment variable LOAD__WORKERS: expected a whole number, found text");
}

TEST(Settings, RefuseThePlaceholderOfANewProject) {
  Settings settings(sources({}, "api_key='<configure me>'\n"), "");
  EXPECT_EQ(fault([&] { settings.find(kApiKey); }),
            "/p/.dlt/secrets.toml:1:9: api_key: still the placeholder of a new project");
}

TEST(Settings, FilesOfTheProjectLieOverThoseOfTheUser) {
  const os::TempDirectory directory;
  os::make_directories(directory / "project");
  os::make_directories(directory / "user");
  os::write_new_file(directory / "project/secrets.toml", "[a]\nx = 'project'\n");
  os::write_new_file(directory / "user/secrets.toml", "[a]\nx = 'user'\ny = 'user'\n");
  os::DltDirectories directories;
  directories.settings = directory / "project";
  directories.global = directory / "user";
  Settings settings(Settings::read_sources({}, directories), "");
  EXPECT_EQ(settings.require({.key = "x", .sections = {"a"}}).string(), "project");
  EXPECT_EQ(settings.require({.key = "y", .sections = {"a"}}).string(), "user");
  EXPECT_EQ(settings.resolved()[0].provider_location, "secrets.toml");
  EXPECT_EQ(settings.resolved()[1].provider_location, "global:secrets.toml");
}

}  // namespace
}  // namespace tidemark::config
