#include "tidemark/project/active_environment.h"

#include <gtest/gtest.h>

namespace tidemark::project {
namespace {

using Name = std::optional<std::string>;

Name choose(const EnvironmentChoice& choice, const os::Environment& process = {},
            const os::Environment& dotenv = {}) {
  return choose_environment(choice, process, dotenv, "dev");
}

TEST(ChooseEnvironment, FlagThenProcessThenDotenvThenDefault) {
  const os::Environment process{{"MELTANO_ENVIRONMENT", "process"}};
  const os::Environment dotenv{{"MELTANO_ENVIRONMENT", "dotenv"}};
  EXPECT_EQ(choose({.flag = "flag"}, process, dotenv), "flag");
  EXPECT_EQ(choose({}, process, dotenv), "process");
  EXPECT_EQ(choose({}, {}, dotenv), "dotenv");
  EXPECT_EQ(choose({}), "dev");
  EXPECT_EQ(choose({}, {{"TIDEMARK_ENVIRONMENT", "own"}, {"MELTANO_ENVIRONMENT", "process"}}),
            "own");
}

TEST(ChooseEnvironment, CommandsMayIgnoreTheDefaultOrAll) {
  const os::Environment process{{"MELTANO_ENVIRONMENT", "process"}};
  EXPECT_EQ(choose({.use = EnvironmentUse::kExplicit}), Name());
  EXPECT_EQ(choose({.use = EnvironmentUse::kExplicit}, process), "process");
  EXPECT_EQ(choose({.use = EnvironmentUse::kNone, .flag = "flag"}, process), Name());
}

TEST(ChooseEnvironment, NullAndNoEnvironmentAreNone) {
  const os::Environment process{{"MELTANO_ENVIRONMENT", "process"}};
  EXPECT_EQ(choose({.flag = "NULL"}, process), Name());
  EXPECT_EQ(choose({.flag = ""}, process), Name());
  EXPECT_EQ(choose({}, {{"MELTANO_ENVIRONMENT", "null"}}), Name());
}

TEST(ChooseEnvironment, AnEmptyVariableHidesDotenvButNotTheDefault) {
  EXPECT_EQ(choose({}, {{"MELTANO_ENVIRONMENT", ""}}, {{"MELTANO_ENVIRONMENT", "dotenv"}}), "dev");
}

}  // namespace
}  // namespace tidemark::project
