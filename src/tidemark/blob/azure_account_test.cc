#include "tidemark/blob/azure_account.h"

#include <gmock/gmock.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/error.h"

namespace tidemark::blob {
namespace {

using testing::HasSubstr;
using testing::Not;

AzureAccount of_string(const std::string& text) { return find_azure_account("", Secret(text)); }

std::string key_of(const AzureAccount& account) {
  const auto& key = std::get<AzureSharedKey>(account.credential);
  return key.account + ":" + base64_encode(key.key.reveal());
}

std::string sas_of(const AzureAccount& account) {
  return std::get<AzureSas>(account.credential).query.reveal();
}

TEST(AzureAccount, IsMadeOfTheFieldsOfAConnectionString) {
  const AzureAccount account = of_string(
      "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=a2V5IQ==;"
      "EndpointSuffix=core.chinacloudapi.cn");
  EXPECT_EQ(account.endpoint, "https://acme.blob.core.chinacloudapi.cn");
  EXPECT_EQ(key_of(account), "acme:a2V5IQ==");
  EXPECT_EQ(of_string("accountname=acme; ;ACCOUNTKEY=a2V5IQ==;").endpoint,
            "https://acme.blob.core.windows.net");
  EXPECT_EQ(of_string("BlobEndpoint=http://127.0.0.1:1/acme/;AccountName=acme;AccountKey=a2V5IQ==")
                .endpoint,
            "http://127.0.0.1:1/acme");
}

TEST(AzureAccount, TakesASignatureWhereverItStands) {
  const std::string sas = "sv=2021-12-02&sp=rw&sig=a%2Bb%3D";
  EXPECT_EQ(sas_of(of_string("BlobEndpoint=https://acme.blob.core.windows.net/;"
                             "SharedAccessSignature=" +
                             sas)),
            sas);
  EXPECT_EQ(sas_of(of_string("AccountName=acme;SharedAccessSignature=?" + sas)), sas);
  const AzureAccount account =
      find_azure_account("https://acme.blob.core.windows.net/?" + sas, Secret("ignored"));
  EXPECT_EQ(sas_of(account), sas);
  EXPECT_EQ(account.endpoint, "https://acme.blob.core.windows.net");
}

TEST(AzureAccount, AUrlAloneMeansTheIdentityOfTheHost) {
  const AzureAccount account =
      find_azure_account("https://acme.blob.core.windows.net", Secret("AccountName=other"));
  EXPECT_TRUE(std::holds_alternative<AzureIdentity>(account.credential));
}

TEST(AzureAccount, KnowsTheEmulator) {
  const AzureAccount account = of_string("UseDevelopmentStorage=true");
  EXPECT_EQ(account.endpoint, "http://127.0.0.1:10000/devstoreaccount1");
  EXPECT_THAT(key_of(account), HasSubstr("devstoreaccount1:Eby8vdM02x"));
  EXPECT_EQ(
      of_string("UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://azurite").endpoint,
      "http://azurite:10000/devstoreaccount1");
}

TEST(AzureAccount, SaysWhatIsWrongAndShowsNoValue) {
  const std::pair<const char*, const char*> cases[] = {
      {"hunter22", "name=value"},
      {"AccountKey=hunter22", "BlobEndpoint nor AccountName"},
      {"AccountName=acme;AccountKey=hunter22!", "not base64"},
      {"AccountName=acme", "neither AccountKey nor SharedAccessSignature"},
      {"BlobEndpoint=hunter22;AccountName=a;AccountKey=a2V5IQ==", "no URL"},
      {"BlobEndpoint=https://a:hunter22@b;AccountName=a;AccountKey=a2V5IQ==", "no URL"},
      {"", "requires a connection string or an account URL to use host credentials"}};
  for (const auto& [text, expected] : cases) {
    try {
      (void)of_string(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalid);
      EXPECT_THAT(error.message(), HasSubstr(expected));
      EXPECT_THAT(error.message(), Not(HasSubstr("hunter22")));
    }
  }
}

}  // namespace
}  // namespace tidemark::blob
