// The store against Azurite, which tests/servers/start-azure.sh has started and which verifies
// Shared Key and shared access signatures.
#include <gmock/gmock.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/error.h"
#include "tidemark/base/hash.h"
#include "tidemark/blob/azure_account.h"
#include "tidemark/blob/azure_signing.h"
#include "tidemark/blob/azure_store.h"
#include "tidemark/blob/conformance.h"
#include "tidemark/blob/test_cloud.h"
#include "tidemark/net/url.h"

namespace tidemark::blob {
namespace {

using testing::HasSubstr;
using testing::Not;

AzureSharedKey emulator_key() {
  return std::get<AzureSharedKey>(
      find_azure_account("", Secret("UseDevelopmentStorage=true")).credential);
}

std::string connection_string(const AzureSharedKey& key) {
  return "AccountName=" + key.account + ";AccountKey=" + base64_encode(key.key.reveal()) +
         ";BlobEndpoint=" + server_url("azure") + "/" + key.account;
}

// The right to do `permissions`:
// https://learn.microsoft.com/rest/api/storageservices/create-account-sas
std::string signature(const std::string& permissions) {
  const AzureSharedKey key = emulator_key();
  const std::string end = "2100-01-01T00:00:00Z";
  const std::string text =
      key.account + "\n" + permissions + "\nb\nsco\n\n" + end + "\n\nhttps,http\n2021-12-02\n\n";
  return net::encode_query({{"sv", "2021-12-02"},
                            {"ss", "b"},
                            {"srt", "sco"},
                            {"spr", "https,http"},
                            {"se", end},
                            {"sp", permissions},
                            {"sig", base64_encode(hmac_sha256(key.key.reveal(), text))}});
}

// A container that nobody has used before.
class Container {
 public:
  Container() {
    net::HttpRequest request{
        .method = "PUT",
        .url = server_url("azure") + "/devstoreaccount1/" + name + "?restype=container",
        .headers = {{"x-ms-version", "2021-12-02"}}};
    make_shared_key_signer(emulator_key())->sign(request, cloud.clock.now());
    EXPECT_EQ(cloud.http.send(request, cloud.cancellation).status, 201);
    cloud.http.requests = 0;
  }

  std::unique_ptr<BlobStore> open(const AzureSharedKey& key = emulator_key()) {
    return make_azure_store(
        {.container = name, .prefix = prefix, .connection_string = Secret(connection_string(key))},
        cloud.environment());
  }

  std::unique_ptr<BlobStore> open_by_signature(const std::string& permissions) {
    return make_azure_store({.container = name,
                             .prefix = prefix,
                             .storage_account_url = server_url("azure") + "/devstoreaccount1?" +
                                                    signature(permissions)},
                            cloud.environment());
  }

  RealCloud cloud;
  std::string name = "tidemark-" + random_hex(cloud.random, 8);
  std::string prefix = "elt/prod";
};

Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::kInternal, "no error"};
}

class AzureServer : public testing::TestWithParam<Check> {};

TEST_P(AzureServer, Conforms) {
  Container container;
  GetParam().run([&] { return container.open(); });
}

INSTANTIATE_TEST_SUITE_P(Blob, AzureServer, testing::ValuesIn(conformance_checks()), name_of_check);

TEST(AzureServer, SeesNothingOutsideOfThePrefix) {
  Container container;
  const auto store = container.open();
  store->put("a/lock", "1", Always{});
  container.prefix = "elt/prod2";
  container.open()->put("z/lock", "1", Always{});
  container.prefix = "elt/prod";
  std::vector<std::string> keys;
  container.open()->list({}, [&](std::string_view key) { keys.emplace_back(key); });
  EXPECT_THAT(keys, testing::ElementsAre("a/lock"));
}

TEST(AzureServer, EachCallIsOneRequest) {
  Container container;
  const auto store = container.open();
  store->put("a/state.json", "1", IfAbsent{});
  EXPECT_EQ(container.cloud.http.requests, 1);
  store->get("a/state.json");
  EXPECT_EQ(container.cloud.http.requests, 2);
  store->get("b/state.json");
  EXPECT_EQ(container.cloud.http.requests, 3);
  store->list({}, [](std::string_view) {});
  EXPECT_EQ(container.cloud.http.requests, 4);
  store->remove("a/state.json", Always{});
  EXPECT_EQ(container.cloud.http.requests, 5);
}

TEST(AzureServer, ASignatureIsTheRightToWhatItNames) {
  Container container;
  container.open()->put("a", "1", Always{});
  const auto reader = container.open_by_signature("rl");
  EXPECT_EQ(reader->get("a")->bytes, "1");
  int keys = 0;
  reader->list({}, [&](std::string_view) { ++keys; });
  EXPECT_EQ(keys, 1);
  const Error refused = error_of([&] { reader->put("a", "2", Always{}); });
  EXPECT_EQ(refused.code(), ErrorCode::kUnauthorized);
  EXPECT_THAT(refused.message(), HasSubstr("AuthorizationPermissionMismatch"));
  EXPECT_TRUE(container.open_by_signature("rwdlc")->put("a", "2", Always{}));
}

TEST(AzureServer, AWrongKeyIsUnauthorized) {
  Container container;
  AzureSharedKey key = emulator_key();
  key.key = Secret("hunter22");
  const Error refused = error_of([&] { container.open(key)->get("a"); });
  EXPECT_EQ(refused.code(), ErrorCode::kUnauthorized);
  EXPECT_THAT(refused.message(), Not(HasSubstr(base64_encode("hunter22"))));
}

TEST(AzureServer, AContainerThatIsNotThereIsNotFound) {
  Container container;
  container.name = "nowhere";
  const Error missing = error_of([&] { container.open()->get("a"); });
  EXPECT_EQ(missing.code(), ErrorCode::kNotFound);
  EXPECT_THAT(missing.message(), HasSubstr("ContainerNotFound"));
}

}  // namespace
}  // namespace tidemark::blob
