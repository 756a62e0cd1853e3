#include "tidemark/blob/azure_store.h"

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/fake_cloud.h"

namespace tidemark::blob {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr const char* kSas = "https://acme.blob.core.windows.net?sv=1&sig=hunter22";

class AzureStoreTest : public testing::Test {
 protected:
  std::unique_ptr<BlobStore> open(const std::string& url = kSas) {
    return make_azure_store({.container = "box", .prefix = "p", .storage_account_url = url},
                            cloud_.environment());
  }

  void answer(const Canned& canned) {
    cloud_.http.answer = [canned](const net::HttpRequest&) { return canned(); };
  }

  static Canned refusal(int status, const std::string& code) {
    return Canned{status,
                  "\xEF\xBB\xBF<?xml version=\"1.0\"?><Error><Code>" + code +
                      "</Code><Message>What happened with hunter22.\nRequestId:1\nTime:2"
                      "</Message><AuthenticationErrorDetail>detail</AuthenticationErrorDetail>"
                      "</Error>",
                  {{"x-ms-error-code", code}}};
  }

  Error error(const std::function<void(BlobStore&)>& call) {
    const auto store = open();
    try {
      call(*store);
    } catch (const Error& error) {
      return error;
    }
    return {ErrorCode::kInternal, "no error"};
  }

  FakeCloud cloud_;
};

TEST_F(AzureStoreTest, ABackslashIsTheSlashThatTheServiceTakesItFor) {
  answer(Canned{200, "bytes", {{"ETag", "\"1\""}}});
  open()->get("a\\b/state.json");
  EXPECT_THAT(describe(cloud_.http.requests[0]), HasSubstr("/box/p/a/b/state.json"));
  const Error refused = error([](BlobStore& store) { store.get("a\\..\\b"); });
  EXPECT_EQ(refused.code(), ErrorCode::kInvalid);
  EXPECT_THAT(cloud_.http.requests, SizeIs(1));
}

TEST_F(AzureStoreTest, EachCallIsOneRequest) {
  const auto store = open();
  answer(Canned{200, "bytes", {{"ETag", "\"1\""}, {"Content-Length", "5"}}});
  EXPECT_EQ(store->get("a b/state.json")->version.text, "\"1\"");
  EXPECT_EQ(store->stat("a")->size, 5u);
  EXPECT_EQ(store->put("a", "1", IfMatch{{"\"1\""}})->text, "\"1\"");
  EXPECT_TRUE(store->remove("a", IfMatch{{"\"1\""}}));
  const auto& requests = cloud_.http.requests;
  ASSERT_THAT(requests, SizeIs(4));
  EXPECT_EQ(describe(requests[0]),
            "GET https://acme.blob.core.windows.net/box/p/a%20b/state.json?sv=1&sig=***");
  EXPECT_EQ(requests[1].method, "HEAD");
  EXPECT_EQ(requests[2].method, "PUT");
  EXPECT_EQ(requests[2].headers.find("x-ms-blob-type"), "BlockBlob");
  EXPECT_EQ(requests[2].headers.find("If-Match"), "\"1\"");
  EXPECT_EQ(requests[3].method, "DELETE");
  for (const auto& request : requests) EXPECT_TRUE(request.headers.find("x-ms-version"));
}

TEST_F(AzureStoreTest, OnlyAConditionalWriteIsNotRepeated) {
  const auto store = open();
  answer(Canned{200, "", {{"ETag", "\"1\""}}});
  store->get("a");
  store->put("a", "1", Always{});
  store->put("a", "1", IfAbsent{});
  store->remove("a", Always{});
  store->remove("a", IfMatch{{"\"1\""}});
  std::vector<bool> repeatable;
  repeatable.reserve(cloud_.http.requests.size());
  for (const auto& request : cloud_.http.requests) repeatable.push_back(request.is_repeatable);
  EXPECT_THAT(repeatable, ElementsAre(true, true, false, true, false));
}

TEST_F(AzureStoreTest, AConditionThatDidNotHoldIsNoError) {
  const auto store = open();
  answer(refusal(409, "BlobAlreadyExists"));
  EXPECT_FALSE(store->put("a", "1", IfAbsent{}));
  answer(refusal(412, "ConditionNotMet"));
  EXPECT_FALSE(store->put("a", "1", IfMatch{{"\"1\""}}));
  EXPECT_THAT(cloud_.http.requests, SizeIs(2));
}

TEST_F(AzureStoreTest, TellsAMissingBlobFromAMissingContainer) {
  const auto store = open();
  answer(refusal(404, "BlobNotFound"));
  EXPECT_FALSE(store->get("a"));
  EXPECT_FALSE(store->stat("a"));
  EXPECT_TRUE(store->remove("a", Always{}));
  answer(refusal(404, "ContainerNotFound"));
  EXPECT_EQ(error([](BlobStore& s) { s.get("a"); }).code(), ErrorCode::kNotFound);
  EXPECT_EQ(error([](BlobStore& s) { s.stat("a"); }).code(), ErrorCode::kNotFound);
  EXPECT_EQ(error([](BlobStore& s) { s.put("a", "1", Always{}); }).code(), ErrorCode::kNotFound);
  EXPECT_EQ(error([](BlobStore& s) { s.remove("a", Always{}); }).code(), ErrorCode::kNotFound);
  EXPECT_EQ(error([](BlobStore& s) { s.list({}, [](auto) {}); }).code(), ErrorCode::kNotFound);
}

TEST_F(AzureStoreTest, AnErrorNamesStoreOperationKeyAndCodeButNoSecret) {
  answer(refusal(403, "AuthenticationFailed"));
  const Error refused = error([](BlobStore& s) { s.put("a/lock", "1", Always{}); });
  EXPECT_EQ(refused.code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(refused.message(),
            "put 'a/lock' in azure://box/p: status 403 AuthenticationFailed: What happened with "
            "***.");
}

TEST_F(AzureStoreTest, EveryRefusalHasItsKind) {
  const std::pair<Canned, ErrorCode> cases[] = {
      {refusal(400, "InvalidResourceName"), ErrorCode::kInvalid},
      {Canned{401}, ErrorCode::kUnauthorized},
      {refusal(403, "AuthorizationPermissionMismatch"), ErrorCode::kUnauthorized},
      {refusal(409, "ContainerBeingDeleted"), ErrorCode::kConflict},
      {refusal(412, "LeaseIdMissing"), ErrorCode::kLocked},
      {Canned{429}, ErrorCode::kUnavailable},
      {refusal(500, "InternalError"), ErrorCode::kUnavailable},
      {Canned{502, "<html><p>bad gateway"}, ErrorCode::kUnavailable},
      {refusal(503, "ServerBusy"), ErrorCode::kUnavailable},
      {Canned{200}, ErrorCode::kCorrupt}};  // without an ETag
  for (const auto& [response, code] : cases) {
    answer(response);
    EXPECT_EQ(error([](BlobStore& s) { s.get("a"); }).code(), code) << response.status;
    EXPECT_EQ(error([](BlobStore& s) { s.put("a", "1", IfAbsent{}); }).code(), code)
        << response.status;
  }
}

TEST_F(AzureStoreTest, AConnectionThatEndsIsUnavailable) {
  cloud_.http.answer = [](const net::HttpRequest& request) -> net::HttpResponse {
    throw Error(ErrorCode::kUnavailable, describe(request) + ": connection reset");
  };
  const Error reset = error([](BlobStore& s) { s.put("a", "1", IfAbsent{}); });
  EXPECT_EQ(reset.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(reset.message(), HasSubstr("put 'a' in azure://box/p"));
  EXPECT_THAT(reset.message(), Not(HasSubstr("hunter22")));
  EXPECT_THAT(cloud_.http.requests, SizeIs(1));
}

TEST_F(AzureStoreTest, AListingGoesByMarkersAndIsSorted) {
  const auto store = open();
  cloud_.http.answer = [](const net::HttpRequest& request) {
    const bool is_second = request.url.find("marker=m%2F1") != std::string::npos;
    return http_answer(
        200, is_second ? "<EnumerationResults><Blobs>"
                         "<Blob><Name>p/a-b/lock</Name></Blob>"
                         "<Blob><Name Encoded=\"true\">p/%EF%BF%BE</Name></Blob>"
                         "</Blobs><NextMarker/></EnumerationResults>"
                       : "<EnumerationResults><Blobs>"
                         "<Blob><Name>p/a</Name><Properties><ResourceType>directory</ResourceType>"
                         "</Properties></Blob>"
                         "<Blob><Name>p/a/lock</Name><Properties><ResourceType>file</ResourceType>"
                         "</Properties></Blob>"
                         "<Blob><Name>p/.tidemark/a</Name></Blob>"
                         "</Blobs><NextMarker>m/1</NextMarker></EnumerationResults>");
  };
  std::vector<std::string> keys;
  store->list({.skipped = ".tidemark/"}, [&](std::string_view key) { keys.emplace_back(key); });
  EXPECT_THAT(keys, ElementsAre("a-b/lock", "a/lock", "\xEF\xBF\xBE"));
  ASSERT_THAT(cloud_.http.requests, SizeIs(2));
  EXPECT_THAT(cloud_.http.requests[0].url,
              HasSubstr("/box?restype=container&comp=list&prefix=p%2F"));
}

TEST_F(AzureStoreTest, APageThatComesAgainEndsTheListing) {
  const std::string page =
      "<EnumerationResults><Blobs/><NextMarker>m</NextMarker></EnumerationResults>";
  answer(Canned{200, page});
  EXPECT_EQ(error([](BlobStore& s) { s.list({}, [](auto) {}); }).code(), ErrorCode::kCorrupt);
}

TEST_F(AzureStoreTest, TheIdentityOfTheHostIsUsedForABareUrl) {
  cloud_.variables = os::Environment{
      {"AZURE_TENANT_ID", "t"}, {"AZURE_CLIENT_ID", "c"}, {"AZURE_CLIENT_SECRET", "hunter22"}};
  cloud_.http.answer = [](const net::HttpRequest& request) {
    if (request.method == "POST") return http_answer(200, R"({"access_token": "token"})");
    const bool is_known = request.credentials.find("Authorization") == "Bearer token";
    return http_answer(is_known ? 200 : 401, "", {{"ETag", "\"1\""}});
  };
  EXPECT_TRUE(open("https://acme.blob.core.windows.net")->get("a"));
  EXPECT_THAT(cloud_.http.requests, SizeIs(2));
}

TEST_F(AzureStoreTest, ATokenIsNotSentWhereItCanBeReadOnItsWay) {
  EXPECT_THROW(open("http://acme.blob.core.windows.net"), Error);
  EXPECT_THROW(open("http://localhost.example"), Error);
  EXPECT_NO_THROW(open("http://127.0.0.1:10000/devstoreaccount1"));
}

TEST_F(AzureStoreTest, AClockThatIsOffIsCorrectedOnce) {
  const auto store = make_azure_store(
      {.container = "box", .connection_string = Secret("AccountName=acme;AccountKey=a2V5IQ==")},
      cloud_.environment());
  cloud_.http.answer = [](const net::HttpRequest& request) {
    const net::Headers headers = {{"Date", "Thu, 01 Jan 2026 01:00:00 GMT"}, {"ETag", "\"1\""}};
    const bool is_right = request.headers.find("x-ms-date") == "Thu, 01 Jan 2026 01:00:00 GMT";
    return http_answer(is_right ? 200 : 403, "", headers);
  };
  EXPECT_TRUE(store->put("a", "1", IfAbsent{}));
  EXPECT_TRUE(store->put("b", "1", IfAbsent{}));
  EXPECT_THAT(cloud_.http.requests, SizeIs(3));
}

}  // namespace
}  // namespace tidemark::blob
