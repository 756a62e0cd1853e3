#pragma once

#include <memory>
#include <string_view>

#include "tidemark/state/context.h"
#include "tidemark/state/state_store.h"

namespace tidemark::blob {
class BlobStore;
}

namespace tidemark::state {

// Whose rules a store of objects follows: those of Meltano's file store or of its cloud stores.
enum class BlobStateKind { kFile, kS3, kGcs, kAzure };

// `<id>/state.json`, and beside it Meltano's `<id>/lock`.
std::string state_key(std::string_view id);
std::string lock_key(std::string_view id);
// What is ours about an ID: `.tidemark/<id>/<name>`.
std::string record_key(std::string_view id, std::string_view name);
inline constexpr std::string_view kRecordsPrefix = ".tidemark/";

// Error kInvalid for an ID that would leave the root, that is another spelling of one (`a/./b`,
// `a//b`), or that begins with `.tidemark`.
void check_blob_id(std::string_view id);

// States as objects in Meltano's layout. objects is borrowed. A file of Meltano's that is empty or
// torn, because it is being written, is read again for 2 s; then it is Error kCorrupt.
std::unique_ptr<StateStore> make_blob_state_store(blob::BlobStore& objects, BlobStateKind kind,
                                                  const Context& context);

}  // namespace tidemark::state
