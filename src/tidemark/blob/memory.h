#pragma once

#include <memory>

#include "tidemark/base/clock.h"
#include "tidemark/blob/blob_store.h"

namespace tidemark::blob {

// Objects in this process, gone with the store: `memory:`.
std::unique_ptr<BlobStore> make_memory_store(Clock& clock);

}  // namespace tidemark::blob
