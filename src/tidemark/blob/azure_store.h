#pragma once

#include <memory>
#include <string>

#include "tidemark/base/secret.h"
#include "tidemark/blob/blob_store.h"
#include "tidemark/blob/cloud_environment.h"

namespace tidemark::blob {

struct AzureOptions {
  std::string container = {};
  std::string prefix = {};  // without slashes at its ends
  // state_backend.azure.*: the URL wins. With a shared access signature in its query that is the
  // right to ask, else whoever this host is (find_azure_identity()).
  std::string storage_account_url = {};
  Secret connection_string = {};
};

// Block blobs of an Azure container; their versions are ETags. Error kInvalid for settings that
// name no account or no credential, kUnsupported as find_azure_identity().
std::unique_ptr<BlobStore> make_azure_store(AzureOptions options,
                                            const CloudEnvironment& environment);

}  // namespace tidemark::blob
