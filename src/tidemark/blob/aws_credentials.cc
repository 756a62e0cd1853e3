#include "tidemark/blob/aws_credentials.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/aws_metadata.h"
#include "tidemark/blob/aws_roles.h"

namespace tidemark::blob {
namespace {

class VariablesWay final : public AwsLoginWay {
 public:
  explicit VariablesWay(const os::Environment& variables) : variables_(variables) {}

  std::optional<AwsLogin> log_in(std::string& reason) override {
    const std::string* id = variables_.find_not_empty("AWS_ACCESS_KEY_ID");
    const std::string* secret = variables_.find_not_empty("AWS_SECRET_ACCESS_KEY");
    if (id == nullptr && secret == nullptr) {
      reason = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set";
      return std::nullopt;
    }
    if (id == nullptr || secret == nullptr) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("{} is set without {}",
                              id != nullptr ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY",
                              id != nullptr ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID"));
    }
    const std::string* token = variables_.find_not_empty("AWS_SESSION_TOKEN");
    return AwsLogin{.credentials = {*id, Secret(*secret), Secret(token ? *token : "")}};
  }

  std::string name() const override { return "environment"; }

 private:
  const os::Environment& variables_;
};

class ProfileWay final : public AwsLoginWay {
 public:
  explicit ProfileWay(const AwsProfiles& profiles)
      : name_(profiles.active_name()), profile_(profiles.active()) {}

  std::optional<AwsLogin> log_in(std::string& reason) override {
    const std::string id = setting_of(profile_, "aws_access_key_id");
    const std::string secret = setting_of(profile_, "aws_secret_access_key");
    if (id.empty() || secret.empty()) {
      reason = lack();
      return std::nullopt;
    }
    const Secret token(setting_of(profile_, "aws_session_token"));
    return AwsLogin{.credentials = {id, Secret(secret), token}};
  }

  std::string name() const override { return fmt::format("profile '{}'", name_); }

 private:
  std::string lack() const {
    if (profile_.empty()) return "there is none of this name";
    if (profile_.contains("sso_session") || profile_.contains("sso_start_url")) {
      return "it logs in by SSO, which is not supported";
    }
    if (profile_.contains("credential_process")) {
      return "it logs in by credential_process, which is not supported";
    }
    return "it has no aws_access_key_id and aws_secret_access_key";
  }

  const std::string name_;
  const AwsProfile profile_;
};

}  // namespace

AwsCredentials AwsCredentialChain::get() {
  constexpr std::chrono::minutes kBeforeEnd{5};
  const std::lock_guard lock(mutex_);
  if (login_ && (!login_->end || clock_.now() < *login_->end - kBeforeEnd)) {
    return login_->credentials;
  }
  std::string tried;
  for (const auto& way : ways_) {
    std::string reason;
    login_ = way->log_in(reason);
    if (login_) return login_->credentials;
    tried += fmt::format("{}{}: {}", tried.empty() ? "" : "; ", way->name(), reason);
  }
  throw Error(ErrorCode::kUnauthorized, "no AWS credentials; tried " + tried);
}

std::vector<std::unique_ptr<AwsLoginWay>> find_aws_credentials(const AwsProfiles& profiles,
                                                               const CloudEnvironment& environment,
                                                               const std::string& region) {
  std::vector<std::unique_ptr<AwsLoginWay>> ways;
  if (!profiles.is_chosen()) {
    ways.push_back(std::make_unique<VariablesWay>(environment.variables));
  }
  ways.push_back(make_aws_role_way(profiles, environment, region));
  ways.push_back(make_aws_web_identity_way(profiles, environment, region));
  ways.push_back(std::make_unique<ProfileWay>(profiles));
  ways.push_back(make_aws_container_way(environment));
  ways.push_back(make_aws_instance_way(environment));
  return ways;
}

}  // namespace tidemark::blob
