#include "tidemark/cli/state_id.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tidemark/json/read.h"

namespace tidemark::cli {
namespace {

TEST(ParseStateId, TakesApartWhatMeltanoDoes) {
  std::ifstream file(TIDEMARK_GOLDEN_DIR "/meltano/state_ids.json");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const json::Value cases = json::read(text);
  ASSERT_FALSE(cases.as_array().empty());
  for (const json::Value& row : cases.as_array()) {
    const std::string& id = row.find("id")->as_string();
    const json::Value& match = *row.find("match");
    const std::optional<StateIdParts> parts = parse_state_id(id);
    ASSERT_EQ(parts.has_value(), match.is_object()) << id;
    if (!parts) {
      continue;
    }
    EXPECT_EQ(parts->environment, match.find("env")->as_string()) << id;
    EXPECT_EQ(parts->extractor, match.find("tap")->as_string()) << id;
    EXPECT_EQ(parts->loader, match.find("target")->as_string()) << id;
    const json::Value& suffix = *match.find("suffix");
    EXPECT_EQ(parts->suffix, suffix.is_null() ? std::nullopt : std::optional(suffix.as_string()))
        << id;
  }
}

}  // namespace
}  // namespace tidemark::cli
