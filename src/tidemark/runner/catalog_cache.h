#pragma once

#include <optional>
#include <string>

#include "tidemark/base/random.h"
#include "tidemark/os/files.h"

namespace tidemark::runner {

// The catalog of a tap that Meltano keeps between runs, with the key of what it was made from:
// `tap.properties.json` and `tap.properties.cache_key` in one folder. Several processes may use it;
// a lock file beside them lets one at a time write.
class CatalogCache {
 public:
  CatalogCache(os::Path folder, Random& random);

  // The catalog of that key; nothing when there is none or another one.
  std::optional<std::string> find(const std::string& key) const;
  // Whatever is there.
  std::optional<std::string> find_any() const;
  // A catalog that cannot be kept, as while another process puts its own there, is made again the
  // next time.
  void put(const std::string& key, const std::string& catalog);

 private:
  os::Path folder_;
  os::Path catalog_file_;
  os::Path key_file_;
  os::Path lock_file_;
  Random& random_;
};

}  // namespace tidemark::runner
