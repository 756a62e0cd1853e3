#include "tidemark/blob/gcs_store.h"

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/fake_cloud.h"
#include "tidemark/net/url.h"

namespace tidemark::blob {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kLogin =
    R"({"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"})";

// Asked of Google itself, with a token that is there already.
class GcsStoreTest : public testing::Test {
 protected:
  std::unique_ptr<BlobStore> open() {
    return make_gcs_store({.bucket = "box",
                           .prefix = "p",
                           .credentials = {.application_credentials_json = Secret(kLogin)}},
                          cloud_.environment());
  }

  void answer(FakeHttp::Answer answer) {
    cloud_.http.answer = [this, answer = std::move(answer)](const net::HttpRequest& request) {
      if (request.url != "https://oauth2.googleapis.com/token") return answer(request);
      cloud_.http.requests.pop_back();
      return http_answer(200, R"({"access_token": "hunter22", "expires_in": 3599})");
    };
  }
  void answer(const Canned& canned) {
    answer([canned](const net::HttpRequest&) { return canned(); });
  }

  static Canned refusal(int status, const std::string& reason, const std::string& message) {
    return Canned{status, R"({"error": {"code": 1, "message": ")" + message +
                              R"(", "errors": [{"reason": ")" + reason + R"("}]}})"};
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

TEST_F(GcsStoreTest, EachCallIsOneRequest) {
  const auto store = open();
  answer(Canned{200, R"({"size": "5", "generation": "7"})", {{"x-goog-generation", "7"}}});
  EXPECT_EQ(store->get("a b/state.json")->version.text, "7");
  EXPECT_EQ(store->stat("a"), (BlobInfo{.size = 5, .version = {"7"}}));
  EXPECT_EQ(store->put("a", "1", IfMatch{{"6"}})->text, "7");
  EXPECT_EQ(store->put("a", "1", IfAbsent{})->text, "7");
  EXPECT_TRUE(store->remove("a", IfMatch{{"7"}}));
  const auto& requests = cloud_.http.requests;
  ASSERT_THAT(requests, SizeIs(5));
  EXPECT_EQ(
      describe(requests[0]),
      "GET https://storage.googleapis.com/storage/v1/b/box/o/p%2Fa%20b%2Fstate.json?alt=media");
  EXPECT_EQ(describe(requests[2]),
            "POST https://storage.googleapis.com/upload/storage/v1/b/box/o?uploadType=media&"
            "name=p%2Fa&fields=generation&ifGenerationMatch=6");
  EXPECT_EQ(requests[2].headers.find("Content-Type"), "application/json");
  EXPECT_THAT(requests[3].url, HasSubstr("&ifGenerationMatch=0"));
  EXPECT_EQ(describe(requests[4]),
            "DELETE https://storage.googleapis.com/storage/v1/b/box/o/p%2Fa?ifGenerationMatch=7");
  for (const auto& request : requests) {
    EXPECT_EQ(request.credentials.find("Authorization"), "Bearer hunter22");
  }
  EXPECT_TRUE(store->capabilities().conditional_remove);
}

TEST_F(GcsStoreTest, OnlyAConditionalWriteIsNotRepeated) {
  const auto store = open();
  answer(Canned{200, R"({"generation": "7"})", {{"x-goog-generation", "7"}}});
  store->get("a");
  store->put("a", "1", Always{});
  store->put("a", "1", IfAbsent{});
  store->remove("a", Always{});
  store->remove("a", IfMatch{{"7"}});
  std::vector<bool> repeatable;
  repeatable.reserve(cloud_.http.requests.size());
  for (const auto& request : cloud_.http.requests) repeatable.push_back(request.is_repeatable);
  EXPECT_THAT(repeatable, ElementsAre(true, true, false, true, false));
}

TEST_F(GcsStoreTest, AConditionThatDidNotHoldIsNoError) {
  const auto store = open();
  answer(refusal(412, "conditionNotMet", "no"));
  EXPECT_FALSE(store->put("a", "1", IfAbsent{}));
  EXPECT_FALSE(store->put("a", "1", IfMatch{{"7"}}));
  EXPECT_THAT(cloud_.http.requests, SizeIs(2));
}

TEST_F(GcsStoreTest, ARemovalThatMatchesNothingIsDoneWhereNothingIsLeft) {
  bool is_there = true;
  answer([&](const net::HttpRequest& request) {
    if (request.method == "DELETE") return refusal(412, "conditionNotMet", "no")();
    return is_there ? http_answer(200, R"({"size": "5", "generation": "8"})")
                    : http_answer(404, "No such object: box/p/a");
  });
  const auto store = open();
  EXPECT_FALSE(store->remove("a", IfMatch{{"7"}}));
  is_there = false;
  EXPECT_TRUE(store->remove("a", IfMatch{{"7"}}));
}

TEST_F(GcsStoreTest, TellsAMissingObjectFromAMissingBucket) {
  const auto store = open();
  answer(Canned{404, "No such object: box/p/a"});
  EXPECT_FALSE(store->get("a"));
  answer(refusal(404, "notFound", "No such object: box/p/a"));
  EXPECT_FALSE(store->stat("a"));
  EXPECT_TRUE(store->remove("a", Always{}));
  EXPECT_THAT(cloud_.http.requests, SizeIs(3));
  answer(refusal(404, "notFound", "The specified bucket does not exist."));
  EXPECT_EQ(error([](BlobStore& s) { s.get("a"); }).code(), ErrorCode::kNotFound);
  EXPECT_EQ(error([](BlobStore& s) { s.put("a", "1", Always{}); }).code(), ErrorCode::kNotFound);
  EXPECT_EQ(error([](BlobStore& s) { s.remove("a", Always{}); }).code(), ErrorCode::kNotFound);
  EXPECT_EQ(error([](BlobStore& s) { s.list({}, [](auto) {}); }).code(), ErrorCode::kNotFound);
}

TEST_F(GcsStoreTest, AnAnswerThatDoesNotSayWhatIsMissingIsLookedInto) {
  answer(Canned{404, "Not Found"});
  EXPECT_EQ(error([](BlobStore& s) { s.get("a"); }).code(), ErrorCode::kNotFound);
  answer([](const net::HttpRequest& request) {
    const bool is_listing = request.url.find("maxResults") != std::string::npos;
    return is_listing ? http_answer(200, "{}") : http_answer(404, "Not Found");
  });
  cloud_.http.requests.clear();
  const auto store = open();
  EXPECT_FALSE(store->get("a"));
  EXPECT_FALSE(store->get("a"));
  EXPECT_THAT(cloud_.http.requests, SizeIs(3));
}

TEST_F(GcsStoreTest, AnErrorNamesStoreOperationKeyAndCodeButNoSecret) {
  answer(refusal(403, "forbidden", "Bearer hunter22 may not"));
  const Error refused = error([](BlobStore& s) { s.put("a/lock", "1", Always{}); });
  EXPECT_EQ(refused.message(), "put 'a/lock' in gs://box/p: status 403 forbidden: *** may not");
}

TEST_F(GcsStoreTest, EveryRefusalHasItsKind) {
  const std::pair<Canned, ErrorCode> cases[] = {
      {refusal(400, "invalid", ""), ErrorCode::kInvalid},
      {Canned{401}, ErrorCode::kUnauthorized},
      {refusal(403, "forbidden", ""), ErrorCode::kUnauthorized},
      {refusal(403, "rateLimitExceeded", ""), ErrorCode::kUnavailable},
      {refusal(403, "userRateLimitExceeded", ""), ErrorCode::kUnavailable},
      {Canned{408}, ErrorCode::kTimeout},
      {refusal(409, "conflict", ""), ErrorCode::kConflict},
      {refusal(429, "rateLimitExceeded", ""), ErrorCode::kUnavailable},
      {Canned{500}, ErrorCode::kUnavailable},
      {Canned{503, "<html>"}, ErrorCode::kUnavailable},
      {Canned{200, "{}"}, ErrorCode::kCorrupt}};  // without a generation
  for (const auto& [response, code] : cases) {
    answer(response);
    EXPECT_EQ(error([](BlobStore& s) { s.get("a"); }).code(), code) << response.status;
    EXPECT_EQ(error([](BlobStore& s) { s.put("a", "1", IfAbsent{}); }).code(), code)
        << response.status;
  }
}

TEST_F(GcsStoreTest, AListingJumpsOverWhatItSkips) {
  answer([](const net::HttpRequest& request) {
    std::string token;
    std::string start;
    for (const auto& [name, value] : net::query_params(request.url)) {
      if (name == "pageToken") token = value;
      if (name == "startOffset") start = value;
    }
    if (start == "p/.tidemark0") return http_answer(200, R"({"items": [{"name": "p/a/lock"}]})");
    return http_answer(200, token.empty()
                                ? R"({"items": [{"name": "p/-"}], "nextPageToken": "1"})"
                                : R"({"items": [{"name": "p/.a"}, {"name": "p/.tidemark/a"}],
                                      "nextPageToken": "2"})");
  });
  std::vector<std::string> keys;
  open()->list({.skipped = ".tidemark/"}, [&](std::string_view key) { keys.emplace_back(key); });
  EXPECT_THAT(keys, ElementsAre("-", ".a", "a/lock"));
  EXPECT_THAT(cloud_.http.requests, SizeIs(3));
}

TEST_F(GcsStoreTest, APageThatComesAgainEndsTheListing) {
  answer(Canned{200, R"({"nextPageToken": "1"})"});
  EXPECT_EQ(error([](BlobStore& s) { s.list({}, [](auto) {}); }).code(), ErrorCode::kCorrupt);
}

TEST_F(GcsStoreTest, AnEmulatorIsAskedWithoutCredentials) {
  for (const char* host : {"127.0.0.1:4443", "http://127.0.0.1:4443/"}) {
    cloud_.variables = os::Environment{{"STORAGE_EMULATOR_HOST", host}};
    cloud_.http.answer = [](const net::HttpRequest&) {
      return http_answer(200, "", {{"x-goog-generation", "7"}});
    };
    const auto store = make_gcs_store({.bucket = "box"}, cloud_.environment());
    EXPECT_TRUE(store->get("a"));
    EXPECT_EQ(cloud_.http.requests.back().url,
              "http://127.0.0.1:4443/storage/v1/b/box/o/a?alt=media");
    EXPECT_TRUE(cloud_.http.requests.back().credentials.empty());
    EXPECT_FALSE(store->capabilities().conditional_remove);
  }
}

}  // namespace
}  // namespace tidemark::blob
