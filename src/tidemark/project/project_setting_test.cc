#include "tidemark/project/project_setting.h"

#include <gtest/gtest.h>

#include "tidemark/config/yaml.h"

namespace tidemark::project {
namespace {

constexpr std::string_view kName = "state_backend.s3.endpoint_url";

std::string find(std::string_view yaml, const os::Environment& environment = {}) {
  const auto node =
      find_project_setting(config::read_yaml(yaml, "meltano.yml"), environment, kName);
  return node ? node->string() : "nothing";
}

TEST(FindProjectSetting, NestedMapsAndDottedKeysAreTheSame) {
  EXPECT_EQ(find("state_backend: {s3: {endpoint_url: a}}"), "a");
  EXPECT_EQ(find("state_backend.s3.endpoint_url: b"), "b");
  EXPECT_EQ(find("state_backend: {s3.endpoint_url: c}"), "c");
  EXPECT_EQ(find("state_backend: {uri: x}\nstate_backend.s3: {endpoint_url: d}"), "d");
  EXPECT_EQ(find("state_backend: text"), "nothing");
  EXPECT_EQ(find("state_backend: {s3: {endpoint_url: null}}"), "nothing");
}

TEST(FindProjectSetting, VariablesBeatTheDocumentOwnOnesFirst) {
  const std::string_view yaml = "state_backend: {s3: {endpoint_url: a}}";
  const std::string meltano = "MELTANO_STATE_BACKEND_S3_ENDPOINT_URL";
  const std::string own = "TIDEMARK_STATE_BACKEND_S3_ENDPOINT_URL";
  EXPECT_EQ(find(yaml, {{meltano, "m"}}), "m");
  EXPECT_EQ(find(yaml, {{meltano, "m"}, {own, "t"}}), "t");
  EXPECT_EQ(find(yaml, {{meltano, ""}}), "");
}

TEST(FindProjectSetting, ExpandsTheDocumentAndNotTheVariables) {
  EXPECT_EQ(find("state_backend.s3.endpoint_url: $HOST", {{"HOST", "h"}}), "h");
  EXPECT_EQ(find("state_backend.s3.endpoint_url: $HOST"), "nothing");
  EXPECT_EQ(find("{}", {{"MELTANO_STATE_BACKEND_S3_ENDPOINT_URL", "$HOST"}, {"HOST", "h"}}),
            "$HOST");
}

}  // namespace
}  // namespace tidemark::project
