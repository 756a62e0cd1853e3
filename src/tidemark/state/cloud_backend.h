#pragma once

#include "tidemark/state/backend.h"

namespace tidemark::state {

// The kinds of backend whose states are in a bucket; each as open_backend().
Backend open_s3(const BackendOptions& options, const os::Environment& environment,
                const Context& context);
Backend open_gcs(const BackendOptions& options, const os::Environment& environment,
                 const Context& context);
Backend open_azure(const BackendOptions& options, const os::Environment& environment,
                   const Context& context);

// What a URL of a bucket says, as Meltano reads it: `s3://key_id:secret@bucket/some/prefix`.
// Nothing is decoded, upper case stays. Error kInvalid, without its text, when a key is cut by a
// slash in it.
struct BucketUrl {
  std::string bucket = {};
  std::string prefix = {};  // without slashes at its ends
  Secret key_id = {};
  Secret secret = {};
};
BucketUrl parse_bucket_url(const Secret& uri);

}  // namespace tidemark::state
