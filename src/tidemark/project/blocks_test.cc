#include "tidemark/project/blocks.h"

#include "tidemark/json/write.h"
#include "tidemark/project/setting_vectors.h"

namespace tidemark::project {
namespace {

json::Value shown(const Project& project, const Block& block) {
  if (const auto* pipeline = std::get_if<PipelineBlock>(&block)) {
    return json::Object{{"pipeline", pipeline->name}};
  }
  if (const auto* command = std::get_if<CommandBlock>(&block)) {
    const json::Value name = command->command ? json::Value(*command->command) : json::Value();
    return json::Object{{"command", json::Array{command->plugin.name(), name}}};
  }
  const auto& set = std::get<BlockSet>(block);
  json::Array names;
  for (const std::string& name : set.names()) names.emplace_back(name);
  return json::Object{{"set", names}, {"state_id", state_id(project, set, "")}};
}

class Blocks : public ProjectFixture {
 protected:
  Blocks() { options_.environment_choice = {.flag = "dev"}; }
};

TEST_F(Blocks, AreThoseOfMeltano) {
  const json::Value vectors =
      json::read(os::read_file(TIDEMARK_GOLDEN_DIR "/meltano/vectors.json"));
  const json::Value& blocks = *vectors.find("blocks");
  const Project project = load(blocks.find("meltano.yml")->as_string());
  const json::Array& cases = blocks.find("cases")->as_array();
  EXPECT_EQ(cases.size(), 36);
  for (const json::Value& one : cases) {
    SCOPED_TRACE(json::write(one));
    std::vector<std::string> words;
    for (const json::Value& word : one.find("words")->as_array()) words.push_back(word.as_string());
    if (const json::Value* text = one.find("text")) {
      // What is meant instead, or how it ends, is ours to say.
      std::string expected = text->as_string();
      if (expected.ends_with('.')) expected.pop_back();
      EXPECT_TRUE(fault([&] { parse_blocks(project, words); }).starts_with(expected))
          << fault([&] { parse_blocks(project, words); });
      continue;
    }
    json::Array found;
    for (const Block& block : parse_blocks(project, words)) found.push_back(shown(project, block));
    EXPECT_EQ(json::write(found), json::write(*one.find("blocks")));
  }
}

constexpr std::string_view kProject =
    "environments: [{name: dev, state_id_suffix: '${SFX}-e'}, {name: 'a:b'}]\n"
    "plugins:\n"
    "  extractors: [{name: tap-x, namespace: x}]\n"
    "  loaders: [{name: target-y, namespace: y}]\n"
    "  mappers:\n"
    "  - {name: m, namespace: m, mappings: [{name: one}, {name: two}]}\n"
    "  - {name: n, namespace: n, mappings: [{name: two}]}\n"
    "pipelines:\n"
    "- {name: shop, destination: duckdb, source: {type: files, path: '*.jsonl'}}\n"
    "jobs:\n"
    "- {name: nightly, tasks: [shop, tap-x target-y]}\n";

TEST_F(Blocks, OfPipelinesStandBesideThoseOfPlugins) {
  options_.destination_types = {"duckdb"};
  const Project project = load(kProject);
  const std::vector<Block> blocks = parse_blocks(project, {"nightly"});
  ASSERT_EQ(blocks.size(), 2);
  EXPECT_EQ(std::get<PipelineBlock>(blocks[0]).name, "shop");
  EXPECT_EQ(std::get<BlockSet>(blocks[1]).target.name(), "target-y");
  EXPECT_EQ(fault([&] { parse_blocks(project, {"tap-x", "shop"}); }),
            "block violates set requirements: Unknown command type or bad block sequence at index "
            "1, starting block 'tap-x'");
  EXPECT_EQ(fault([&] { parse_blocks(project, {"shopp"}); }),
            "Block shopp not found; did you mean 'shop'?");
  EXPECT_EQ(fault([&] { parse_blocks(project, {"tap-x", "two", "target-y"}); }),
            "Ambiguous mapping name two, found multiple matches");
}

TEST_F(Blocks, HaveAStateIdOfTheEnvironmentAndASuffix) {
  options_.destination_types = {"duckdb"};
  options_.environment = os::Environment{{"SFX", "x"}};
  Project project = load(kProject);
  const auto set = std::get<BlockSet>(parse_blocks(project, {"tap-x", "target-y"})[0]);
  EXPECT_EQ(environment_suffix(project), "x-e");
  EXPECT_EQ(state_id(project, set, "s"), "dev:tap-x-to-target-y:s");
  EXPECT_TRUE(fault([&] { state_id(project, set, "a:b"); })
                  .starts_with("Cannot generate a state ID from components containing the "
                               "delimiter string ':'"));
  options_.environment_choice = {.flag = ""};
  project = load(kProject);
  EXPECT_TRUE(fault([&] {
                state_id(project, set, "");
              }).starts_with("A Meltano environment must be specified."));
}

}  // namespace
}  // namespace tidemark::project
