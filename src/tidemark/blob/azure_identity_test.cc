#include "tidemark/blob/azure_identity.h"

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/fake_cloud.h"
#include "tidemark/os/files.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::blob {
namespace {

using testing::HasSubstr;
using testing::Not;

net::HttpResponse give_token(const net::HttpRequest&) {
  return http_answer(200, R"({"access_token": "t", "expires_in": "3599"})");
}

class AzureIdentityTest : public testing::Test {
 protected:
  AzureIdentityTest() {
    cloud_.http.answer = give_token;
    cloud_.metadata_http.answer = give_token;
  }

  std::string token(os::Environment::Variables variables) {
    cloud_.variables = os::Environment(std::move(variables));
    return find_azure_identity(cloud_.environment())->fetch().text.reveal();
  }

  Error error(os::Environment::Variables variables) {
    try {
      (void)token(std::move(variables));
    } catch (const Error& error) {
      return error;
    }
    return {ErrorCode::kInternal, "no error"};
  }

  FakeCloud cloud_;
};

TEST_F(AzureIdentityTest, AServicePrincipalComesFirst) {
  EXPECT_EQ(token({{"AZURE_TENANT_ID", "tenant"},
                   {"AZURE_CLIENT_ID", "client"},
                   {"AZURE_CLIENT_SECRET", "hunter22"},
                   {"AZURE_FEDERATED_TOKEN_FILE", "/nowhere"},
                   {"IDENTITY_ENDPOINT", "http://nowhere"},
                   {"IDENTITY_HEADER", "x"}}),
            "t");
  const net::HttpRequest& request = cloud_.http.requests.at(0);
  EXPECT_EQ(describe(request), "POST https://login.microsoftonline.com/tenant/oauth2/v2.0/token");
  EXPECT_EQ(request.body,
            "grant_type=client_credentials&client_id=client&"
            "scope=https%3A%2F%2Fstorage.azure.com%2F.default&client_secret=hunter22");
}

TEST_F(AzureIdentityTest, AnAuthorityOfTheEnvironmentIsAsked) {
  for (const char* host : {"login.example", "https://login.example/"}) {
    token({{"AZURE_TENANT_ID", "a/b"},
           {"AZURE_CLIENT_ID", "client"},
           {"AZURE_CLIENT_SECRET", "s"},
           {"AZURE_AUTHORITY_HOST", host}});
    EXPECT_EQ(cloud_.http.requests.back().url, "https://login.example/a%2Fb/oauth2/v2.0/token");
  }
}

TEST_F(AzureIdentityTest, AWorkloadReadsItsTokenFileEachTime) {
  const os::TempDirectory directory;
  const os::Path file = directory / "token";
  os::write_new_file(file, "assertion1");
  cloud_.variables = os::Environment{{"AZURE_TENANT_ID", "tenant"},
                                     {"AZURE_CLIENT_ID", "client"},
                                     {"AZURE_FEDERATED_TOKEN_FILE", file.string()}};
  const auto source = find_azure_identity(cloud_.environment());
  source->fetch();
  os::remove_file(file);
  os::write_new_file(file, "assertion2");
  source->fetch();
  EXPECT_THAT(cloud_.http.requests.at(0).body,
              HasSubstr("client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type"
                        "%3Ajwt-bearer&client_assertion=assertion1"));
  EXPECT_THAT(cloud_.http.requests.at(1).body, HasSubstr("client_assertion=assertion2"));
}

TEST_F(AzureIdentityTest, AppServiceIsAskedWithItsHeader) {
  EXPECT_EQ(token({{"IDENTITY_ENDPOINT", "http://127.0.0.1:41/msi/token"},
                   {"IDENTITY_HEADER", "hunter22"},
                   {"AZURE_CLIENT_ID", "mine"}}),
            "t");
  const net::HttpRequest& request = cloud_.metadata_http.requests.at(0);
  EXPECT_EQ(request.url,
            "http://127.0.0.1:41/msi/token?api-version=2019-08-01&"
            "resource=https%3A%2F%2Fstorage.azure.com&client_id=mine");
  EXPECT_EQ(request.credentials.find("X-IDENTITY-HEADER"), "hunter22");
}

TEST_F(AzureIdentityTest, TheMachineIsAskedLast) {
  EXPECT_EQ(token({}), "t");
  const net::HttpRequest& request = cloud_.metadata_http.requests.at(0);
  EXPECT_EQ(request.url,
            "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&"
            "resource=https%3A%2F%2Fstorage.azure.com");
  EXPECT_EQ(request.headers.find("Metadata"), "true");
}

TEST_F(AzureIdentityTest, WithoutAnyTheErrorNamesWhatWasTried) {
  cloud_.metadata_http.answer = [](const net::HttpRequest&) -> net::HttpResponse {
    throw Error(ErrorCode::kTimeout, "GET http://169.254.169.254: no answer in time");
  };
  const Error missing = error({{"AZURE_CLIENT_SECRET", "hunter22"}});
  EXPECT_EQ(missing.code(), ErrorCode::kUnauthorized);
  for (const char* part : {"AZURE_TENANT_ID", "AZURE_FEDERATED_TOKEN_FILE", "IDENTITY_ENDPOINT",
                           "no answer in time", "shared access signature"}) {
    EXPECT_THAT(missing.message(), HasSubstr(part));
  }
  EXPECT_THAT(missing.message(), Not(HasSubstr("hunter22")));
}

TEST_F(AzureIdentityTest, ARefusalNamesTheServiceAndHidesTheSecret) {
  cloud_.http.answer = [](const net::HttpRequest&) {
    return http_answer(401, R"({"error": "invalid_client", "error_description": "hunter22"})");
  };
  const Error refusal = error({{"AZURE_TENANT_ID", "tenant"},
                               {"AZURE_CLIENT_ID", "client"},
                               {"AZURE_CLIENT_SECRET", "hunter22"}});
  EXPECT_EQ(refusal.code(), ErrorCode::kUnauthorized);
  EXPECT_THAT(refusal.message(), HasSubstr("invalid_client"));
  EXPECT_THAT(refusal.message(), Not(HasSubstr("hunter22")));
}

TEST_F(AzureIdentityTest, OtherLoginsAreNamed) {
  const std::pair<os::Environment::Variables, const char*> cases[] = {
      {{{"AZURE_TENANT_ID", "t"}, {"AZURE_CLIENT_ID", "c"}, {"AZURE_CLIENT_CERTIFICATE_PATH", "p"}},
       "AZURE_CLIENT_CERTIFICATE_PATH"},
      {{{"AZURE_TENANT_ID", "t"},
        {"AZURE_CLIENT_ID", "c"},
        {"AZURE_USERNAME", "u"},
        {"AZURE_PASSWORD", "p"}},
       "AZURE_USERNAME"},
      {{{"IDENTITY_ENDPOINT", "e"}, {"IMDS_ENDPOINT", "i"}}, "Azure Arc"},
      {{{"IDENTITY_ENDPOINT", "e"}, {"IDENTITY_HEADER", "h"}, {"IDENTITY_SERVER_THUMBPRINT", "x"}},
       "Service Fabric"},
      {{{"MSI_ENDPOINT", "e"}}, "MSI_ENDPOINT"}};
  for (const auto& [variables, expected] : cases) {
    const Error refusal = error(variables);
    EXPECT_EQ(refusal.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(refusal.message(), HasSubstr(expected));
  }
}

}  // namespace
}  // namespace tidemark::blob
