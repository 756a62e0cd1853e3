#include "tidemark/runner/catalog_cache.h"

#include <memory>
#include <utility>
#include <variant>

#include "tidemark/base/error.h"
#include "tidemark/os/lock_file.h"

namespace tidemark::runner {

CatalogCache::CatalogCache(os::Path folder, Random& random)
    : folder_(std::move(folder)),
      catalog_file_(folder_ / "tap.properties.json"),
      key_file_(folder_ / "tap.properties.cache_key"),
      lock_file_(folder_ / ".tap.properties.lock"),
      random_(random) {}

// The key is taken away before the catalog changes, and put there behind it: one that is the same
// in front of the catalog and behind it is the catalog's.
std::optional<std::string> CatalogCache::find(const std::string& key) const {
  if (os::read_file_if_exists(key_file_) != key) return std::nullopt;
  std::optional<std::string> catalog = find_any();
  return os::read_file_if_exists(key_file_) == key ? catalog : std::nullopt;
}

std::optional<std::string> CatalogCache::find_any() const {
  return os::read_file_if_exists(catalog_file_);
}

void CatalogCache::put(const std::string& key, const std::string& catalog) {
  try {
    if (find(key) == catalog) return;
    os::make_directories(folder_);
    // Two at once could leave the catalog of one under the key of the other.
    const auto lock = os::LockFile::try_acquire(lock_file_, {});
    if (!std::holds_alternative<std::unique_ptr<os::LockFile>>(lock)) return;
    os::remove_file(key_file_);
    os::replace_file(catalog_file_, catalog, folder_, random_);
    os::replace_file(key_file_, key, folder_, random_);
  } catch (const Error&) {
    // A folder that cannot be written.
  }
}

}  // namespace tidemark::runner
