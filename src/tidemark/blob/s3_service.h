#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "tidemark/blob/aws_credentials.h"
#include "tidemark/blob/s3_store.h"
#include "tidemark/blob/session.h"

namespace tidemark::blob {

// Where a bucket is asked.
struct S3Address {
  std::string endpoint;  // https://s3.eu-west-1.amazonaws.com; no slash behind
  std::string region;
  bool is_path_style = false;  // else the bucket's name stands in front of the host
  bool is_custom = false;      // not AWS's own
};

// By options, variables and profile, as S3Options says.
S3Address find_s3_address(const S3Options& options, const os::Environment& variables,
                          const AwsProfile& profile);

// Signed requests to one bucket. Thread-safe.
class S3Service {
 public:
  S3Service(const S3Options& options, const CloudEnvironment& environment);

  // The answer to a request for bucket and target (`/key?query`, encoded), whatever its status. One
  // that says that the bucket is in another region is asked there, and so are all later ones.
  net::HttpResponse send(net::HttpRequest& request, const std::string& target);

  std::optional<Time> service_time() const { return session_->service_time(); }

 private:
  class BucketSigner;

  std::string url_of(const std::string& target) const;
  // Whether the answer names another region.
  bool moves(const net::HttpRequest& request, const net::HttpResponse& response);

  const std::string bucket_;
  mutable std::mutex mutex_;
  S3Address address_;
  BucketSigner* signer_ = nullptr;  // of session_
  std::unique_ptr<Session> session_;
};

}  // namespace tidemark::blob
