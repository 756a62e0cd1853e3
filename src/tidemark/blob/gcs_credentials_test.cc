#include "tidemark/blob/gcs_credentials.h"

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/fake_cloud.h"
#include "tidemark/json/write.h"
#include "tidemark/os/files.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::blob {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

// Made for this test; opens nothing.
constexpr const char* kPrivateKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIICeQIBADANBgkqhkiG9w0BAQEFAASCAmMwggJfAgEAAoGBAMeM+dweoXiGa/XA\n"
    "bc9qfU1T5RHvFnWvc/yStNazOyiYHlsEBkfMPecTUaUasyediAXifUucz47Ytywt\n"
    "5Z9nVy/dV9zTkCKsuHwnOaLQxK625oV4M2tg3+np789XEJtfjQhbtusEW5YzqoJ+\n"
    "DcB50Um1PhylByl7gZsQaZ+1c5u9AgMBAAECgYEAh6Og1umPMkCUs7f4LEujHmPP\n"
    "ShBtANOhEGacO3Aa3y3/PDiRGE6RKTetgH+UlXHz2qQoLLRLNTrDz2jnMyHoVXJi\n"
    "m3rSO5PpPcV94KnLdpTlblgLtXsNyJDU7HwRqs2NYsitzWyjrlecqQ328xm10xKF\n"
    "/rYq3r398TAbQZYmd+ECQQDkmIYWxmDJ4CpmNK+lGUY2a4xn3rKaDDs0BJcpQqMP\n"
    "eGDAe1INyH2ISDVKVXnvaW4N/FR2ZPO41vbEN6gEzF2VAkEA33kS/4hLQV5P6SsG\n"
    "4j+dTQSrTUrD8aZq5rwMY4kkWsS+jvi9RjfSLaO66NEZ4QJt5+bSO3Z3YhsdrhOs\n"
    "KIeriQJBAKuAAplzm4nZM/YZ8OzcWWDaryv+V+Ba7M/J4d6Cr/MbTPsbiiPtFsD3\n"
    "64MpPaHwZzD27ick9fTm0ZvEZbmz2UECQQDDMeIiSU5SfqqWI/sTTDV9vIJUNOYK\n"
    "AS6G8+JuXq/eiNNZ1nKdDs0LCGSOT3anT5PoZ3libwvAKac3Ef/iNv7hAkEA1Id+\n"
    "HP+fy1Ix1mRoxMYQDldGBYHs1kEPUQw8LbTQszumSOIfhLWOeTBbOglqE2iGwbZn\n"
    "ahlrsgaYmSXgQueTvg==\n"
    "-----END PRIVATE KEY-----\n";
// The claim of kServiceAccount at the start of 2026, made with Python and signed with it by
// openssl dgst -sha256 -sign.
constexpr std::string_view kSignedClaim =
    "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJ3cml0ZXJAcHJvamVjdC5pYW0uZ3NlcnZpY2VhY2Nvd"
    "W50LmNvbSIsInNjb3BlIjoiaHR0cHM6Ly93d3cuZ29vZ2xlYXBpcy5jb20vYXV0aC9kZXZzdG9yYWdlLnJlYWRfd3J"
    "pdGUiLCJhdWQiOiJodHRwczovL29hdXRoMi5nb29nbGVhcGlzLmNvbS90b2tlbiIsImlhdCI6MTc2NzIyNTYwMCwiZ"
    "XhwIjoxNzY3MjI5MjAwfQ.xH2jVpoyupuFV1eVHetFAyXs1UPqRzbnULquisyv8yKTFyDNsisk4yPirtrjqRk510SN"
    "k-t2ooNFWaY90qjaPhX_RCMltb_l3pO5n2enriYICsS_aBXqOZtk60K3O-f11gGjc_UGGnlGWd7q_enf9CmtnSDdz8"
    "1s3MzK5GXe8mw";
constexpr std::string_view kToken = R"({"access_token": "t", "expires_in": 3599})";

json::Object service_account() {
  return {{"type", "service_account"},
          {"client_email", "writer@project.iam.gserviceaccount.com"},
          {"private_key", kPrivateKey},
          {"token_uri", "https://oauth2.googleapis.com/token"}};
}

json::Object login() {
  return {{"type", "authorized_user"},
          {"client_id", "client"},
          {"client_secret", "hunter22"},
          {"refresh_token", "1//refresh"}};
}

class GcsCredentialsTest : public testing::Test {
 protected:
  GcsCredentialsTest() {
    cloud_.variables = os::Environment{{"HOME", directory_.path().string()}};
    cloud_.http.answer = [](const net::HttpRequest&) { return http_answer(200, kToken); };
  }

  std::string file(std::string_view name, const json::Value& content) {
    const os::Path path = directory_ / name;
    os::make_directories(path.parent_path());
    os::write_new_file(path, json::write(content));
    return path.string();
  }

  std::string token(const GcsCredentials& credentials = {}) {
    return find_gcs_credentials(credentials, cloud_.environment())->fetch().text.reveal();
  }

  Error error(const GcsCredentials& credentials = {}) {
    try {
      (void)token(credentials);
    } catch (const Error& error) {
      return error;
    }
    return {ErrorCode::kInternal, "no error"};
  }

  // The form of a request, by name.
  std::string field(size_t request, std::string_view name) const {
    for (const auto& [field, value] :
         net::query_params("?" + cloud_.http.requests.at(request).body)) {
      if (field == name) return value;
    }
    return "";
  }

  os::TempDirectory directory_;
  FakeCloud cloud_;
};

TEST_F(GcsCredentialsTest, AServiceAccountSignsItsClaim) {
  const Secret text(json::write(service_account()));
  EXPECT_EQ(token({.application_credentials_json = text}), "t");
  const net::HttpRequest& request = cloud_.http.requests.at(0);
  EXPECT_EQ(describe(request), "POST https://oauth2.googleapis.com/token");
  EXPECT_EQ(field(0, "grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
  EXPECT_EQ(field(0, "assertion"), kSignedClaim);
  EXPECT_FALSE(request.follows_redirects);
}

TEST_F(GcsCredentialsTest, AClaimIsSignedAgainByTheServicesClock) {
  cloud_.clock.advance(std::chrono::hours(2));
  cloud_.http.answer = [&](const net::HttpRequest&) {
    const net::Headers date = {{"Date", "Thu, 01 Jan 2026 00:00:00 GMT"}};
    return cloud_.http.requests.size() == 1
               ? http_answer(400, R"({"error": "invalid_grant"})", date)
               : http_answer(200, kToken, date);
  };
  EXPECT_EQ(token({.application_credentials_path = file("key.json", service_account())}), "t");
  EXPECT_NE(field(0, "assertion"), kSignedClaim);
  EXPECT_EQ(field(1, "assertion"), kSignedClaim);
}

TEST_F(GcsCredentialsTest, ARefusedClaimIsNotSignedAgainWhileTheClocksAgree) {
  cloud_.http.answer = [](const net::HttpRequest&) {
    return http_answer(400, R"({"error": "invalid_grant"})",
                       {{"Date", "Thu, 01 Jan 2026 00:00:30 GMT"}});
  };
  const Error refusal = error({.application_credentials_path = file("k", service_account())});
  EXPECT_EQ(refusal.code(), ErrorCode::kUnauthorized);
  EXPECT_THAT(refusal.message(), HasSubstr("invalid_grant"));
  EXPECT_EQ(cloud_.http.requests.size(), 1u);
}

TEST_F(GcsCredentialsTest, ALoginSendsItsRefreshToken) {
  cloud_.variables = os::Environment{{"GOOGLE_APPLICATION_CREDENTIALS", file("login", login())}};
  EXPECT_EQ(token(), "t");
  EXPECT_EQ(field(0, "grant_type"), "refresh_token");
  EXPECT_EQ(field(0, "refresh_token"), "1//refresh");
  EXPECT_EQ(field(0, "client_secret"), "hunter22");
}

TEST_F(GcsCredentialsTest, ARefusedLoginShowsNoSecret) {
  cloud_.http.answer = [](const net::HttpRequest&) {
    return http_answer(400, "what is 1//refresh with hunter22?");
  };
  EXPECT_THAT(error({.application_credentials_path = file("login", login())}).message(),
              HasSubstr("status 400: what is *** with ***?"));
}

TEST_F(GcsCredentialsTest, GcloudsLoginIsFoundWhereGcloudPutsIt) {
  file(".config/gcloud/application_default_credentials.json", login());
  EXPECT_EQ(token(), "t");
  cloud_.variables = os::Environment{{"CLOUDSDK_CONFIG", directory_.path() / "elsewhere"}};
  file("elsewhere/application_default_credentials.json", login());
  EXPECT_EQ(token(), "t");
  EXPECT_EQ(cloud_.http.requests.size(), 2u);
}

TEST_F(GcsCredentialsTest, TheMetadataServerComesLast) {
  cloud_.metadata_http.answer = [](const net::HttpRequest& request) {
    EXPECT_EQ(request.headers.find("Metadata-Flavor"), "Google");
    return http_answer(200, kToken);
  };
  EXPECT_EQ(token(), "t");
  EXPECT_EQ(cloud_.metadata_http.requests.at(0).url,
            "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/"
            "token");
}

TEST_F(GcsCredentialsTest, WithoutAnyTheErrorNamesWhatWasTried) {
  cloud_.metadata_http.answer = [](const net::HttpRequest&) -> net::HttpResponse {
    throw Error(ErrorCode::kUnavailable, "GET http://metadata: no such host");
  };
  const Error missing = error();
  EXPECT_EQ(missing.code(), ErrorCode::kUnauthorized);
  for (const char* part :
       {"application_credentials_json", "application_credentials_path",
        "GOOGLE_APPLICATION_CREDENTIALS", "application_default_credentials.json", "no such host"}) {
    EXPECT_THAT(missing.message(), HasSubstr(part));
  }
}

TEST_F(GcsCredentialsTest, AnotherProvidersTokenIsExchangedAndThenImpersonates) {
  const json::Object external{
      {"type", "external_account"},
      {"audience", "//iam.googleapis.com/pool"},
      {"subject_token_type", "urn:ietf:params:oauth:token-type:jwt"},
      {"token_url", "https://sts.googleapis.com/v1/token"},
      {"service_account_impersonation_url", "https://iam.example/generateAccessToken"},
      {"credential_source",
       json::Object{
           {"url", "https://ci.example/token"},
           {"headers", json::Object{{"Authorization", "bearer ci"}}},
           {"format", json::Object{{"type", "json"}, {"subject_token_field_name", "value"}}}}}};
  cloud_.http.answer = [](const net::HttpRequest& request) {
    if (request.url == "https://ci.example/token")
      return http_answer(200, R"({"value": "subject"})");
    if (request.url == "https://sts.googleapis.com/v1/token") return http_answer(200, kToken);
    return http_answer(200, R"({"accessToken": "theirs", "expireTime": "2026-01-01T01:00:00Z"})");
  };
  const auto source = find_gcs_credentials(
      {.application_credentials_path = file("external", external)}, cloud_.environment());
  const AccessToken token = source->fetch();
  EXPECT_EQ(token.text.reveal(), "theirs");
  EXPECT_EQ(token.lifetime, seconds(3600));
  EXPECT_EQ(cloud_.http.requests.at(0).credentials.find("Authorization"), "bearer ci");
  EXPECT_EQ(field(1, "subject_token"), "subject");
  EXPECT_EQ(field(1, "audience"), "//iam.googleapis.com/pool");
  EXPECT_EQ(field(1, "scope"), "https://www.googleapis.com/auth/cloud-platform");
  EXPECT_EQ(cloud_.http.requests.at(2).credentials.find("Authorization"), "Bearer t");
  EXPECT_THAT(cloud_.http.requests.at(2).body, HasSubstr("devstorage.read_write"));
}

TEST_F(GcsCredentialsTest, RefusesWhatMeltanoRefuses) {
  EXPECT_EQ(
      error({.application_credentials_json = Secret("{}"), .application_credentials_path = "x"})
          .message(),
      "Provide only one of 'application_credentials_path' or "
      "'application_credentials_json', not both.");
  const Error bad = error({.application_credentials_json = Secret(R"({"private_key": hunter22)")});
  EXPECT_EQ(bad.code(), ErrorCode::kInvalid);
  EXPECT_THAT(bad.message(), HasSubstr("Invalid JSON in application_credentials_json: "));
  EXPECT_THAT(bad.message(), Not(HasSubstr("hunter22")));
}

TEST_F(GcsCredentialsTest, NamesWhatACredentialFileLacks) {
  EXPECT_THAT(error({.application_credentials_json = Secret("{}")}).message(),
              HasSubstr("client_email"));
  const Error other =
      error({.application_credentials_json = Secret(R"({"type": "gdch_service_account"})")});
  EXPECT_EQ(other.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(other.message(), HasSubstr("gdch_service_account"));
  EXPECT_EQ(error({.application_credentials_path = "/nowhere/key.json"}).code(),
            ErrorCode::kNotFound);
  json::Object abroad = service_account();
  abroad.set("universe_domain", "example.goog");
  EXPECT_EQ(error({.application_credentials_path = file("abroad", abroad)}).code(),
            ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace tidemark::blob
