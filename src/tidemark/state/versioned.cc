#include "tidemark/state/versioned.h"

#include <algorithm>
#include <utility>

#include "tidemark/base/base64.h"
#include "tidemark/base/hash.h"
#include "tidemark/json/write.h"

namespace tidemark::state {

std::string versioned_hash(const json::Object& document,
                           std::initializer_list<std::string_view> excluded) {
  json::Object content;
  for (const auto& [key, value] : document) {
    bool is_own = key == kVersionKey || key == kEngineKey || key == kHashKey;
    if (!is_own && std::find(excluded.begin(), excluded.end(), key) == excluded.end()) {
      content.set(key, value);
    }
  }
  return base64_encode(sha3_256(json::write_orjson(std::move(content), /*sort_keys=*/true)));
}

bool bump_version(json::Object& document, std::initializer_list<std::string_view> excluded) {
  std::string hash = versioned_hash(document, excluded);
  const json::Value* stored = document.find(kHashKey);
  bool had_hash = stored != nullptr && stored->is_string() && !stored->as_string().empty();
  bool has_changed = had_hash && stored->as_string() != hash;
  if (has_changed) document.set(kVersionKey, document[kVersionKey].as_int64() + 1);
  document.set(kHashKey, std::move(hash));
  return has_changed;
}

}  // namespace tidemark::state
