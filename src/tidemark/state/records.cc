#include "tidemark/state/records.h"

#include <fmt/format.h>

#include "tidemark/base/hash.h"
#include "tidemark/state/blob_state_store.h"

namespace tidemark::state {

Time time_to_show(blob::BlobStore& objects, Clock& clock) {
  return objects.capabilities().time_takes_write ? clock.now() : objects.store_time();
}

std::string keep_unreadable(blob::BlobStore& objects, std::string_view id, std::string_view name,
                            std::string_view bytes) {
  std::string key =
      record_key(id, fmt::format("unreadable-{:.12}-{}", to_hex(sha256(bytes)), name));
  objects.put(key, bytes, blob::Always());
  return key;
}

}  // namespace tidemark::state
