#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tidemark/base/secret.h"
#include "tidemark/blob/blob_store.h"
#include "tidemark/blob/cloud_environment.h"

namespace tidemark::blob {

struct S3Options {
  std::string bucket = {};
  std::string prefix = {};  // without slashes at its ends
  // Both or neither; without them AWS's own chain (find_aws_credentials()).
  Secret access_key_id = {};
  Secret secret_access_key = {};
  Secret session_token = {};
  // Of AWS's credentials and config files; its login comes before that of the environment. Empty:
  // AWS_PROFILE, AWS_DEFAULT_PROFILE, else `default`.
  std::string profile = {};
  // Another service than AWS's. Empty: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, endpoint_url of the
  // profile, else AWS's own.
  std::string endpoint_url = {};
  // Empty: AWS_DEFAULT_REGION, AWS_REGION, the profile's, else us-east-1.
  std::string region = {};
  // Whether the bucket stands in the path, not in the host. Nothing: s3.addressing_style of the
  // profile, else in the path where the service is not AWS's or the bucket's name is no host name.
  std::optional<bool> is_path_style = {};
};

// Objects of an S3 bucket; their versions are ETags. Keys with an empty part are refused. A bucket
// that says which other region it is in is asked there. Error kInvalid for half a key pair, a
// profile that is not there, an endpoint that is no http URL, and a bucket that cannot stand in the
// host where it is asked to; the first call throws kUnauthorized with every way that was tried
// when there are no credentials.
std::unique_ptr<BlobStore> make_s3_store(const S3Options& options,
                                         const CloudEnvironment& environment);

}  // namespace tidemark::blob
