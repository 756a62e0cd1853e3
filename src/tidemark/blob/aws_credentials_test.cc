#include "tidemark/blob/aws_credentials.h"

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/fake_cloud.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::blob {
namespace {

using testing::HasSubstr;
using testing::Not;

class AwsLogins : public testing::Test {
 protected:
  AwsLogins() {
    cloud_.metadata_http.answer = [](const net::HttpRequest&) -> net::HttpResponse {
      throw Error(ErrorCode::kTimeout, "no answer in time");
    };
  }

  void set(os::Environment::Variables variables) {
    variables.emplace("AWS_SHARED_CREDENTIALS_FILE", (directory_ / "credentials").native());
    variables.emplace("AWS_CONFIG_FILE", (directory_ / "config").native());
    cloud_.variables = os::Environment(std::move(variables));
  }

  std::unique_ptr<AwsCredentialChain> chain() {
    return std::make_unique<AwsCredentialChain>(
        find_aws_credentials(AwsProfiles::read(cloud_.variables, chosen_), cloud_.environment(),
                             "eu-west-1"),
        cloud_.clock);
  }
  AwsCredentials get() { return chain()->get(); }
  std::string error_text() {
    try {
      get();
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  }

  os::TempDirectory directory_;
  FakeCloud cloud_;
  std::string chosen_;
};

TEST_F(AwsLogins, ByTheEnvironmentComeFirst) {
  os::write_new_file(directory_ / "credentials",
                     "[default]\naws_access_key_id = P\naws_secret_access_key = p\n");
  set({{"AWS_ACCESS_KEY_ID", "E"}, {"AWS_SECRET_ACCESS_KEY", "e"}, {"AWS_SESSION_TOKEN", "t"}});
  EXPECT_EQ(get().access_key_id, "E");
  EXPECT_EQ(get().session_token, Secret("t"));
  set({{"AWS_ACCESS_KEY_ID", "E"}});
  EXPECT_THAT(error_text(), HasSubstr("AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY"));
  set({});
  EXPECT_EQ(get().access_key_id, "P");
}

TEST_F(AwsLogins, ByAChosenProfileComeBeforeTheEnvironment) {
  os::write_new_file(
      directory_ / "credentials",
      "[work]\naws_access_key_id = W\naws_secret_access_key = w\n[empty]\nregion = r\n");
  set({{"AWS_ACCESS_KEY_ID", "E"},
       {"AWS_SECRET_ACCESS_KEY", "e"},
       {"AWS_PROFILE", "default"},
       {"AWS_WEB_IDENTITY_TOKEN_FILE", "/nowhere"},
       {"AWS_ROLE_ARN", "role"}});
  chosen_ = "work";
  EXPECT_EQ(get().access_key_id, "W");
  chosen_ = "empty";
  EXPECT_THAT(error_text(), HasSubstr("profile 'empty': it has no aws_access_key_id"));
  chosen_ = "none";
  EXPECT_THAT(error_text(), HasSubstr("there is no profile 'none'"));
}

TEST_F(AwsLogins, ByProfileReadBothFiles) {
  os::write_new_file(directory_ / "credentials",
                     "# keys\n[work]\naws_access_key_id=W\naws_secret_access_key = w=/+\n");
  os::write_new_file(directory_ / "config",
                     "[default]\nregion = us-west-2\n[profile work]\nregion = eu-north-1\n"
                     "aws_session_token = t\ns3 =\n  addressing_style = path\n[sso-session x]\n");
  set({{"AWS_PROFILE", "work"}});
  const AwsCredentials credentials = get();
  EXPECT_EQ(credentials.access_key_id, "W");
  EXPECT_EQ(credentials.secret_access_key, Secret("w=/+"));
  EXPECT_EQ(credentials.session_token, Secret("t"));
  const AwsProfiles profiles = AwsProfiles::read(cloud_.variables, "");
  EXPECT_EQ(setting_of(profiles.active(), "region"), "eu-north-1");
  EXPECT_EQ(setting_of(profiles.active(), "s3.addressing_style"), "path");
}

TEST_F(AwsLogins, NameEveryWayThatWasTriedWhenNoneIsLeft) {
  os::write_new_file(directory_ / "config", "[default]\nsso_session = x\n");
  set({});
  const std::string text = error_text();
  for (const char* part : {"no AWS credentials", "environment: AWS_ACCESS_KEY_ID", "role_arn",
                           "AWS_WEB_IDENTITY_TOKEN_FILE", "profile 'default': it logs in by SSO",
                           "container: AWS_CONTAINER", "instance metadata: no metadata service"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST_F(AwsLogins, NameABadFileWithoutShowingItsLine) {
  os::write_new_file(directory_ / "credentials", "[default]\ns3cr3t-zz9\n");
  set({});
  EXPECT_THAT(error_text(), HasSubstr("credentials:2: "));
  EXPECT_THAT(error_text(), Not(HasSubstr("s3cr3t-zz9")));
}

constexpr const char* kRoleAnswer =
    "<AssumeRoleResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><AssumeRoleResult>"
    "<Credentials><AccessKeyId>R</AccessKeyId><SecretAccessKey>r</SecretAccessKey>"
    "<SessionToken>rt</SessionToken><Expiration>2026-01-01T01:00:00Z</Expiration></Credentials>"
    "</AssumeRoleResult></AssumeRoleResponse>";

TEST_F(AwsLogins, ByRoleUseTheKeysOfTheSourceAndAreRenewedBeforeTheirEnd) {
  os::write_new_file(directory_ / "config",
                     "[default]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = base\n"
                     "external_id = x\n[profile base]\naws_access_key_id = B\n"
                     "aws_secret_access_key = b\n");
  set({});
  cloud_.http.answer = [](const net::HttpRequest&) { return http_answer(200, kRoleAnswer); };
  const auto lent = chain();
  EXPECT_EQ(lent->get().access_key_id, "R");
  EXPECT_EQ(lent->get().session_token, Secret("rt"));
  ASSERT_EQ(cloud_.http.requests.size(), 1u);
  const net::HttpRequest& request = cloud_.http.requests[0];
  EXPECT_EQ(request.url, "https://sts.eu-west-1.amazonaws.com/");
  EXPECT_EQ(request.body,
            "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr&"
            "RoleSessionName=tidemark&ExternalId=x");
  EXPECT_THAT(std::string(*request.credentials.find("Authorization")),
              HasSubstr("Credential=B/20260101/eu-west-1/sts/"));
  cloud_.clock.advance(std::chrono::minutes(54));
  lent->get();
  EXPECT_EQ(cloud_.http.requests.size(), 1u);
  cloud_.clock.advance(std::chrono::minutes(1));
  lent->get();
  EXPECT_EQ(cloud_.http.requests.size(), 2u);

  cloud_.http.answer = [](const net::HttpRequest&) {
    return http_answer(403,
                       "<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>");
  };
  EXPECT_THAT(error_text(), HasSubstr("role/r: status 403 AccessDenied"));
}

TEST_F(AwsLogins, ByWebIdentityNeedNoKeys) {
  os::write_new_file(directory_ / "token", "jwt");
  set({{"AWS_WEB_IDENTITY_TOKEN_FILE", (directory_ / "token").native()},
       {"AWS_ROLE_ARN", "arn:r"},
       {"AWS_ENDPOINT_URL_STS", "http://sts"}});
  cloud_.http.answer = [](const net::HttpRequest&) { return http_answer(200, kRoleAnswer); };
  EXPECT_EQ(get().access_key_id, "R");
  const net::HttpRequest& request = cloud_.http.requests.at(0);
  EXPECT_EQ(request.url, "http://sts/");
  EXPECT_THAT(request.body, HasSubstr("Action=AssumeRoleWithWebIdentity"));
  EXPECT_THAT(request.body, HasSubstr("WebIdentityToken=jwt"));
  EXPECT_TRUE(request.credentials.empty());
}

constexpr const char* kKeys =
    R"({"Code": "Success", "AccessKeyId": "M", "SecretAccessKey": "m", "Token": "mt",
        "Expiration": "2026-01-01T06:00:00Z"})";

TEST_F(AwsLogins, ByContainerAskItsService) {
  os::write_new_file(directory_ / "token", "Bearer x\n");
  cloud_.metadata_http.answer = [](const net::HttpRequest&) { return http_answer(200, kKeys); };
  set({{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/x"}});
  EXPECT_EQ(get().access_key_id, "M");
  EXPECT_EQ(cloud_.metadata_http.requests[0].url, "http://169.254.170.2/v2/x");
  set({{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.23/v1/credentials"},
       {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", (directory_ / "token").native()}});
  EXPECT_EQ(get().session_token, Secret("mt"));
  EXPECT_EQ(cloud_.metadata_http.requests[1].credentials.find("Authorization"), "Bearer x");
  set({{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://elsewhere.example/"}});
  EXPECT_THAT(error_text(), HasSubstr("neither https nor an address of this host"));
  EXPECT_EQ(cloud_.metadata_http.requests.size(), 2u);
}

TEST_F(AwsLogins, ByInstanceAskItsMetadataService) {
  cloud_.metadata_http.answer = [](const net::HttpRequest& request) {
    if (request.method == "PUT") return http_answer(200, "imds-token");
    if (request.credentials.find("X-aws-ec2-metadata-token") != "imds-token") {
      return http_answer(401);
    }
    return http_answer(200, request.url.ends_with("/my-role") ? kKeys : "my-role");
  };
  set({});
  EXPECT_EQ(get().access_key_id, "M");
  EXPECT_EQ(cloud_.metadata_http.requests[0].url, "http://169.254.169.254/latest/api/token");
  set({{"AWS_EC2_METADATA_DISABLED", "true"}});
  EXPECT_THAT(error_text(), HasSubstr("AWS_EC2_METADATA_DISABLED is set"));
}

}  // namespace
}  // namespace tidemark::blob
