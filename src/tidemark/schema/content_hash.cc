#include "tidemark/schema/content_hash.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "tidemark/base/base64.h"
#include "tidemark/base/hash.h"
#include "tidemark/json/write.h"

namespace tidemark::schema {
namespace {

constexpr std::array<std::string_view, 4> kLeftOut = {"version", "version_hash",
                                                      "imported_version_hash", "previous_hashes"};

void update_with_names(Hasher& hasher, const json::Object& tables) {
  std::vector<std::string_view> names;
  for (const auto& [name, table] : tables) {
    names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  for (std::string_view name : names) {
    hasher.update(name);
    const json::Value* columns = tables.find(name)->find("columns");
    if (columns != nullptr && columns->is_object()) {
      for (const auto& [column_name, column] : columns->as_object()) {
        hasher.update(column_name);
      }
    }
  }
}

}  // namespace

std::string content_hash(const json::Object& document) {
  json::Object content = document;
  for (std::string_view key : kLeftOut) {
    content.erase(key);
  }
  Hasher hasher(Hasher::Algorithm::kSha3_256);
  hasher.update(json::write_orjson(std::move(content), true));
  const json::Value* tables = document.find("tables");
  if (tables != nullptr && tables->is_object()) {
    update_with_names(hasher, tables->as_object());
  }
  return base64_encode(hasher.finish());
}

}  // namespace tidemark::schema
