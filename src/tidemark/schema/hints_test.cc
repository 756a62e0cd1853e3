#include "tidemark/schema/hints.h"

#include <map>

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/json/write.h"
#include "tidemark/schema/golden_cases.h"
#include "tidemark/schema/schema.h"

namespace tidemark::schema {
namespace {

using ::testing::HasSubstr;

const Naming& naming() {
  static const std::shared_ptr<const Naming> naming = make_naming("snake_case", std::nullopt, true);
  return *naming;
}

std::vector<std::string> texts(const json::Value* list) {
  std::vector<std::string> result;
  if (list != nullptr) {
    for (const json::Value& item : list->as_array()) {
      result.push_back(item.as_string());
    }
  }
  return result;
}

TableHints hints_of(const json::Value& golden) {
  const auto text = [&](std::string_view key) {
    const json::Value* value = golden.find(key);
    return value == nullptr ? std::string() : value->as_string();
  };
  TableHints hints;
  hints.resource = text("resource");
  hints.table = text("table");
  hints.write_disposition = text("write_disposition");
  hints.merge_strategy = text("merge_strategy");
  hints.primary_key = texts(golden.find("primary_key"));
  hints.merge_key = texts(golden.find("merge_key"));
  hints.cursor_path = text("cursor_path");
  if (const json::Value* columns = golden.find("columns")) {
    hints.columns = columns->as_object();
  }
  if (const json::Value* nesting = golden.find("max_table_nesting")) {
    hints.max_table_nesting = static_cast<int>(nesting->as_int64());
  }
  return hints;
}

TEST(TableFromHints, IsWhatDltMakes) {
  for (const json::Value& golden : read_golden("hints.json")) {
    EXPECT_EQ(json::write(table_from_hints(hints_of(*golden.find("hints")), naming())),
              json::write(*golden.find("table")))
        << golden.find("why")->as_string();
  }
}

std::string message_of(const TableHints& hints) {
  try {
    table_from_hints(hints, naming());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    return error.message();
  }
  return "";
}

TEST(TableFromHints, NamesTheHintThatCannotBeUsed) {
  TableHints hints = {.resource = "r", .table = "r"};
  hints.columns = {{"c", json::Object{{"data_type", "int"}}}};
  EXPECT_THAT(message_of(hints), HasSubstr("resource `r`: columns.c: expected one of"));
  hints.columns = {{"c", "bigint"}};
  EXPECT_THAT(message_of(hints), HasSubstr("columns.c: expected an object"));
  hints.columns = {};
  hints.write_disposition = "merge";
  hints.merge_strategy = "scd";
  EXPECT_THAT(message_of(hints), HasSubstr("merge strategy `scd`: expected delete-insert, scd2"));
  hints.write_disposition = "upsert";
  EXPECT_THAT(message_of(hints), HasSubstr("write_disposition `upsert`"));
}

// What the resources of a recorded pipeline said.
std::vector<TableHints> recorded_hints(const std::string& scenario) {
  const json::Object deleted = {{"hard_delete", true}, {"data_type", "bool"}};
  const json::Object last_first = {{"dedup_sort", "desc"}, {"data_type", "bigint"}};
  TableHints people = {.resource = "people", .table = "people", .write_disposition = "merge"};
  if (scenario == "merge_scd2") {
    people.merge_strategy = "scd2";
    return {people};
  }
  people.primary_key = {"id"};
  people.columns = {{"deleted", deleted}};
  if (scenario == "merge_insert_only") {
    people.merge_strategy = "insert-only";
    return {people};
  }
  people.columns.set("ts", last_first);
  if (scenario == "merge_delete_insert" || scenario == "merge_upsert") {
    people.merge_strategy = scenario == "merge_upsert" ? "upsert" : "delete-insert";
    return {people};
  }
  TableHints pulls = {.primary_key = {"id"}, .cursor_path = "updated_at"};
  if (scenario == "rest_api_merge") {
    pulls.resource = pulls.table = "pulls";
    pulls.write_disposition = "merge";
    return {pulls};
  }
  pulls.resource = pulls.table = "github_pulls";
  return {pulls, {.resource = "repo_info", .table = "repo_info", .write_disposition = "replace"}};
}

// Takes the columns of the recorded table over as if data had brought them.
void infer_table(Schema& schema, const TableView& recorded) {
  json::Object partial = {{"name", recorded.name()}, {"columns", json::Object()}};
  if (recorded.parent()) {
    partial.set("parent", *recorded.parent());
  }
  const std::optional<TableView> known = schema.find_table(recorded.name());
  for (const ColumnView& column : recorded.columns()) {
    const std::optional<ColumnView> old = known ? known->find_column(column.name()) : std::nullopt;
    if (!old || !old->is_complete()) {
      partial.find("columns")->as_object().set(
          column.name(), schema.infer_column(recorded.name(), column.name(), *column.data_type()));
    }
  }
  schema.update_table(partial);
  schema.mark_seen_data(recorded.name());
}

TEST(TableFromHints, LeadsToTheSchemaThatDltStored) {
  size_t count = 0;
  for (const json::Value& golden : read_golden("schema_hash.json")) {
    const std::string& scenario = golden.find("why")->as_string();
    if (!scenario.starts_with("merge_") && scenario != "rest_api_merge" &&
        scenario != "github_append") {
      continue;
    }
    const Schema recorded = Schema::from_json(golden.find("schema")->as_object(), true);
    Schema schema = Schema::make(recorded.name());
    for (const TableHints& hints : recorded_hints(scenario)) {
      schema.apply_hints(table_from_hints(hints, naming()));
    }
    schema.update_table(state_table());
    schema.mark_seen_data(kStateTable);
    for (std::string_view table : recorded.table_names()) {
      if (!is_system_name(table)) {
        infer_table(schema, *recorded.find_table(table));
      }
    }
    for (const std::string& root : schema.data_root_tables()) {
      if (schema.needs_root_key(root)) {
        schema.set_root_key_propagation(root);
      }
    }
    schema.bump();
    EXPECT_EQ(schema.version_hash(), recorded.version_hash())
        << scenario << "\n"
        << json::write(schema.document()) << "\n"
        << json::write(recorded.document());
    ++count;
  }
  EXPECT_EQ(count, 6);
}

}  // namespace
}  // namespace tidemark::schema
