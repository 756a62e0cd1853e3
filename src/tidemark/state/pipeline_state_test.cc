#include "tidemark/state/pipeline_state.h"

#include <chrono>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace tidemark::state {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

PipelineState shop_state() {
  return PipelineState::read(R"({"_state_version":3,"_state_engine_version":4,
      "pipeline_name":"shop_pipeline","_local":{"first_run":false},
      "sources":{"shop":{"resources":{
        "items":{"incremental":{"ts":{"last_value":"b","unique_hashes":["x"]}}},"users":{"seen":1}},
        "archives":{"a":1,"b":2},"mark":5}}})");
}

TEST(PipelineState, HashesAsDltDoes) {
  json::Value vectors = json::read(file_text(TIDEMARK_GOLDEN_DIR "/dlt/state_hash.json"));
  ASSERT_EQ(vectors.as_array().size(), 65u);
  for (const json::Value& vector : vectors.as_array()) {
    PipelineState state = PipelineState::from_json(*vector.find("state"));
    EXPECT_EQ(state.content_hash(), vector.find("version_hash")->as_string())
        << vector.find("why")->as_string();
  }
}

TEST(PipelineState, IsWrittenAsItWasRead) {
  std::string text =
      R"({"_state_version":1,"_state_engine_version":4,"x-other":1.50,"_local":{"k":null}})";
  EXPECT_EQ(PipelineState::read(text).write(), text);
}

TEST(PipelineState, StartsAtVersionZeroWithItsHash) {
  PipelineState state = PipelineState::create("p", "/home/u/proj");
  EXPECT_EQ(state.version(), 0);
  EXPECT_EQ(state.version_hash(), state.content_hash());
  EXPECT_TRUE(state.is_first_run());
  EXPECT_FALSE(state.is_dev_mode());
  EXPECT_EQ(state.initial_cwd(), "/home/u/proj");
  EXPECT_THAT(state.schema_names(), IsEmpty());
}

TEST(PipelineState, HashOfAFreshStateIsDlts) {
  PipelineState state = PipelineState::create("p", "/");
  state.set_dataset_name("p_dataset");
  state.set_destination("dlt.destinations.duckdb", std::nullopt);
  EXPECT_EQ(state.content_hash(), "64/vnN3Z7Ott2AUoCt9j1la4Xl8V0yoRb49IA/sLC4Y=");
}

TEST(PipelineState, BumpCountsUpOnlyWhenTheContentChanged) {
  PipelineState state = PipelineState::create("p", "/");
  EXPECT_FALSE(state.bump());
  state.resource_state("s", "r").set("seen", true);
  EXPECT_TRUE(state.bump());
  EXPECT_FALSE(state.bump());
  EXPECT_EQ(state.version(), 1);
}

TEST(PipelineState, LocalPartDoesNotCount) {
  PipelineState state = PipelineState::create("p", "/");
  state.set_local("first_run", false);
  EXPECT_FALSE(state.bump());
}

TEST(PipelineState, ResourceStateIsMadeOnFirstUse) {
  PipelineState state = PipelineState::create("p", "/");
  EXPECT_EQ(state.find_resource_state("s", "r"), nullptr);
  state.resource_state("s", "r").set("n", 1);
  state.resource_state("s", "r").set("m", 2);
  EXPECT_EQ(json::write(*state.find_source_state("s")), R"({"resources":{"r":{"n":1,"m":2}}})");
  EXPECT_THAT(state.source_names(), ElementsAre("s"));
}

TEST(PipelineState, DroppingAResourceKeepsItsNeighbours) {
  PipelineState state = shop_state();
  EXPECT_TRUE(state.drop_resource_state("shop", "items"));
  EXPECT_FALSE(state.drop_resource_state("shop", "items"));
  EXPECT_THAT(state.resource_names("shop"), ElementsAre("users"));
  EXPECT_NE(state.find_source_state("shop")->find("mark"), nullptr);
}

TEST(PipelineState, WildcardPathSparesTheResources) {
  PipelineState state = shop_state();
  json::Path all = json::Path::parse("*");
  EXPECT_THAT(state.find_paths("shop", all), ElementsAre("archives", "mark"));
  state.drop_paths("shop", all);
  EXPECT_THAT(state.resource_names("shop"), ElementsAre("items", "users"));
  EXPECT_EQ(state.find_source_state("shop")->as_object().size(), 1u);
}

TEST(PipelineState, PathRemovesOnlyWhatItNames) {
  PipelineState state = shop_state();
  state.drop_paths("shop", json::Path::parse("archives.a"));
  EXPECT_EQ(json::write(*state.find_source_state("shop")->find("archives")), R"({"b":2})");
  EXPECT_THAT(state.find_paths("unknown", json::Path::parse("*")), IsEmpty());
}

TEST(PipelineState, ListsCursors) {
  EXPECT_THAT(shop_state().cursors(), ElementsAre(Cursor{"shop", "items", "ts", "b"}));
}

TEST(PipelineState, SchemaNamesAreSortedAndTheFirstBecomesTheDefault) {
  PipelineState state = PipelineState::create("p", "/");
  state.add_schema_name("b");
  state.add_schema_name("a");
  state.add_schema_name("b");
  EXPECT_THAT(state.schema_names(), ElementsAre("a", "b"));
  EXPECT_EQ(state.default_schema_name(), "b");
  state.set_schema_names({"c"});
  EXPECT_EQ(state.default_schema_name(), "c");
  state.set_schema_names({});
  EXPECT_EQ(state.default_schema_name(), std::nullopt);
}

TEST(PipelineState, NameThatRepeatsTheTypeIsNotStored) {
  PipelineState state = PipelineState::create("p", "/");
  state.set_destination("dlt.destinations.duckdb", "duckdb");
  EXPECT_EQ(state.destination_name(), std::nullopt);
  state.set_destination("dlt.destinations.duckdb", "warehouse");
  EXPECT_EQ(state.destination_name(), "warehouse");
}

TEST(PipelineState, MustBeExtractedUntilMarked) {
  PipelineState state = PipelineState::create("p", "/");
  EXPECT_TRUE(state.must_extract());
  state.mark_extracted(Time(std::chrono::seconds(1)));
  EXPECT_FALSE(state.must_extract());
  EXPECT_EQ(state.local().find("_last_extracted_at")->as_string(),
            "\xEF\x80\xA7"
            "1970-01-01T00:00:01+00:00");
  state.forget_extraction();
  EXPECT_TRUE(state.must_extract());
}

TEST(PipelineState, RunContextHasItsAddress) {
  PipelineState state = PipelineState::create("p", "/");
  state.set_last_run_context({"/a b/.dlt", "/a b", "/a b"});
  EXPECT_EQ(json::write(*state.local().find("last_run_context")),
            R"({"settings_dir":"/a b/.dlt","local_dir":"/a b","run_dir":"/a b",)"
            R"("uri":"file:///a%20b"})");
}

TEST(PipelineState, MigratesTheFirstEngine) {
  PipelineState state = PipelineState::read(
      R"({"_state_version":7,"_state_engine_version":1,"pipeline_name":"p",
          "destination":"dlt.destinations.postgres","staging":"filesystem"})");
  EXPECT_TRUE(state.local().is_object());
  EXPECT_EQ(state.destination_type(), "dlt.destinations.postgres");
  EXPECT_EQ(state.destination_name(), std::nullopt);
  EXPECT_FALSE(state.document().as_object().contains("destination"));
  EXPECT_EQ(state.document().find("staging_type")->as_string(), "filesystem");
  EXPECT_EQ(state.document().find("_state_engine_version")->as_int64(), 4);
  EXPECT_TRUE(state.bump());
  EXPECT_EQ(state.version(), 8);
}

TEST(PipelineState, RefusesANewerEngine) {
  try {
    PipelineState::read(R"({"_state_version":0,"_state_engine_version":5})");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  }
}

TEST(PipelineState, RefusesWhatIsNoState) {
  for (const char* text : {"[]", "{}", R"({"_state_version":"1","_state_engine_version":4})",
                           R"({"_state_version":1,"_state_engine_version":0})"}) {
    try {
      PipelineState::read(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << text;
    }
  }
}

TEST(PipelineState, TakeOverKeepsLocalPartAndDataset) {
  PipelineState local = PipelineState::create("p", "/here");
  local.set_dataset_name("mine");
  PipelineState remote = PipelineState::read(
      R"({"_state_version":4,"_state_engine_version":4,"_version_hash":"h","pipeline_name":"p",
          "dataset_name":"theirs","sources":{"s":{"n":1}}})");
  local.take_over(remote);
  EXPECT_EQ(local.version(), 4);
  EXPECT_EQ(local.dataset_name(), "mine");
  EXPECT_EQ(local.initial_cwd(), "/here");
  EXPECT_NE(local.find_source_state("s"), nullptr);
  EXPECT_FALSE(local.must_extract());
}

}  // namespace
}  // namespace tidemark::state
