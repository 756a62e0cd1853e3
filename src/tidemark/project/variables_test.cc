#include "tidemark/project/variables.h"

#include <gtest/gtest.h>

#include "tidemark/json/read.h"
#include "tidemark/os/files.h"

namespace tidemark::project {
namespace {

TEST(VariableName, IsMeltanos) {
  const json::Value vectors =
      json::read(os::read_file(TIDEMARK_GOLDEN_DIR "/meltano/vectors.json"));
  const json::Array& cases = vectors.find("env_var_name")->as_array();
  EXPECT_EQ(cases.size(), 6);
  for (const json::Value& vector : cases) {
    const json::Array& parts = vector.find("parts")->as_array();
    EXPECT_EQ(variable_name(parts[0].as_string(), parts[1].as_string()),
              vector.find("name")->as_string());
  }
}

TEST(Overlay, HidesTheVariableAndItsPlace) {
  const config::Position place{std::make_shared<const std::string>(".env"), 3, 1};
  const Variables under{os::Environment{{"A", "1"}, {"B", "2"}}, {{"A", place}, {"B", place}}};
  const Variables both = overlay(under, {os::Environment{{"B", "3"}}});
  EXPECT_EQ(to_string(both.node("A").position()), ".env:3:1");
  EXPECT_EQ(both.node("B").string(), "3");
  EXPECT_EQ(to_string(both.node("B").position()), "environment variable B");
}

}  // namespace
}  // namespace tidemark::project
