#include "tidemark/destination/hints.h"

#include <optional>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::destination {

schema::TableView table_of(const schema::Schema& schema, std::string_view name) {
  const std::optional<schema::TableView> table = schema.find_table(name);
  if (table) return *table;
  throw Error(ErrorCode::kInvalid, fmt::format("schema {} has no table {}", schema.name(), name));
}

std::string column_with(const schema::TableView& table, std::string_view hint) {
  const std::vector<std::string> names = table.columns_with(hint);
  return names.empty() ? std::string() : names.front();
}

}  // namespace tidemark::destination
