#include "tidemark/cli/schema_text.h"

namespace tidemark::cli {

json::Object without_names(const json::Object& tables) {
  json::Object clean = tables;
  for (auto& [table_name, table] : clean) {
    if (!table.is_object()) {
      continue;
    }
    table.as_object().erase("name");
    json::Value* columns = table.find("columns");
    if (!columns || !columns->is_object()) {
      continue;
    }
    for (auto& [column_name, column] : columns->as_object()) {
      if (column.is_object()) {
        column.as_object().erase("name");
      }
    }
  }
  return clean;
}

}  // namespace tidemark::cli
