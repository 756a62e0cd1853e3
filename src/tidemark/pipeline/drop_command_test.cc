#include "tidemark/pipeline/drop_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"

namespace tidemark::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

schema::Schema shop_schema() {
  schema::Schema schema = schema::Schema::make("shop");
  auto add = [&](std::string_view text) { schema.update_table(json::read(text).as_object()); };
  add(R"({"name":"items","columns":{"id":{"name":"id","data_type":"bigint"}},"resource":"items"})");
  add(R"({"name":"items__kids","columns":{"v":{"name":"v","data_type":"bigint"}},"parent":"items"})");
  add(R"({"name":"users","columns":{"id":{"name":"id","data_type":"bigint"}},"resource":"users"})");
  schema.mark_seen_data("items");
  schema.mark_seen_data("items__kids");
  return schema;
}

state::PipelineState shop_state() {
  state::PipelineState state = state::PipelineState::create("shop", "/");
  state.resource_state("shop", "items").set("seen", 1);
  state.resource_state("shop", "users").set("seen", 2);
  state.source_state("shop").set("archives", json::read(R"({"a":1,"b":2})"));
  state.source_state("shop").set("mark", 5);
  return state;
}

DropPlan plan(DropSelection selection) { return plan_drop(shop_schema(), shop_state(), selection); }

TEST(PlanDrop, TakesAResourcesTablesChildrenFirstAndItsState) {
  DropPlan drop = plan({.resources = {"items"}, .state_paths = {}});
  EXPECT_THAT(drop.resources, ElementsAre("items"));
  EXPECT_THAT(drop.tables, ElementsAre("items__kids", "items"));
  EXPECT_THAT(drop.tables_with_data, ElementsAre("items__kids", "items"));
  EXPECT_THAT(drop.resource_states, ElementsAre("items"));
  EXPECT_THAT(drop.state_paths, IsEmpty());
}

TEST(PlanDrop, AllMeansEveryResourceAndLeavesOtherSourceStateAlone) {
  DropPlan drop = plan({.resources = {}, .all = true, .state_paths = {}});
  EXPECT_THAT(drop.resources, ElementsAre("items", "users"));
  EXPECT_THAT(drop.tables, ElementsAre("users", "items__kids", "items"));
  EXPECT_THAT(drop.tables_with_data, ElementsAre("items__kids", "items"));
  EXPECT_THAT(drop.resource_states, ElementsAre("items", "users"));
  EXPECT_THAT(drop.state_paths, IsEmpty());
}

TEST(PlanDrop, StateOnlyKeepsTables) {
  DropPlan drop = plan({.resources = {"items"}, .state_paths = {}, .state_only = true});
  EXPECT_THAT(drop.resources, IsEmpty());
  EXPECT_THAT(drop.tables, IsEmpty());
  EXPECT_THAT(drop.resource_states, ElementsAre("items"));
}

TEST(PlanDrop, SelectsByRegexFromTheStartOfAName) {
  EXPECT_THAT(plan({.resources = {"re:^u"}, .state_paths = {}}).resources, ElementsAre("users"));
  EXPECT_THAT(plan({.resources = {"re:sers"}, .state_paths = {}}).resources, IsEmpty());
  EXPECT_THAT(plan({.resources = {"user"}, .state_paths = {}}).resources, IsEmpty());
  EXPECT_THROW(plan({.resources = {"re:("}, .state_paths = {}}), Error);
}

TEST(PlanDrop, ResolvesStatePathsBelowTheSourceButNeverResources) {
  EXPECT_THAT(plan({.resources = {}, .state_paths = {"archives.a", "mark"}}).state_paths,
              ElementsAre("shop.archives.a", "shop.mark"));
  EXPECT_THAT(plan({.resources = {}, .state_paths = {"*"}}).state_paths,
              ElementsAre("shop.archives", "shop.mark"));
}

TEST(PlanDrop, WarnsOfWhatSelectsNothing) {
  DropPlan drop = plan({.resources = {"nope"}, .state_paths = {"zzz"}});
  EXPECT_TRUE(drop.is_empty());
  EXPECT_THAT(drop.warnings, ElementsAre(HasSubstr("items, users"), HasSubstr("zzz")));
  EXPECT_THAT(plan({.resources = {"nope", "users"}, .state_paths = {}}).warnings, IsEmpty());
}

TEST(ApplyDrop, RemovesExactlyThePlan) {
  schema::Schema schema = shop_schema();
  state::PipelineState state = shop_state();
  apply_drop(plan({.resources = {"items"}, .state_paths = {"archives.a"}}), schema, state);
  EXPECT_THAT(schema.data_root_tables(), ElementsAre("users"));
  EXPECT_FALSE(schema.find_table("items__kids"));
  EXPECT_THAT(state.resource_names("shop"), ElementsAre("users"));
  EXPECT_EQ(*state.find_source_state("shop")->find("archives"), json::read(R"({"b":2})"));
}

}  // namespace
}  // namespace tidemark::pipeline
