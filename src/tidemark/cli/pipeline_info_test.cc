#include "tidemark/cli/pipeline_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/json/read.h"

namespace tidemark::cli {
namespace {

using testing::HasSubstr;

PipelineInfo shop() {
  schema::Schema schema = schema::Schema::make("shop");
  auto add = [&](std::string_view text) { schema.update_table(json::read(text).as_object()); };
  add(R"({"name":"items","columns":{"id":{"name":"id","data_type":"bigint"}},"resource":"items"})");
  add(R"({"name":"items__kids","columns":{"v":{"name":"v"}},"parent":"items"})");
  schema.mark_seen_data("items");
  state::PipelineState state = state::PipelineState::create("shop", "/home/ada");
  state.add_schema_name("shop");
  state.resource_state("shop", "items").set("seen", 1);
  return {.name = "shop",
          .pipelines_dir = "/pipelines",
          .state = state,
          .schemas = {schema},
          .extracted_packages = {},
          .normalized_packages = {"1.5"},
          .is_partially_loaded = true,
          .completed_packages = {"1.2"},
          .has_trace = true};
}

TEST(PipelineInfoText, ShowsStateResourcesAndPackages) {
  const std::string text = to_text(shop(), 0);
  EXPECT_THAT(text,
              testing::StartsWith("Found pipeline shop in /pipelines\nSynchronized state:\n"));
  EXPECT_THAT(text, HasSubstr("schema_names: ['shop']\n"));
  EXPECT_THAT(text, HasSubstr("Add -v option to see sources state."));
  EXPECT_THAT(text, HasSubstr("first_run: True\n"));
  EXPECT_THAT(text, HasSubstr("items with 2 table(s) and 1 resource state slot(s)\n"));
  EXPECT_THAT(text, HasSubstr("Has 1 normalized packages ready to be loaded with following load "
                              "ids:\n1.5\nWARNING: This package is partially loaded."));
  EXPECT_THAT(text, HasSubstr("Has 1 completed load packages with following load ids:\n1.2\n"));
  EXPECT_THAT(text, HasSubstr("tidemark pipeline shop trace"));
}

TEST(PipelineInfoText, ShowsTablesAndSourceStateWhenVerbose) {
  const std::string text = to_text(shop(), 1);
  EXPECT_THAT(text, HasSubstr("\"seen\": 1"));
  EXPECT_THAT(text, HasSubstr("\titems table 1 column(s) received data \n"));
  EXPECT_THAT(text, HasSubstr("\titems__kids table 1 column(s) not yet received data 1 incomplete "
                              "column(s)\n"));
}

TEST(PipelineInfoText, SaysWhatIsMissing) {
  PipelineInfo info = shop();
  info.schemas.clear();
  info.has_trace = false;
  const std::string text = to_text(info, 0);
  EXPECT_THAT(text, HasSubstr("This pipeline does not have a default schema"));
  EXPECT_THAT(text, HasSubstr("Pipeline does not have last run trace."));
}

TEST(PipelineInfoJson, NamesResourcesWithTheirTables) {
  const json::Value value = to_json(shop());
  EXPECT_EQ(value.find("resources")->as_array()[0],
            json::read(R"({"schema":"shop","name":"items","tables":["items","items__kids"],
                           "state_slots":1})"));
}

}  // namespace
}  // namespace tidemark::cli
