#include "tidemark/extract/hints.h"

#include "tidemark/schema/hints.h"

namespace tidemark::extract {

std::string table_name(const source::Resource& resource, const schema::Naming& naming) {
  return naming.normalize_tables_path(resource.table_name());
}

json::Object hints_of(const source::Resource& resource, std::string_view cursor_path,
                      const schema::Naming& naming) {
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
  return schema::table_from_hints(hints, naming);
}

}  // namespace tidemark::extract
