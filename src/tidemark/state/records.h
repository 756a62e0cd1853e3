#pragma once

#include <string>
#include <string_view>

#include "tidemark/base/clock.h"
#include "tidemark/blob/blob_store.h"

namespace tidemark::state {

// The store's time for what is only shown. A store that has to write to learn it is not asked,
// since reading changes nothing: the clock of this machine stands in.
Time time_to_show(blob::BlobStore& objects, Clock& clock);

// Keeps what cannot be read of an ID, and is about to be replaced, beside its other records. name
// says what it was: `lease.json`. The key.
std::string keep_unreadable(blob::BlobStore& objects, std::string_view id, std::string_view name,
                            std::string_view bytes);

}  // namespace tidemark::state
