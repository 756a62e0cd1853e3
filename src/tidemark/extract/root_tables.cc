#include "tidemark/extract/root_tables.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::extract {

namespace {

// Names of tables that normalize to one, in the order of their resources.
using Contenders = std::vector<std::string>;

std::map<std::string, Contenders> by_plain_name(const source::Source& source,
                                                const schema::Naming& naming) {
  std::map<std::string, Contenders> result;
  for (const source::Resource& resource : source.resources()) {
    const std::string plain = naming.normalize_name(resource.table_name());
    if (schema::is_system_name(plain)) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("resource {}: the table {} would be one of the pipeline's own, whose "
                              "names begin with _dlt; give it another table_name",
                              resource.name(), plain));
    }
    Contenders& contenders = result[plain];
    if (std::ranges::find(contenders, resource.table_name()) == contenders.end()) {
      contenders.push_back(resource.table_name());
    }
  }
  return result;
}

bool is_stored_under(const schema::Schema& schema, const std::string& table,
                     const std::string& source_path) {
  const auto stored = schema.find_table(table);
  const json::Value* path = stored ? stored->object().find(schema::kSourcePathHint) : nullptr;
  return path != nullptr && *path == json::Value(source_path);
}

// Which of them the plain table belongs to; empty when it is that of a list.
std::string owner_of(const std::string& plain, const Contenders& contenders,
                     const source::Source& source, const schema::Schema& schema) {
  if (const auto stored = schema.find_table(plain)) {
    if (stored->parent()) return {};
    const source::Resource* resource = source.find(stored->resource().value_or(""));
    if (resource != nullptr &&
        std::ranges::find(contenders, resource->table_name()) != contenders.end()) {
      return resource->table_name();
    }
  }
  return contenders.empty() ? std::string() : contenders.front();
}

}  // namespace

std::map<std::string, RootTable> root_tables(const source::Source& source,
                                             const schema::Schema& schema,
                                             const schema::Naming& naming) {
  std::map<std::string, RootTable> result;
  for (auto& [plain, contenders] : by_plain_name(source, naming)) {
    const auto move_aside = [&, &plain = plain](const std::string& name) {
      result[name] = {schema::collision_name(naming, plain, name), name};
    };
    std::erase_if(contenders, [&, &plain = plain](const std::string& name) {
      const bool is_aside =
          is_stored_under(schema, schema::collision_name(naming, plain, name), name);
      if (is_aside) move_aside(name);
      return is_aside;
    });
    const std::string owner = owner_of(plain, contenders, source, schema);
    for (const std::string& name : contenders) {
      if (name == owner) {
        result[name] = {plain};
      } else {
        move_aside(name);
      }
    }
  }
  return result;
}

}  // namespace tidemark::extract
