#pragma once

#include <string>

#include "tidemark/base/error.h"
#include "tidemark/net/http.h"

namespace tidemark::blob {

// What an answer of S3 that is no success says:
// <Error><Code>NoSuchBucket</Code><Message>...</Message></Error>.
struct S3Refusal {
  int status = 0;
  std::string code = {};
  std::string message = {};
  // Where the bucket is, when the answer says so.
  std::string region = {};
};

S3Refusal read_s3_refusal(const net::HttpRequest& request, const net::HttpResponse& response);
// With status, code and message, and what helps where that is known.
Error error_of(const S3Refusal& refusal);

}  // namespace tidemark::blob
