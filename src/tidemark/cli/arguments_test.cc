#include "tidemark/cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename Command>
Command command(const std::vector<std::string>& args) {
  Arguments arguments = parse_arguments(args);
  if (auto* answer = std::get_if<Answer>(&arguments.command)) {
    ADD_FAILURE() << answer->text;
  }
  return std::get<Command>(arguments.command);
}

template <typename Verb>
Verb verb(const std::vector<std::string>& args) {
  return std::get<Verb>(command<PipelineArguments>(args).verb);
}

Answer answer(const std::vector<std::string>& args) {
  return std::get<Answer>(parse_arguments(args).command);
}

TEST(ParseArguments, TakesCommonOptionsAtAnyPlace) {
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"-v", "--json", "-y", "--pipelines-dir", "d", "pipeline", "p", "info"},
           {"pipeline", "-v", "--json", "-y", "--pipelines-dir", "d", "p", "info"},
           {"pipeline", "p", "-v", "--json", "-y", "--pipelines-dir", "d", "info"},
           {"pipeline", "p", "info", "-v", "--json", "-y", "--pipelines-dir", "d"}}) {
    Arguments arguments = parse_arguments(args);
    EXPECT_EQ(arguments.common.verbosity, 1);
    EXPECT_TRUE(arguments.common.json);
    EXPECT_TRUE(arguments.common.assume_yes);
    EXPECT_EQ(arguments.common.pipelines_dir, "d");
    EXPECT_EQ(std::get<PipelineArguments>(arguments.command).name, "p");
  }
}

TEST(ParseArguments, ReadsRun) {
  auto run = command<RunArguments>({"run", "shop", "--select", "a,b", "--select", "c",
                                    "--limit-pages", "3", "--refresh", "drop_data", "--dry-run"});
  EXPECT_THAT(run.blocks, ElementsAre("shop"));
  EXPECT_THAT(run.pipeline.select, ElementsAre("a", "b", "c"));
  EXPECT_EQ(run.pipeline.limit_pages, 3u);
  EXPECT_EQ(run.pipeline.refresh, "drop_data");
  EXPECT_TRUE(run.dry_run);
  EXPECT_FALSE(run.full_refresh);
}

TEST(ParseArguments, ReadsRunOfPlugins) {
  auto run = command<RunArguments>({"run", "tap-x", "mapping", "--state_id_suffix", "s",
                                    "--state-strategy", "merge", "-f", "--run-id",
                                    "01900000-0000-7000-8000-00000000abcd", "target-y"});
  EXPECT_THAT(run.blocks, ElementsAre("tap-x", "mapping", "target-y"));
  EXPECT_EQ(run.plugins.state_id_suffix, "s");
  EXPECT_EQ(run.plugins.state_strategy, "merge");
  EXPECT_TRUE(run.plugins.force);
  auto el = command<ElArguments>({"el", "tap-x", "target-y", "--state-id", "i", "-s", "a", "-s",
                                  "b", "-e", "c", "--dump", "catalog"});
  EXPECT_EQ(el.loader, "target-y");
  EXPECT_THAT(el.select, ElementsAre("a", "b"));
  EXPECT_THAT(el.exclude, ElementsAre("c"));
  EXPECT_EQ(el.dump, "catalog");
}

TEST(ParseArguments, LeavesTheWordsBehindAPluginAlone) {
  auto invoke = command<InvokeArguments>({"--environment", "dev", "invoke", "--dump", "config",
                                          "--no-install", "tap-x", "--help", "--dump", "x", "-v"});
  EXPECT_EQ(invoke.plugin, "tap-x");
  EXPECT_EQ(invoke.dump, "config");
  EXPECT_TRUE(invoke.install.no_install);
  EXPECT_THAT(invoke.words, ElementsAre("--help", "--dump", "x", "-v"));
  EXPECT_THAT(answer({"invoke", "--help"}).text, HasSubstr("PLUGIN"));
  auto run = std::get<ScheduleRunArguments>(
      command<ScheduleArguments>({"schedule", "run", "daily", "--full-refresh"}));
  EXPECT_EQ(run.name, "daily");
  EXPECT_THAT(run.words, ElementsAre("--full-refresh"));
}

TEST(ParseArguments, ReadsIngestAndInitAlike) {
  const std::vector<std::string> options = {"in.csv",   "--to", "out.duckdb", "--key", "id,day",
                                            "--cursor", "day",  "--table",    "t"};
  auto with = [&](const std::string& name) {
    std::vector<std::string> args = {name};
    args.insert(args.end(), options.begin(), options.end());
    return args;
  };
  const auto ingest = command<IngestArguments>(with("ingest"));
  EXPECT_EQ(ingest.source, "in.csv");
  EXPECT_EQ(ingest.to, "out.duckdb");
  EXPECT_THAT(ingest.key, ElementsAre("id", "day"));
  EXPECT_EQ(ingest.cursor, "day");
  EXPECT_EQ(command<InitArguments>(with("init")).ingest.key, ingest.key);
  EXPECT_EQ(command<IngestArguments>({"ingest", "-"}).source, "-");
}

TEST(ParseArguments, ReadsVerbsOfAPipeline) {
  EXPECT_TRUE(
      std::holds_alternative<InfoArguments>(command<PipelineArguments>({"pipeline", "p"}).verb));
  verb<TraceArguments>({"pipeline", "p", "trace"});
  EXPECT_EQ(verb<LoadPackageArguments>({"pipeline", "p", "load-package", "17.5"}).load_id, "17.5");
  EXPECT_FALSE(verb<LoadPackageArguments>({"pipeline", "p", "load-package"}).load_id);
  EXPECT_EQ(verb<SchemaArguments>({"pipeline", "p", "schema", "--format", "json"}).format, "json");
  verb<AbortPackagesArguments>({"pipeline", "p", "abort-packages"});
  verb<AbortPackagesArguments>({"pipeline", "p", "drop-pending-packages"});
  verb<RetryArguments>({"pipeline", "p", "retry"});
  verb<FailedJobsArguments>({"pipeline", "p", "failed-jobs"});
  EXPECT_EQ(verb<QueryArguments>({"pipeline", "p", "query", "select 1", "--csv"}).sql, "select 1");
  EXPECT_EQ(verb<SyncArguments>({"pipeline", "p", "sync", "--dataset-name", "d"}).dataset, "d");
  auto drop = verb<DropArguments>(
      {"pipeline", "p", "drop", "items", "re:^u", "--state-paths", "a.b", "--state-only"});
  EXPECT_THAT(drop.resources, ElementsAre("items", "re:^u"));
  EXPECT_THAT(drop.state_paths, ElementsAre("a.b"));
  EXPECT_TRUE(drop.state_only);
}

TEST(ParseArguments, ReadsVerbsOfConfig) {
  auto set = command<ConfigArguments>(
      {"config", "set", "tap-x", "a", "b", "-v", "value", "--store", "dotenv"});
  EXPECT_EQ(set.plugin, "tap-x");
  EXPECT_THAT(std::get<ConfigSetArguments>(set.verb).words, ElementsAre("a", "b", "value"));
  EXPECT_EQ(std::get<ConfigSetArguments>(set.verb).store, "dotenv");
  auto print = command<ConfigArguments>(
      {"config", "--unsafe", "print", "tap-x", "--format", "env", "--plugin-type", "extractors"});
  EXPECT_TRUE(print.is_unsafe);
  EXPECT_EQ(print.plugin_type, "extractors");
  EXPECT_EQ(std::get<ConfigPrintArguments>(print.verb).format, "env");
  auto list = command<ConfigArguments>({"config", "list", "meltano", "--all", "--filter", "uri"});
  EXPECT_TRUE(std::get<ConfigListArguments>(list.verb).all);
  EXPECT_EQ(std::get<ConfigListArguments>(list.verb).filter, "uri");
  EXPECT_TRUE(answer({"config", "list"}).is_usage_error);
  EXPECT_TRUE(answer({"config", "tap-x", "set"}).is_usage_error);
  EXPECT_TRUE(answer({"config", "print", "tap-x", "--format", "yaml"}).is_usage_error);
  const Arguments in_dev =
      parse_arguments({"--environment", "dev", "--env-file", "e", "config", "list", "tap-x"});
  EXPECT_EQ(in_dev.common.environment, "dev");
  EXPECT_EQ(in_dev.common.env_file, "e");
}

TEST(ParseArguments, ListsPipelinesWithoutAName) {
  command<ListArguments>({"pipeline"});
  command<ListArguments>({"pipeline", "-l"});
  command<ListArguments>({"pipeline", "--list-pipelines"});
}

template <typename Verb>
Verb state_verb(const std::vector<std::string>& args) {
  return std::get<Verb>(command<StateArguments>(args).verb);
}

TEST(ParseArguments, ReadsVerbsOfTheStateService) {
  EXPECT_EQ(state_verb<StateListArguments>({"state", "list", "--pattern", "dev:*"}).pattern,
            "dev:*");
  EXPECT_EQ(state_verb<StateGetArguments>({"state", "get", "x", "--format", "PRETTY"}).format,
            "pretty");
  auto set = state_verb<StateSetArguments>({"state", "set", "x", "{}", "--no_validate"});
  EXPECT_EQ(set.input.text, "{}");
  EXPECT_TRUE(set.no_validate);
  EXPECT_FALSE(set.is_forced);
  auto merge = state_verb<StateMergeArguments>(
      {"state", "merge", "--from-state-id", "a", "x", "--from-state-id", "b"});
  EXPECT_EQ(merge.id, "x");
  EXPECT_THAT(merge.from_state_ids, ElementsAre("a", "b"));
  EXPECT_EQ(state_verb<StateCopyArguments>({"state", "copy", "a", "b"}).target, "b");
  EXPECT_TRUE(state_verb<StateMoveArguments>({"state", "move", "a", "b", "--force"}).is_forced);
  EXPECT_TRUE(
      state_verb<StateClearArguments>({"state", "clear", "--all", "--purge"}).purges_history);
  EXPECT_EQ(state_verb<StateImportArguments>({"state", "import"}).file, "-");
  auto diff = state_verb<StateDiffArguments>({"state", "diff", "x", "3"});
  EXPECT_EQ(diff.from, "3");
  EXPECT_FALSE(diff.to);
  EXPECT_EQ(state_verb<StateRollbackArguments>({"state", "rollback", "x", "3"}).revision, "3");
  EXPECT_EQ(state_verb<StateMigrateArguments>({"state", "migrate", "--to", "file:///s"}).to,
            "file:///s");
}

TEST(ParseArguments, TakesTheStoreOfStatesAtAnyPlace) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"state", "--state-backend-uri", "file:///s", "list"},
                                             {"state", "list", "--state-backend-uri", "file:///s"},
                                             {"state", "list", "--state_backend_uri=file:///s"}}) {
    EXPECT_EQ(command<StateArguments>(args).store.state_backend_uri, "file:///s");
  }
}

TEST(ParseArguments, ClearsOneStateOrThoseOfAPatternOrAll) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"state", "clear"},
                                             {"state", "clear", "x", "--all"},
                                             {"state", "clear", "x", "--pattern", "y"},
                                             {"state", "clear", "--all", "--pattern", "y"}}) {
    EXPECT_TRUE(answer(args).is_usage_error) << testing::PrintToString(args);
  }
}

TEST(ParseArguments, ShowsTheHelpOfAGroupThatIsNamedAlone) {
  EXPECT_TRUE(answer({"state"}).is_usage_error);
  EXPECT_THAT(answer({"state"}).text, HasSubstr("rollback"));
  EXPECT_FALSE(answer({"state", "--help"}).is_usage_error);
}

TEST(ParseArguments, AnswersHelpAndVersion) {
  EXPECT_FALSE(answer({"--help"}).is_usage_error);
  EXPECT_THAT(answer({"--help"}).text, HasSubstr("ingest"));
  EXPECT_THAT(answer({"run", "--help"}).text, HasSubstr("--limit-pages"));
  EXPECT_THAT(answer({"pipeline", "--help"}).text,
              testing::Not(HasSubstr("drop-pending-packages")));
  EXPECT_EQ(answer({"--version"}).text, "tidemark " TIDEMARK_VERSION "\n");
}

TEST(ParseArguments, SaysWhatIsWrong) {
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {},
           {"frobnicate"},
           {"run"},
           {"run", "p", "--limit-pages", "many"},
           {"run", "p", "--refresh", "all"},
           {"pipeline", "p", "list"},
           {"run", "p", "--from", "1"},
           {"run", "p", "--to", "1"},
           {"run", "p", "--from", "1", "--to", "2", "--full-refresh"},
           {"run", "t", "--run-id", "nope"},
           {"run", "t", "--timeout", "0"},
           {"run", "t", "--state-strategy", "MERGE"},
           {"run", "t", "--merge-state", "--state-strategy", "merge"},
           {"el", "tap-x"},
           {"invoke"},
           {"schedule", "add", "s", "--interval", "@daily"},
           {"schedule", "add", "s", "--interval", "@daily", "--job", "j", "--loader", "l"},
           {"ingest", "x", "--write-disposition", "merge"},
           {"init", "x", "--write-disposition", "merge"},
           {"ingest", "x", "--write-disposition", "upsert"}}) {
    EXPECT_TRUE(answer(args).is_usage_error) << testing::PrintToString(args);
  }
  EXPECT_THAT(answer({"frobnicate"}).text, HasSubstr("frobnicate"));
  EXPECT_THAT(answer({"run", "p", "--refresh", "all"}).text,
              HasSubstr("--refresh: all is not one of drop_sources, drop_resources, drop_data"));
  EXPECT_THAT(answer({"run", "p", "--refresh", "drop_data", "--full-refresh"}).text,
              HasSubstr("excludes"));
  EXPECT_THAT(answer({"run", "p", "--limit-pages", "-1"}).text, HasSubstr("whole number"));
}

TEST(ParseArguments, NamesTheWordThatWasMeant) {
  EXPECT_THAT(answer({"ingets"}).text, HasSubstr("did you mean ingest?"));
  EXPECT_THAT(answer({"run", "p", "--limit-page=3"}).text,
              HasSubstr("did you mean --limit-pages?"));
  EXPECT_THAT(answer({"pipeline", "p", "trac"}).text, HasSubstr("did you mean trace?"));
}

TEST(ParseArguments, ShowsTheWholeCommandInItsHelp) {
  EXPECT_THAT(answer({"pipeline", "p", "drop", "--help"}).text,
              HasSubstr("tidemark pipeline NAME drop [OPTIONS] [RESOURCE...]"));
  EXPECT_THAT(answer({"run", "--help"}).text, HasSubstr("tidemark run [OPTIONS] BLOCK"));
}

TEST(ParseArguments, TakesUnderscoresForHyphensInNamesOfOptionsOnly) {
  EXPECT_EQ(command<RunArguments>({"run", "--limit_pages", "3", "shop"}).pipeline.limit_pages, 3u);
  EXPECT_EQ(command<RunArguments>({"run", "--limit_pages=3", "shop"}).pipeline.limit_pages, 3u);
  EXPECT_EQ(command<IngestArguments>({"ingest", "a_b", "--table", "c_d"}).source, "a_b");
  EXPECT_EQ(verb<QueryArguments>({"pipeline", "p", "query", "--", "--limit_pages"}).sql,
            "--limit_pages");
}

TEST(ParseArguments, TakesAnArgumentAsItIs) {
  for (const std::string sql : {"{}", "[]", "[1,2]", "{\"a\": 1}", "a.b", "%%", "run"}) {
    EXPECT_EQ(verb<QueryArguments>({"pipeline", "p", "query", sql}).sql, sql);
  }
}

}  // namespace
}  // namespace tidemark::cli
