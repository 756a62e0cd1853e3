#include "tidemark/project/project.h"

#include <functional>

#include <gtest/gtest.h>

#include "tidemark/json/write.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::project {
namespace {

constexpr std::string_view kGithub = R"(
environments:
- name: dev
  env: {SCHEMA: "${BASE}_dev"}
destinations:
- name: warehouse
  type: postgres
  url: $URL
pipelines:
- name: github_pipeline
  destination: warehouse
  dataset: ${SCHEMA}
  state: {backend: none}
  load: {workers: 2}
  source:
    type: rest
    client: {base_url: "https://api.github.com", auth: {type: bearer, token: "${TOKEN}"}}
- name: files
  destination: duckdb
  source: {type: files, name: logs, path: "*.jsonl"}
unknown_to_us: {kept: true}
)";

class ProjectTest : public testing::Test {
 protected:
  ProjectTest() : root_(os::resolve_links(directory_.path())) {
    options_.file = root_ / "tidemark.yml";
    options_.destination_types = {"duckdb", "postgres"};
  }

  void write(const os::Path& file, std::string_view text) {
    os::remove_file(root_ / file);
    os::write_new_file(root_ / file, text);
  }

  Project load(std::string_view text) {
    write("tidemark.yml", text);
    return Project::load(options_);
  }

  std::string fault(std::string_view text) {
    return fault([&] { load(text); });
  }

  static std::string fault(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  }

  os::TempDirectory directory_;
  os::Path root_;
  Project::Options options_;
};

TEST_F(ProjectTest, BindsAPipelineWithItsVariables) {
  options_.environment =
      os::Environment{{"TOKEN", "pa$$ $TOKEN"}, {"SCHEMA", "github"}, {"URL", "postgresql://h/$d"}};
  const std::optional<PipelineDefinition> pipeline = load(kGithub).find_pipeline("github_pipeline");
  ASSERT_TRUE(pipeline);
  EXPECT_EQ(pipeline->name, "github_pipeline");
  EXPECT_EQ(pipeline->source_name, "github");
  EXPECT_EQ(pipeline->dataset, "github");
  EXPECT_EQ(pipeline->state_backend, StateBackend::kNone);
  EXPECT_EQ(pipeline->destination.name, "warehouse");
  EXPECT_EQ(pipeline->destination.node.require("url").string(), "postgresql://h/$d");
  const config::Node token = pipeline->source.require("client").require("auth").require("token");
  EXPECT_EQ(token.string(), "pa$$ $TOKEN");
  EXPECT_EQ(token.path(), "pipelines[0].source.client.auth.token");
  EXPECT_EQ(pipeline->node.require("load").require("workers").integer(), 2);
}

TEST_F(ProjectTest, ExpandsADestinationInThePipelineOnce) {
  options_.environment = os::Environment{{"TOKEN", "pa$TOKEN"}};
  const auto pipeline = load(
                            "pipelines:\n- name: a\n  source: {type: files}\n"
                            "  destination: {type: postgres, password: $TOKEN}\n")
                            .find_pipeline("a");
  ASSERT_TRUE(pipeline);
  EXPECT_EQ(pipeline->destination.node.require("password").secret().reveal(), "pa$TOKEN");
}

TEST_F(ProjectTest, HasDefaultsForWhatIsNotSaid) {
  const std::optional<PipelineDefinition> pipeline = load(kGithub).find_pipeline("files");
  ASSERT_TRUE(pipeline);
  EXPECT_EQ(pipeline->source_name, "logs");
  EXPECT_EQ(pipeline->dataset, std::nullopt);
  EXPECT_EQ(pipeline->state_backend, StateBackend::kAuto);
  EXPECT_FALSE(pipeline->is_dev_mode);
  EXPECT_TRUE(pipeline->restores_from_destination);
  EXPECT_EQ(pipeline->destination.name, "duckdb");
  EXPECT_EQ(pipeline->destination.node.string(), "duckdb");
}

TEST_F(ProjectTest, AVariableThatIsMissingIsNamedOnlyWhenItsPipelineIsAsked) {
  const Project project = load(kGithub);
  EXPECT_EQ(project.pipeline_names(), (std::vector<std::string>{"github_pipeline", "files"}));
  EXPECT_EQ(fault([&] { project.find_pipeline("github_pipeline"); }),
            "tidemark.yml:12:12: pipelines[0].dataset: environment variable 'SCHEMA' is not set, "
            "nor does .env set it");
  EXPECT_TRUE(project.find_pipeline("files"));
  EXPECT_FALSE(project.find_pipeline("none"));
}

TEST_F(ProjectTest, KeepsWhatItDoesNotKnowOutsideOfPipelines) {
  EXPECT_EQ(json::write(load(kGithub).document().require("unknown_to_us").to_json()),
            R"({"kept":true})");
}

TEST_F(ProjectTest, LayersItsEnvironment) {
  write(".env", "A=dotenv\nB=dotenv\nC=dotenv\n");
  options_.environment = os::Environment{{"B", "process"}, {"C", "process"}, {"BASE", "x"}};
  const std::string text = std::string(kGithub) + "env: {C: 1.50, D: true, BASE: $RAW}\n";
  const os::Environment outer = load(text).environment();
  EXPECT_EQ(*outer.find("A"), "dotenv");
  EXPECT_EQ(*outer.find("B"), "process");
  EXPECT_EQ(*outer.find("C"), "1.50");
  EXPECT_EQ(*outer.find("D"), "True");
  EXPECT_EQ(*outer.find("BASE"), "$RAW");
  EXPECT_EQ(outer.find("SCHEMA"), nullptr);
  options_.environment_choice.flag = "dev";
  EXPECT_EQ(*load(text).environment().find("SCHEMA"), "$RAW_dev");
  options_.environment_choice.flag = "prod";
  EXPECT_EQ(fault([&] { load(text); }), "Environment 'prod' was not found");
}

TEST_F(ProjectTest, SaysWhereItIsByMeltanosVariables) {
  options_.environment_choice.flag = "dev";
  const Project project = load(kGithub);
  EXPECT_EQ(project.system_directory(), root_ / ".meltano");
  EXPECT_EQ(*project.environment().find("MELTANO_PROJECT_ROOT"), root_.native());
  EXPECT_EQ(*project.environment().find("MELTANO_SYS_DIR_ROOT"), (root_ / ".meltano").native());
  EXPECT_EQ(*project.environment().find("MELTANO_ENVIRONMENT"), "dev");
  options_.environment = os::Environment{{"MELTANO_SYS_DIR_ROOT", "/sys"}};
  EXPECT_EQ(load(kGithub).system_directory(), "/sys");
}

TEST_F(ProjectTest, NamesItselfToServicesByMeltanosVariable) {
  EXPECT_TRUE(load("a: 1\n").environment().find("MELTANO_USER_AGENT")->starts_with("tidemark/"));
  EXPECT_EQ(*load("env: {MELTANO_USER_AGENT: mine}\n").environment().find("MELTANO_USER_AGENT"),
            "mine");
}

TEST_F(ProjectTest, HeedsTheVersionOfMeltanoThatItRequires) {
  EXPECT_NO_THROW(load("requires_meltano: '>=3.5, <5'\n"));
  EXPECT_EQ(fault("a: 1\nrequires_meltano: '>=5'\n"),
            "tidemark.yml:2:19: requires_meltano: the project asks for Meltano >=5; tidemark does "
            "what Meltano 4.4.1 does");
  EXPECT_EQ(fault("requires_meltano: newest\n"),
            "tidemark.yml:1:19: requires_meltano: 'newest' is no version specifier; one looks like "
            ">=3.5,<5");
}

TEST_F(ProjectTest, ADefaultEnvironmentIsActiveOnlyForCommandsThatTakeIt) {
  const std::string text = std::string(kGithub) + "default_environment: dev\n";
  EXPECT_EQ(load(text).environment_name(), "dev");
  options_.environment_choice.use = EnvironmentUse::kExplicit;
  EXPECT_EQ(load(text).environment_name(), std::nullopt);
  EXPECT_EQ(load(text).settings().find("default_environment").value.string(), "dev");
}

TEST_F(ProjectTest, ReadsIncludedFiles) {
  write("more.yml",
        "pipelines:\n- {name: more, destination: duckdb, source: {type: files, pth: x}}\n");
  const Project project = load(std::string("include_paths: [more.yml]\n") + std::string(kGithub));
  EXPECT_EQ(project.pipeline_names().back(), "more");
  write("more.yml", "pipelines:\n- {name: more, dest: duckdb}\n");
  EXPECT_EQ(fault([&] { Project::load(options_); }),
            "more.yml:2:16: pipelines[2].dest: unknown key; known: name, destination, dataset, "
            "source, state, dev_mode, restore_from_destination, loader_file_format, extract, "
            "normalize, load");
}

TEST_F(ProjectTest, IncludedFilesMustNotShareNames) {
  const std::string text = "include_paths: [a.yml, b.yml]\nplugins: {loaders: [{name: t}]}\n";
  write("a.yml", "plugins:\n  loaders:\n  - name: t\n  extractors:\n  - name: u\n");
  write("b.yml", "plugins:\n  extractors:\n  - name: t\n");
  EXPECT_EQ(fault(text), "no error");
  write("b.yml", "plugins:\n  extractors:\n  - name: u\n");
  EXPECT_EQ(fault(text),
            "b.yml:3:11: plugins.extractors[0].name: 'u' is there already, at a.yml:5:11");
  write("a.yml", "environments: [{name: dev}]\n");
  write("b.yml", "environments: [{name: dev}]\n");
  EXPECT_EQ(fault(text), "b.yml:1:23: environments[0].name: 'dev' is there already, at a.yml:1:23");
}

TEST_F(ProjectTest, FaultsNamePlacePathAndTheNearestKey) {
  EXPECT_EQ(fault("pipelines:\n- name: a\n  destinaton: duckdb\n  source: {type: files}\n"),
            "tidemark.yml:3:3: pipelines[0].destinaton: unknown key; did you mean 'destination'?");
  EXPECT_EQ(fault("pipelines:\n- name: a\n  destination: duckdb\n"),
            "tidemark.yml:2:3: pipelines[0]: 'source' is missing");
  EXPECT_EQ(fault("pipelines:\n- {name: a, destination: duckbd, source: {type: files}}\n"),
            "tidemark.yml:2:26: pipelines[0].destination: unknown destination 'duckbd'; did you "
            "mean 'duckdb'?");
  EXPECT_EQ(
      fault("pipelines:\n- {name: a, destination: duckdb, source: {type: x}, load: {w: 1}}\n"),
      "tidemark.yml:2:60: pipelines[0].load.w: unknown key; known: workers, "
      "raise_on_failed_jobs");
  EXPECT_EQ(fault("destinations:\n- {name: a}\n"),
            "tidemark.yml:2:3: destinations[0]: 'type' is missing");
  EXPECT_EQ(fault("pipelines: {a: 1}\n"),
            "tidemark.yml:1:12: pipelines: expected a list, found a map");
}

TEST_F(ProjectTest, RefusesNamesThatCannotBeDirectories) {
  for (const char* name : {"a/b", "a.b", "''", "a%b", "'{a}'", "$A", "a:b"}) {
    const std::string text = std::string("pipelines: [{name: ") + name +
                             ", destination: duckdb, source: {type: files}}]";
    EXPECT_NE(fault(text).find("cannot be a pipeline's name"), std::string::npos) << name;
  }
}

TEST_F(ProjectTest, PipelinesShareTheirNamesWithNothingElse) {
  const std::string pipeline =
      "pipelines:\n- {name: a, destination: duckdb, source: {type: files}}\n";
  EXPECT_EQ(fault(pipeline + "jobs:\n- {name: a, tasks: []}\n"),
            "tidemark.yml:2:10: pipelines[0].name: the pipeline 'a' has the name of the job at "
            "tidemark.yml:4:10");
  EXPECT_EQ(fault(pipeline + "plugins:\n  loaders:\n  - name: a\n"),
            "tidemark.yml:2:10: pipelines[0].name: the pipeline 'a' has the name of the plugin at "
            "tidemark.yml:5:11");
  EXPECT_EQ(fault(pipeline + "plugins: {mappers: [{name: m, mappings: [{name: a}]}]}\n"),
            "tidemark.yml:2:10: pipelines[0].name: the pipeline 'a' has the name of the mapping at "
            "tidemark.yml:3:49");
  EXPECT_EQ(
      fault(pipeline + "- {name: a, destination: duckdb, source: {type: files}}\n"),
      "tidemark.yml:3:10: pipelines[1].name: the pipeline 'a' has the name of the pipeline at "
      "tidemark.yml:2:10");
  EXPECT_EQ(fault(pipeline + "jobs:\n- {name: b}\nplugins: {loaders: [{name: c}, {name: c}]}\n"),
            "no error");
}

TEST_F(ProjectTest, AnEmptyFileIsAnError) {
  EXPECT_EQ(fault("# nothing\n"),
            options_.file.native() + " is empty; `tidemark init` writes one that works");
  EXPECT_EQ(fault("[]"), "tidemark.yml:1:1: expected a map, found a list");
}

}  // namespace
}  // namespace tidemark::project
