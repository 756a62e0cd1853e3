#include "tidemark/project/project_settings.h"

#include <gtest/gtest.h>

#include "tidemark/project/setting_vectors.h"

namespace tidemark::project {
namespace {

using ProjectSettingVectors = SettingVectors;
using ProjectSettings = ProjectFixture;

TEST_F(ProjectSettingVectors, AllHold) {
  EXPECT_EQ(check("project", [](const Project& project,
                                const std::string& name) { return project.settings().find(name); }),
            26);
}

TEST_F(ProjectSettings, OwnVariablesBeatMeltanosInEachLayer) {
  write(".env", "TIDEMARK_STATE_BACKEND_URI=file:///d\n");
  options_.environment = os::Environment{{"TIDEMARK_STATE_BACKEND_URI", "file:///t"},
                                         {"MELTANO_STATE_BACKEND_URI", "file:///m"}};
  const Setting own = load("version: 1\n").settings().find("state_backend.uri");
  EXPECT_EQ(own.value.string(), "file:///t");
  EXPECT_EQ(own.variable, "TIDEMARK_STATE_BACKEND_URI");
  options_.environment = os::Environment{{"MELTANO_STATE_BACKEND_URI", "file:///m"}};
  EXPECT_EQ(load("version: 1\n").settings().find("state_backend.uri").value.string(), "file:///m");
}

TEST_F(ProjectSettings, AFlagBeatsEverything) {
  options_.environment = os::Environment{{"MELTANO_DATABASE_URI", "sqlite:///e"}};
  const Project project = load("database_uri: sqlite:///y\n");
  const config::Node flags =
      config::Node::from_json(json::read(R"({"database_uri":"sqlite:///f"})"));
  const Setting setting = project.settings(flags).find("database_uri");
  EXPECT_EQ(setting.value.string(), "sqlite:///f");
  EXPECT_EQ(setting.source, SettingSource::kOverride);
}

TEST_F(ProjectSettings, KnowWhereTheirValuesStand) {
  write(".env", "A=1\nMELTANO_PYTHON=python3.11\n");
  const LayeredSettings settings =
      load("env:\n  MELTANO_HUB_URL: http://h\nstate_backend:\n  uri: $NONE\n").settings();
  const auto place = [&](std::string_view name) {
    return to_string(settings.find(name).written.position());
  };
  EXPECT_EQ(place("python"), ".env:2:1");
  EXPECT_EQ(place("hub_url"), "meltano.yml:2:20");
  EXPECT_EQ(place("state_backend.uri"), "meltano.yml:4:8");
  EXPECT_EQ(settings.find("state_backend.uri").written.string(), "$NONE");
}

TEST_F(ProjectSettings, IncludedFilesCount) {
  write("more.yml", "state_backend:\n  uri: file:///more\n");
  const Setting setting = load("include_paths: [more.yml]\n").settings().find("state_backend.uri");
  EXPECT_EQ(setting.value.string(), "file:///more");
  EXPECT_EQ(to_string(setting.written.position()), "more.yml:2:8");
}

TEST_F(ProjectSettings, ABadNumberIsNamedWithItsPlace) {
  EXPECT_EQ(fault([&] {
              load("state_backend: {lock_timeout_seconds: x}\n")
                  .settings()
                  .find("state_backend.lock_timeout_seconds");
            }),
            "meltano.yml:1:39: state_backend.lock_timeout_seconds: expected a number");
}

TEST_F(ProjectSettings, AnotherEnvFileTakesThePlaceOfDotenv) {
  write(".env", "MELTANO_PYTHON=a\n");
  write("conf/prod.env", "MELTANO_PYTHON=b\n");
  options_.env_file = "conf/prod.env";
  const Setting setting = load("version: 1\n").settings().find("python");
  EXPECT_EQ(setting.value.string(), "b");
  EXPECT_EQ(to_string(setting.written.position()), "conf/prod.env:1:1");
}

}  // namespace
}  // namespace tidemark::project
