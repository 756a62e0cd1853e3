#pragma once

#include <string>
#include <string_view>

#include "tidemark/base/clock.h"
#include "tidemark/base/secret.h"
#include "tidemark/net/http.h"

namespace tidemark::blob {

// A key pair of AWS, and the token of a session that it belongs to, empty when it is a user's own.
struct AwsCredentials {
  std::string access_key_id = {};
  Secret secret_access_key = {};
  Secret session_token = {};
};

// Where a signature is good for: `us-east-1`, `s3`.
struct AwsScope {
  std::string region;
  std::string service;
};

// Signs a request by AWS Signature Version 4
// (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html): the
// body and all of its headers, for the time now. The URL is encoded strictly, as percent_encode()
// has it; the path is signed as it stands there, which is S3's rule. Replaces a signature that the
// request has.
void sign_for_aws(net::HttpRequest& request, const AwsCredentials& credentials,
                  const AwsScope& scope, Time now);

}  // namespace tidemark::blob
