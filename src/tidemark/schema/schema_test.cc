#include "tidemark/schema/schema.h"

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/schema/content_hash.h"
#include "tidemark/schema/golden_cases.h"

namespace tidemark::schema {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

json::Object object(std::string_view text) { return json::read(text).as_object(); }

Schema with_table(std::string_view table) {
  Schema schema = Schema::make("s1");
  schema.update_table(object(table));
  return schema;
}

ErrorCode code_of(std::string_view document, bool verify_hash = false) {
  try {
    Schema::from_json(object(document), verify_hash);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::kInternal;
}

TEST(Schema, FreshOneHasTheHashOfDlt) {
  const Schema schema = Schema::make("s1");
  EXPECT_EQ(schema.version(), 1);
  EXPECT_EQ(schema.version_hash(), "XKpdLf8Bk4RzeNnFn1SOBs1qxT8el6ePTsIxL7C1vyE=");
  EXPECT_THAT(schema.table_names(), ElementsAre(kVersionTable, kLoadsTable));
  EXPECT_THAT(schema.data_root_tables(), IsEmpty());
}

TEST(Schema, NameMustBeAnIdentifier) {
  for (std::string_view name : {"", "1a", "a-b", "../x", "a b"}) {
    EXPECT_THROW(Schema::make(name), Error) << name;
  }
  EXPECT_THROW(Schema::make(std::string(65, 'a')), Error);
  EXPECT_EQ(Schema::make(std::string(64, 'a')).name().size(), 64);
  EXPECT_EQ(Schema::make("größe_2").name(), "größe_2");
}

TEST(Schema, HashesAreThoseOfDlt) {
  for (const json::Value& golden : read_golden("schema_hash.json")) {
    EXPECT_EQ(content_hash(golden.find("schema")->as_object()),
              golden.find("version_hash")->as_string())
        << golden.find("why")->as_string();
  }
}

TEST(Schema, WhatDltStoredStaysAsItIs) {
  size_t count = 0;
  for (const json::Value& golden : read_golden("schema_hash.json")) {
    json::Object document = golden.find("schema")->as_object();
    document.set("version_hash", *golden.find("version_hash"));
    if (document.find("tables")->find(kVersionTable) != nullptr) {
      EXPECT_EQ(Schema::from_json(document, true).document(), document)
          << golden.find("why")->as_string();
      ++count;
    }
  }
  EXPECT_GT(count, 14);
}

TEST(Schema, DocumentsOfOlderEnginesBecomeWhatDltMakesOfThem) {
  for (const json::Value& golden : read_golden("schema_migrations.json")) {
    const std::string& why = golden.find("why")->as_string();
    const Schema schema = Schema::from_json(golden.find("in")->as_object(), false);
    const json::Value& expected = *golden.find("out");
    EXPECT_EQ(schema.version_hash(), expected.find("version_hash")->as_string()) << why;
    EXPECT_EQ(schema.version(), expected.find("version")->as_int64()) << why;
    EXPECT_EQ(*schema.document().find("previous_hashes"), *expected.find("previous_hashes")) << why;
  }
}

TEST(Schema, EditedFileIsRefusedOnlyWhenAsked) {
  json::Object document = Schema::make("s1").document();
  document.set("description", "edited");
  try {
    Schema::from_json(document, true);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    EXPECT_THAT(error.message(), HasSubstr("`s1`"));
  }
  const Schema schema = Schema::from_json(document, false);
  EXPECT_EQ(schema.version(), 2);
  EXPECT_EQ(schema.document().find("previous_hashes")->as_array().size(), 1);
}

TEST(Schema, NewerEngineIsUnsupported) {
  EXPECT_EQ(code_of(R"({"engine_version":12})"), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of(R"({"engine_version":0})"), ErrorCode::kInvalid);
  EXPECT_EQ(code_of(R"({"engine_version":11,"name":"a"})"), ErrorCode::kInvalid);
}

TEST(Schema, BrokenTablesAreRefusedWithTheirPlace) {
  const auto message_of = [](std::string_view tables) {
    json::Object document = Schema::make("s1").document();
    for (const auto& [name, table] : object(tables)) {
      document.find("tables")->as_object().set(name, table);
    }
    try {
      Schema::from_json(document, false);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalid);
      return error.message();
    }
    return std::string();
  };
  EXPECT_THAT(message_of(R"({"t":{"columns":{"c":{"data_type":"int"}}}})"),
              HasSubstr("schema `s1`: tables.t.columns.c.data_type: expected"));
  EXPECT_THAT(message_of(R"({"t":{"columns":{},"parent":"gone"}})"), HasSubstr("`gone`"));
  EXPECT_THAT(message_of(R"({"a":{"columns":{},"parent":"b"},"b":{"columns":{},"parent":"a"}})"),
              HasSubstr("ends at a root table"));
}

TEST(Schema, NamesOfOldSchemasAreNotSplit) {
  json::Object document = Schema::make("s1").document();
  EXPECT_TRUE(Schema::from_json(document, true).splits_names());
  document.set("engine_version", 10);
  EXPECT_FALSE(Schema::from_json(document, true).splits_names());
}

TEST(Schema, UnusablePatternIsRefused) {
  json::Object document = Schema::make("s1").document();
  document.find("settings")->as_object().set("preferred_types", json::Object{{"re:(?=x)", "text"}});
  try {
    Schema::from_json(document, false);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  }
}

TEST(Schema, BumpKeepsTenPreviousHashes) {
  Schema schema = Schema::make("s1");
  const std::string first(schema.version_hash());
  EXPECT_FALSE(schema.bump());
  for (int i = 0; i < 12; ++i) {
    schema.update_table({{"name", "t" + std::to_string(i)}});
    const std::string before(schema.version_hash());
    EXPECT_TRUE(schema.bump());
    EXPECT_EQ(schema.document().find("previous_hashes")->as_array().front(), json::Value(before));
  }
  EXPECT_EQ(schema.version(), 13);
  const json::Array& previous = schema.document().find("previous_hashes")->as_array();
  EXPECT_EQ(previous.size(), 10);
  EXPECT_EQ(std::count(previous.begin(), previous.end(), json::Value(first)), 0);
}

TEST(UpdateTable, NewTableGetsDefaultsAndNames) {
  const Schema schema = with_table(R"({"name":"items","columns":{"id":{"data_type":"bigint"}}})");
  const TableView table = *schema.find_table("items");
  EXPECT_EQ(table.write_disposition(), "append");
  EXPECT_EQ(table.resource(), "items");
  EXPECT_EQ(table.find_column("id")->name(), "id");
  EXPECT_EQ(table.find_column("id")->data_type(), DataType::kBigint);
  EXPECT_TRUE(table.find_column("id")->is_nullable());
}

TEST(UpdateTable, ColumnThatBecomesCompleteMovesToTheEndWithItsHints) {
  Schema schema = with_table(
      R"({"name":"t","columns":{"id":{"nullable":false,"primary_key":true},
          "a":{"data_type":"text"}}})");
  json::Object partial = {{"name", "t"}, {"columns", json::Object()}};
  partial.find("columns")->as_object().set("id", schema.infer_column("t", "id", DataType::kBigint));
  schema.update_table(partial);
  const TableView table = *schema.find_table("t");
  EXPECT_EQ(table.columns()[0].name(), "a");
  EXPECT_EQ(table.columns()[1].object(),
            object(R"({"nullable":false,"primary_key":true,"name":"id","data_type":"bigint"})"));
}

TEST(UpdateTable, AddsCompoundHintsWhereHintsOfAResourceReplaceThem) {
  constexpr std::string_view kKeyA =
      R"({"name":"t","columns":{"a":{"nullable":false,"primary_key":true}}})";
  constexpr std::string_view kKeyB =
      R"({"name":"t","columns":{"b":{"nullable":false,"primary_key":true}}})";
  Schema schema = with_table(kKeyA);
  schema.update_table(object(kKeyB));
  EXPECT_THAT(schema.find_table("t")->columns_with("primary_key"), ElementsAre("a", "b"));
  schema.apply_hints(object(kKeyB));
  EXPECT_THAT(schema.find_table("t")->columns_with("primary_key"), ElementsAre("b"));
}

TEST(UpdateTable, ReferencesMergeByTable) {
  Schema schema = with_table(
      R"({"name":"t","references":[{"referenced_table":"a","columns":["x"]},
                                   {"referenced_table":"b","columns":["x"]}]})");
  schema.update_table(object(
      R"({"name":"t","references":[{"referenced_table":"a","columns":["y"]},
                                   {"referenced_table":"c","columns":["z"]}]})"));
  EXPECT_EQ(*schema.find_table("t")->object().find("references"),
            json::read(R"([{"referenced_table":"a","columns":["y"]},
                           {"referenced_table":"b","columns":["x"]},
                           {"referenced_table":"c","columns":["z"]}])"));
}

TEST(UpdateTable, ParentMustExistAndStay) {
  Schema schema = with_table(R"({"name":"t"})");
  EXPECT_THROW(schema.update_table(object(R"({"name":"u__x","parent":"u"})")), Error);
  schema.update_table(object(R"({"name":"t__x","parent":"t"})"));
  EXPECT_THROW(schema.update_table(object(R"({"name":"t__x"})")), Error);
  EXPECT_EQ(schema.find_table("t__x")->write_disposition(), std::nullopt);
}

TEST(Schema, ChainGoesFromParentsToChildren) {
  Schema schema = with_table(R"({"name":"t"})");
  schema.update_table(object(R"({"name":"t__x","parent":"t"})"));
  schema.update_table(object(R"({"name":"t__y","parent":"t"})"));
  schema.update_table(object(R"({"name":"t__x__z","parent":"t__x"})"));
  EXPECT_THAT(schema.table_chain("t"), ElementsAre("t", "t__x", "t__x__z", "t__y"));
  EXPECT_EQ(schema.root_of("t__x__z"), "t");
  EXPECT_EQ(schema.root_of("t"), "t");
  EXPECT_THAT(schema.data_root_tables(), ElementsAre("t"));
  schema.drop_table("t__x");
  EXPECT_THAT(schema.table_chain("t"), ElementsAre("t", "t__y"));
}

TEST(Schema, InferredColumnHasTheDefaultHints) {
  const Schema schema = Schema::make("s1");
  EXPECT_EQ(schema.infer_column("t", "a", DataType::kText),
            object(R"({"name":"a","data_type":"text","nullable":true})"));
  EXPECT_EQ(schema.infer_column("t", "_dlt_id", DataType::kText),
            object(R"({"name":"_dlt_id","data_type":"text","nullable":false,"unique":true,
                       "row_key":true})"));
  EXPECT_EQ(schema.infer_column("t", "_dlt_root_id", DataType::kText),
            object(R"({"name":"_dlt_root_id","data_type":"text","nullable":false,
                       "root_key":true})"));
  EXPECT_EQ(schema.infer_variant_column("t", "c__v_text", DataType::kTimestamp),
            object(R"({"name":"c__v_text","data_type":"timestamp","nullable":true,"variant":true,
                       "description":"Variant of column c__v_text generated by dlt"})"));
}

TEST(Schema, PreferredTypesMatchWholeNamesAndSearchedPatterns) {
  json::Object document = Schema::make("s1").document();
  document.find("settings")
      ->as_object()
      .set("preferred_types", object(R"({"re:_at$":"timestamp","at":"date","re:^id":"text"})"));
  const Schema schema = Schema::from_json(document, false);
  EXPECT_EQ(schema.preferred_type("created_at"), DataType::kTimestamp);
  EXPECT_EQ(schema.preferred_type("at"), DataType::kDate);
  EXPECT_EQ(schema.preferred_type("ids"), DataType::kText);
  EXPECT_EQ(schema.preferred_type("cat"), std::nullopt);
}

TEST(Schema, SeenDataReplacesEvolveOnce) {
  Schema schema = with_table(R"({"name":"t","x-normalizer":{"evolve-columns-once":true}})");
  EXPECT_FALSE(schema.find_table("t")->has_seen_data());
  schema.mark_seen_data("t");
  EXPECT_TRUE(schema.find_table("t")->has_seen_data());
  EXPECT_EQ(*schema.find_table("t")->object().find("x-normalizer"),
            json::read(R"({"seen-data":true})"));
}

TEST(RootKey, IsNeededByMergeTablesButNotByScd2) {
  Schema schema = with_table(R"({"name":"m","write_disposition":"merge"})");
  schema.update_table(
      object(R"({"name":"s","write_disposition":"merge","x-merge-strategy":"scd2"})"));
  schema.update_table(object(R"({"name":"a"})"));
  EXPECT_TRUE(schema.needs_root_key("m"));
  EXPECT_FALSE(schema.needs_root_key("s"));
  EXPECT_FALSE(schema.needs_root_key("a"));
  schema.update_table(
      object(R"({"name":"a__x","parent":"a","columns":{"_dlt_root_id":{"root_key":true}}})"));
  EXPECT_TRUE(schema.needs_root_key("a"));
}

TEST(RootKey, SettingOverridesTheDisposition) {
  for (bool is_on : {true, false}) {
    json::Object document = Schema::make("s1").document();
    document.find("normalizers")
        ->find("json")
        ->as_object()
        .set("config", json::Object{{"root_key_propagation", is_on}});
    Schema schema = Schema::from_json(document, false);
    schema.update_table(object(R"({"name":"m","write_disposition":"merge"})"));
    schema.update_table(object(R"({"name":"a"})"));
    EXPECT_EQ(schema.needs_root_key("m"), is_on);
    EXPECT_EQ(schema.needs_root_key("a"), is_on);
    EXPECT_FALSE(schema.needs_root_key(kLoadsTable));
  }
}

TEST(RootKey, PropagationIsRecordedAndGoesWithTheTable) {
  Schema schema = with_table(R"({"name":"m","write_disposition":"merge"})");
  EXPECT_FALSE(schema.has_root_key_propagation("m"));
  schema.set_root_key_propagation("m");
  EXPECT_TRUE(schema.has_root_key_propagation("m"));
  EXPECT_EQ(*schema.document().find("normalizers")->find("json")->find("config"),
            json::read(R"({"propagation":{"tables":{"m":{"_dlt_id":"_dlt_root_id"}}}})"));
  schema.drop_table("m");
  EXPECT_FALSE(schema.has_root_key_propagation("m"));
}

TEST(Schema, StandardHintsCompleteThoseOfAnOlderSchema) {
  json::Object document = Schema::make("s1").document();
  document.find("settings")
      ->as_object()
      .set("default_hints", object(R"({"not_null":["re:^_dlt_id$","mine"],"sort":["re:x"]})"));
  Schema schema = Schema::from_json(document, false);
  schema.add_standard_hints();
  const json::Value& hints = *schema.document().find("settings")->find("default_hints");
  EXPECT_EQ(*hints.find("not_null"),
            json::read(R"(["re:^_dlt_id$","mine","_dlt_root_id","_dlt_parent_id","_dlt_list_idx",
                           "_dlt_load_id"])"));
  EXPECT_EQ(*hints.find("sort"), json::read(R"(["re:x"])"));
  EXPECT_EQ(*hints.find("root_key"), json::read(R"(["_dlt_root_id"])"));
}

TEST(ColumnView, HintCountsOnlyWhenItIsNotTheDefault) {
  const json::Object column = object(
      R"({"name":"c","nullable":true,"timezone":false,"unique":false,"primary_key":true,
          "dedup_sort":"desc","x-row-version":null,"x-active-record-timestamp":null})");
  const ColumnView view(column);
  EXPECT_FALSE(view.has_hint("nullable"));
  EXPECT_TRUE(view.has_hint("timezone"));
  EXPECT_FALSE(view.has_hint("unique"));
  EXPECT_TRUE(view.has_hint("primary_key"));
  EXPECT_TRUE(view.has_hint("dedup_sort"));
  EXPECT_FALSE(view.has_hint("x-row-version"));
  EXPECT_TRUE(view.has_hint("x-active-record-timestamp"));
  EXPECT_FALSE(view.has_hint("row_key"));
  EXPECT_FALSE(view.has_timezone());
}

TEST(StateTable, IsWhatDltStores) {
  for (const json::Value& golden : read_golden("schema_hash.json")) {
    const json::Value* table = golden.find("schema")->find("tables")->find(kStateTable);
    if (table == nullptr || golden.find("why")->as_string() == "upgrade_1_26") {
      continue;
    }
    json::Object expected = table->as_object();
    expected.erase("x-normalizer");
    if (expected.find("columns")->find(kIdColumn) != nullptr) {
      EXPECT_EQ(state_table(), expected);
    }
  }
}

}  // namespace
}  // namespace tidemark::schema
