#pragma once

#include <memory>
#include <string>

#include "tidemark/blob/blob_store.h"
#include "tidemark/blob/cloud_environment.h"
#include "tidemark/blob/gcs_credentials.h"

namespace tidemark::blob {

struct GcsOptions {
  std::string bucket = {};
  std::string prefix = {};  // without slashes at its ends
  GcsCredentials credentials = {};
};

// Objects of a Google Cloud Storage bucket, by its JSON API; their versions are generations. With
// STORAGE_EMULATOR_HOST all goes to that host, without credentials unless options give some, as
// Google's Python library has it; an emulator is not trusted to heed the condition of a removal.
// Error kInvalid as find_gcs_credentials().
std::unique_ptr<BlobStore> make_gcs_store(const GcsOptions& options,
                                          const CloudEnvironment& environment);

}  // namespace tidemark::blob
