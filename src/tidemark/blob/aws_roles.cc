#include "tidemark/blob/aws_roles.h"

#include <utility>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/blob/access_token.h"
#include "tidemark/blob/xml.h"
#include "tidemark/net/excerpt.h"
#include "tidemark/os/files.h"

namespace tidemark::blob {
namespace {

constexpr const char* kSessionName = "tidemark";

std::string text_or(const os::Environment& variables, std::string_view variable,
                    std::string_view fallback) {
  const std::string* text = variables.find_not_empty(variable);
  return text != nullptr ? *text : std::string(fallback);
}

net::HttpRequest sts_request(const os::Environment& variables, const std::string& region,
                             const net::QueryParams& form) {
  const std::string fallback = fmt::format("https://sts.{}.amazonaws.com", region);
  net::HttpRequest request =
      token_form(text_or(variables, "AWS_ENDPOINT_URL_STS", fallback) + "/", form);
  request.headers.set("Accept", "text/xml");
  return request;
}

// Credentials of AssumeRole and AssumeRoleWithWebIdentity, whose answers differ in the root only.
AwsLogin read_role(const net::HttpRequest& request, const net::HttpResponse& response,
                   std::string_view role) {
  AwsLogin login;
  std::string message;
  std::string end;
  read_xml(response.body.view(), [&](const XmlLeaf& leaf) {
    const std::string_view name = leaf.path.substr(leaf.path.rfind('/') + 1);
    if (name == "AccessKeyId") login.credentials.access_key_id = leaf.text;
    if (name == "SecretAccessKey")
      login.credentials.secret_access_key = Secret(std::string(leaf.text));
    if (name == "SessionToken") login.credentials.session_token = Secret(std::string(leaf.text));
    if (name == "Expiration") end = leaf.text;
    if (name == "Code" || name == "Message") message += fmt::format(" {}", leaf.text);
  });
  if (response.status != 200) {
    const bool is_passing = response.status == 429 || response.status >= 500;
    throw Error(is_passing ? ErrorCode::kUnavailable : ErrorCode::kUnauthorized,
                fmt::format("AWS does not lend role {}: status {}{}", role, response.status,
                            net::excerpt(request, message)));
  }
  const auto time = parse_iso_datetime(end);
  if (login.credentials.access_key_id.empty() || !time) {
    throw Error(ErrorCode::kCorrupt, fmt::format("the answer with role {} has no keys", role));
  }
  login.end = Time(std::chrono::microseconds(time->utc_micros()));
  return login;
}

class RoleWay final : public AwsLoginWay {
 public:
  RoleWay(const AwsProfiles& profiles, const CloudEnvironment& environment, std::string region)
      : profile_(profiles.active()),
        source_(profiles.find(setting_of(profile_, "source_profile"))),
        environment_(environment),
        region_(std::move(region)) {}

  std::optional<AwsLogin> log_in(std::string& reason) override {
    const std::string role = setting_of(profile_, "role_arn");
    if (role.empty() || !setting_of(profile_, "web_identity_token_file").empty()) {
      reason = "the profile has no role_arn";
      return std::nullopt;
    }
    const std::optional<AwsCredentials> source = source_keys();
    if (!source) {
      throw Error(ErrorCode::kUnauthorized,
                  fmt::format("role {} needs a source_profile with keys, or a credential_source "
                              "Environment",
                              role));
    }
    net::QueryParams form = {{"Action", "AssumeRole"},
                             {"Version", "2011-06-15"},
                             {"RoleArn", role},
                             {"RoleSessionName", session_name()}};
    if (const std::string id = setting_of(profile_, "external_id"); !id.empty()) {
      form.emplace_back("ExternalId", id);
    }
    net::HttpRequest request = sts_request(environment_.variables, region_, form);
    sign_for_aws(request, *source, {region_, "sts"}, environment_.clock.now());
    return read_role(request, environment_.http.send(request, environment_.cancellation), role);
  }

  std::string name() const override { return "role of the profile"; }

 private:
  std::string session_name() const {
    const std::string name = setting_of(profile_, "role_session_name");
    return name.empty() ? kSessionName : name;
  }

  std::optional<AwsCredentials> source_keys() const {
    if (setting_of(profile_, "credential_source") == "Environment") {
      return AwsCredentials{text_or(environment_.variables, "AWS_ACCESS_KEY_ID", ""),
                            Secret(text_or(environment_.variables, "AWS_SECRET_ACCESS_KEY", "")),
                            Secret(text_or(environment_.variables, "AWS_SESSION_TOKEN", ""))};
    }
    const std::string id = setting_of(source_, "aws_access_key_id");
    const std::string secret = setting_of(source_, "aws_secret_access_key");
    if (id.empty() || secret.empty()) return std::nullopt;
    return AwsCredentials{id, Secret(secret), Secret(setting_of(source_, "aws_session_token"))};
  }

  const AwsProfile profile_;
  const AwsProfile source_;
  CloudEnvironment environment_;
  const std::string region_;
};

class WebIdentityWay final : public AwsLoginWay {
 public:
  WebIdentityWay(const AwsProfiles& profiles, const CloudEnvironment& environment,
                 std::string region)
      : token_file_(
            find(profiles, environment, "AWS_WEB_IDENTITY_TOKEN_FILE", "web_identity_token_file")),
        role_(find(profiles, environment, "AWS_ROLE_ARN", "role_arn")),
        session_name_(text_or(environment.variables, "AWS_ROLE_SESSION_NAME", kSessionName)),
        is_of_profile_(profiles.is_chosen()),
        environment_(environment),
        region_(std::move(region)) {}

  std::optional<AwsLogin> log_in(std::string& reason) override {
    if (token_file_.empty() || role_.empty()) {
      reason = is_of_profile_ ? "the profile has no web_identity_token_file and role_arn"
                              : "AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN are not both set";
      return std::nullopt;
    }
    net::HttpRequest request = sts_request(environment_.variables, region_,
                                           {{"Action", "AssumeRoleWithWebIdentity"},
                                            {"Version", "2011-06-15"},
                                            {"RoleArn", role_},
                                            {"RoleSessionName", session_name_},
                                            {"WebIdentityToken", os::read_file(token_file_)}});
    return read_role(request, environment_.http.send(request, environment_.cancellation), role_);
  }

  std::string name() const override { return "web identity"; }

 private:
  // A profile that was chosen beats the variables.
  static std::string find(const AwsProfiles& profiles, const CloudEnvironment& environment,
                          std::string_view variable, std::string_view setting) {
    const std::string written = setting_of(profiles.active(), setting);
    return profiles.is_chosen() ? written : text_or(environment.variables, variable, written);
  }

  const std::string token_file_;
  const std::string role_;
  const std::string session_name_;
  const bool is_of_profile_;
  CloudEnvironment environment_;
  const std::string region_;
};

}  // namespace

std::unique_ptr<AwsLoginWay> make_aws_role_way(const AwsProfiles& profiles,
                                               const CloudEnvironment& environment,
                                               const std::string& region) {
  return std::make_unique<RoleWay>(profiles, environment, region);
}

std::unique_ptr<AwsLoginWay> make_aws_web_identity_way(const AwsProfiles& profiles,
                                                       const CloudEnvironment& environment,
                                                       const std::string& region) {
  return std::make_unique<WebIdentityWay>(profiles, environment, region);
}

}  // namespace tidemark::blob
