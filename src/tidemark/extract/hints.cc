#include "tidemark/extract/hints.h"

#include "tidemark/schema/hints.h"

namespace tidemark::extract {

json::Object hints_of(const source::Resource& resource, const RootTable& table,
                      std::string_view cursor_path, const schema::Naming& naming) {
  const source::ResourceOptions& options = resource.options();
  schema::TableHints hints;
  hints.resource = options.name;
  hints.table = resource.table_name();
  hints.write_disposition = to_string(options.write_disposition);
  hints.merge_strategy = options.merge_strategy;
  hints.primary_key = options.primary_key;
  hints.merge_key = options.merge_key;
  hints.cursor_path = cursor_path;
  hints.columns = options.columns;
  hints.max_table_nesting = options.max_table_nesting;
  json::Object partial = schema::table_from_hints(hints, naming);
  partial.set("name", table.name);
  if (!table.source_path.empty()) partial.set(schema::kSourcePathHint, table.source_path);
  return partial;
}

}  // namespace tidemark::extract
