#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/blob/aws_profile.h"
#include "tidemark/blob/aws_signing.h"
#include "tidemark/blob/cloud_environment.h"

namespace tidemark::blob {

struct AwsLogin {
  AwsCredentials credentials;
  // Nothing for keys that do not end.
  std::optional<Time> end = {};
};

// One way to come by credentials.
class AwsLoginWay {
 public:
  virtual ~AwsLoginWay() = default;

  // Nothing, and why in `reason`, when this host or this user has none that way. Error when there
  // is one that fails.
  virtual std::optional<AwsLogin> log_in(std::string& reason) = 0;
  virtual std::string name() const = 0;
};

// The credentials of the first way that has some, kept until five minutes before their end.
// Thread-safe; one caller logs in while the others wait.
class AwsCredentialChain {
 public:
  AwsCredentialChain(std::vector<std::unique_ptr<AwsLoginWay>> ways, Clock& clock)
      : ways_(std::move(ways)), clock_(clock) {}

  // Error kUnauthorized names every way that was tried and what it lacked.
  AwsCredentials get();

 private:
  std::vector<std::unique_ptr<AwsLoginWay>> ways_;
  Clock& clock_;
  std::mutex mutex_;
  std::optional<AwsLogin> login_;
};

// In the order of boto3: unless a profile was chosen, the variables AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN; the profile's role_arn with its source_profile; a web
// identity (AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, or the profile's); the profile's keys;
// the container's service (AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI); the instance's
// metadata service, version 2. Logins by SSO and by a process of the user's own are not used, and
// are named.
std::vector<std::unique_ptr<AwsLoginWay>> find_aws_credentials(const AwsProfiles& profiles,
                                                               const CloudEnvironment& environment,
                                                               const std::string& region);

}  // namespace tidemark::blob
