#include "tidemark/schema/schema.h"

namespace tidemark::schema {
namespace {

json::Object column(std::string_view name, DataType type, bool nullable,
                    std::string_view description) {
  json::Object result = {{"name", name}, {"data_type", to_string(type)}, {"nullable", nullable}};
  if (!description.empty()) {
    result.set("description", description);
  }
  return result;
}

json::Object load_id_column(std::string_view name, std::string_view description) {
  return {{"name", name},
          {"data_type", "text"},
          {"nullable", false},
          {"precision", 64},
          {"description", description}};
}

void add(json::Object& columns, json::Object column) {
  const std::string name = column.find("name")->as_string();
  columns.set(name, std::move(column));
}

json::Object system_table(std::string_view name, json::Object columns,
                          std::string_view description) {
  return {{"name", name},
          {"columns", std::move(columns)},
          {"write_disposition", "skip"},
          {"resource", name},
          {"description", description}};
}

}  // namespace

json::Object version_table() {
  json::Object columns;
  add(columns, column("version", DataType::kBigint, false,
                      "Numeric version of the schema, incremented on each schema change"));
  add(columns, column("engine_version", DataType::kBigint, false,
                      "Version of the dlt schema engine that created this schema"));
  add(columns, column("inserted_at", DataType::kTimestamp, false,
                      "Timestamp when this schema version was stored"));
  add(columns, column("schema_name", DataType::kText, false, "Name of the schema"));
  add(columns, column("version_hash", DataType::kText, false,
                      "Unique hash of the schema content, used to detect changes"));
  add(columns, column("schema", DataType::kText, false,
                      "JSON representation of the complete schema definition"));
  return system_table(kVersionTable, std::move(columns), "Created by DLT. Tracks schema updates");
}

json::Object loads_table() {
  json::Object columns;
  add(columns, load_id_column("load_id", "Unique identifier of the load operation"));
  add(columns,
      column("schema_name", DataType::kText, true, "Name of the schema associated with this load"));
  add(columns,
      column("status", DataType::kBigint, false, "Status of the load operation (0 = success)"));
  add(columns,
      column("inserted_at", DataType::kTimestamp, false, "Timestamp when the load was completed"));
  add(columns, column("schema_version_hash", DataType::kText, true,
                      "Hash of the schema version used during this load"));
  return system_table(kLoadsTable, std::move(columns), "Created by DLT. Tracks completed loads");
}

// Without a description: dlt makes this table from the hints of a resource, which have none.
json::Object state_table() {
  json::Object columns;
  add(columns,
      column("version", DataType::kBigint, false, "Numeric version of the pipeline state"));
  add(columns,
      column("engine_version", DataType::kBigint, false, "Version of the dlt state engine"));
  add(columns, column("pipeline_name", DataType::kText, false,
                      "Name of the pipeline this state belongs to"));
  add(columns, column("state", DataType::kText, false,
                      "Compressed JSON representation of the pipeline state"));
  add(columns,
      column("created_at", DataType::kTimestamp, false, "Timestamp when this state was created"));
  add(columns, column("version_hash", DataType::kText, true,
                      "Hash of the state content, used to detect changes"));
  add(columns,
      load_id_column(kLoadIdColumn, "Load identifier linking this row to its load operation"));
  json::Object id = column(kIdColumn, DataType::kText, false, "");
  id.set("unique", true);
  id.set("row_key", true);
  add(columns, std::move(id));
  return {{"columns", std::move(columns)},
          {"write_disposition", "append"},
          {"file_format", "preferred"},
          {"name", kStateTable},
          {"resource", kStateTable}};
}

}  // namespace tidemark::schema
