#include "tidemark/blob/s3_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/fake_cloud.h"

namespace tidemark::blob {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string s3_error(std::string_view code, std::string_view more = "") {
  return fmt::format(
      "<?xml version=\"1.0\"?><Error><Code>{}</Code><Message>its words</Message>{}</Error>", code,
      more);
}

class S3Store : public testing::Test {
 protected:
  // Nothing of this machine's is read.
  S3Store() {
    cloud_.variables = os::Environment{{"AWS_SHARED_CREDENTIALS_FILE", "/dev/null"},
                                       {"AWS_CONFIG_FILE", "/dev/null"}};
    options_ = {.bucket = "acme-data",
                .prefix = "at",
                .access_key_id = Secret("AKID"),
                .secret_access_key = Secret("s3cr3t-zz9")};
  }

  std::unique_ptr<BlobStore> open() { return make_s3_store(options_, cloud_.environment()); }

  void answer(int status, std::string_view body = "", const net::Headers& headers = {}) {
    cloud_.http.answer = [=, body = std::string(body)](const net::HttpRequest&) {
      return http_answer(status, body, headers);
    };
  }

  Error error_of(const std::function<void(BlobStore& store)>& call) {
    try {
      call(*open());
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return {ErrorCode::kInternal, ""};
  }

  const net::HttpRequest& asked(size_t request) { return cloud_.http.requests.at(request); }

  FakeCloud cloud_;
  S3Options options_;
};

TEST_F(S3Store, BucketAndPrefixAreUsedAsWritten) {
  answer(200, "{}", {{"ETag", "\"1\""}});
  open()->get("dev:a-to-b/state.json");
  options_.bucket = "a.b";
  options_.prefix = "";
  open()->get("x/lock");
  options_.endpoint_url = "http://127.0.0.1:9000/";
  open()->get("x/lock");
  EXPECT_EQ(asked(0).url,
            "https://acme-data.s3.us-east-1.amazonaws.com/at/dev%3Aa-to-b/state.json");
  EXPECT_EQ(asked(1).url, "https://s3.us-east-1.amazonaws.com/a.b/x/lock");
  EXPECT_EQ(asked(2).url, "http://127.0.0.1:9000/a.b/x/lock");
}

TEST_F(S3Store, TheBucketStandsWhereItIsAskedTo) {
  answer(200, "{}", {{"ETag", "\"1\""}});
  options_.is_path_style = true;
  open()->get("k");
  options_.endpoint_url = "http://host:9000";
  options_.is_path_style = false;
  open()->get("k");
  EXPECT_EQ(asked(0).url, "https://s3.us-east-1.amazonaws.com/acme-data/at/k");
  EXPECT_EQ(asked(1).url, "http://acme-data.host:9000/at/k");
  options_.bucket = "a.b";
  EXPECT_THAT(error_of([](BlobStore&) {}).message(), HasSubstr("bucket 'a.b' cannot stand"));
}

TEST_F(S3Store, EndpointAndRegionComeFromSettingsThenVariables) {
  answer(200, "{}", {{"ETag", "\"1\""}});
  cloud_.variables = os::Environment{{"AWS_SHARED_CREDENTIALS_FILE", "/dev/null"},
                                     {"AWS_CONFIG_FILE", "/dev/null"},
                                     {"AWS_ENDPOINT_URL", "http://general"},
                                     {"AWS_ENDPOINT_URL_S3", "http://own"},
                                     {"AWS_DEFAULT_REGION", "eu-west-1"}};
  open()->get("k");
  options_.endpoint_url = "http://given";
  options_.region = "ap-south-1";
  open()->get("k");
  EXPECT_EQ(asked(0).url, "http://own/acme-data/at/k");
  EXPECT_THAT(std::string(*asked(0).credentials.find("Authorization")),
              HasSubstr("/eu-west-1/s3/"));
  EXPECT_EQ(asked(1).url, "http://given/acme-data/at/k");
  EXPECT_THAT(std::string(*asked(1).credentials.find("Authorization")),
              HasSubstr("/ap-south-1/s3/"));
  options_.endpoint_url = "acme:9000";
  EXPECT_EQ(error_of([](BlobStore&) {}).code(), ErrorCode::kInvalid);
}

TEST_F(S3Store, HalfAKeyPairIsRefusedInMeltanosWords) {
  options_.access_key_id = Secret();
  EXPECT_EQ(error_of([](BlobStore&) {}).message(),
            "AWS secret access key configured, but not AWS access key ID.");
  options_.access_key_id = Secret("AKID");
  options_.secret_access_key = Secret();
  EXPECT_EQ(error_of([](BlobStore&) {}).message(),
            "AWS access key ID configured, but no AWS secret access key.");
}

TEST_F(S3Store, ConditionalWritesAreNotRepeatable) {
  answer(200, "", {{"ETag", "\"1\""}});
  const auto store = open();
  store->put("a/state.json", "1", IfAbsent{});
  store->put("a/lock", "1", IfMatch{{"\"1\""}});
  store->put("a/history.jsonl", "1", Always{});
  EXPECT_EQ(asked(0).headers.find("If-None-Match"), "*");
  EXPECT_FALSE(asked(0).is_repeatable);
  EXPECT_EQ(asked(1).headers.find("If-Match"), "\"1\"");
  EXPECT_FALSE(asked(1).is_repeatable);
  EXPECT_TRUE(asked(2).is_repeatable);
  EXPECT_EQ(asked(0).headers.find("Content-Type"), "application/json");
  EXPECT_EQ(asked(1).headers.find("Content-Type"), "application/json");
  EXPECT_EQ(asked(2).headers.find("Content-Type"), "application/octet-stream");
}

TEST_F(S3Store, EveryWayToLoseAConditionIsAValue) {
  const Condition match = IfMatch{{"\"1\""}};
  answer(412, s3_error("PreconditionFailed"));
  EXPECT_FALSE(open()->put("k", "1", IfAbsent{}));
  EXPECT_FALSE(open()->put("k", "1", match));
  answer(409, s3_error("ConditionalRequestConflict"));
  EXPECT_FALSE(open()->put("k", "1", IfAbsent{}));
  EXPECT_FALSE(open()->put("k", "1", match));
  answer(404, s3_error("NoSuchKey"));
  EXPECT_FALSE(open()->put("k", "1", match));
  EXPECT_TRUE(open()->remove("k", match));
}

TEST_F(S3Store, ARemovalThatMatchesNothingIsDoneWhereNothingIsLeft) {
  bool is_there = true;
  for (const Canned& refusal : {Canned{412, s3_error("PreconditionFailed")},
                                Canned{409, s3_error("ConditionalRequestConflict")}}) {
    cloud_.http.answer = [&](const net::HttpRequest& request) {
      if (request.method == "DELETE") return refusal();
      return is_there ? http_answer(200, "2", {{"ETag", "\"2\""}})
                      : http_answer(404, s3_error("NoSuchKey"));
    };
    is_there = true;
    EXPECT_FALSE(open()->remove("k", IfMatch{{"\"1\""}}));
    is_there = false;
    EXPECT_TRUE(open()->remove("k", IfMatch{{"\"1\""}}));
  }
}

TEST_F(S3Store, ErrorsNameStoreOperationKeyAndTheServicesWords) {
  const auto get = [](BlobStore& store) { store.get("a/lock"); };
  answer(503, s3_error("SlowDown"));
  EXPECT_EQ(error_of(get).code(), ErrorCode::kUnavailable);
  answer(404, s3_error("NoSuchBucket"));
  EXPECT_EQ(error_of(get).code(), ErrorCode::kNotFound);
  answer(403, s3_error("InvalidObjectState"));
  EXPECT_EQ(error_of(get).code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error_of(get).message(), HasSubstr("restore"));
  answer(400, s3_error("ExpiredToken"));
  EXPECT_EQ(error_of(get).code(), ErrorCode::kUnauthorized);
  answer(502, "<html>a proxy");
  EXPECT_EQ(error_of(get).code(), ErrorCode::kUnavailable);
  answer(403, s3_error("AccessDenied", "<HostId>s3cr3t-zz9</HostId>"));
  const Error denied = error_of(get);
  EXPECT_EQ(denied.code(), ErrorCode::kUnauthorized);
  EXPECT_THAT(denied.message(), HasSubstr("get 'a/lock' in s3://acme-data/at: status 403 "
                                          "AccessDenied: its words"));
  EXPECT_THAT(denied.message(), HasSubstr("s3:ListBucket"));
  EXPECT_THAT(denied.message(), Not(HasSubstr("s3cr3t-zz9")));
}

TEST_F(S3Store, ABucketElsewhereIsAskedThere) {
  cloud_.http.answer = [](const net::HttpRequest& request) {
    if (request.url.find("s3.eu-central-1.") != std::string::npos) {
      return http_answer(200, "{}", {{"ETag", "\"1\""}});
    }
    return http_answer(301, s3_error("PermanentRedirect"),
                       {{"x-amz-bucket-region", "eu-central-1"}});
  };
  const auto store = open();
  EXPECT_TRUE(store->put("k", "1", IfAbsent{}));
  EXPECT_TRUE(store->get("k"));
  EXPECT_EQ(cloud_.http.requests.size(), 3u);
  EXPECT_THAT(std::string(*asked(2).credentials.find("Authorization")),
              HasSubstr("/eu-central-1/s3/"));

  answer(400, s3_error("AuthorizationHeaderMalformed", "<Region>sa-east-1</Region>"));
  EXPECT_THAT(error_of([](BlobStore& other) { other.get("k"); }).message(),
              HasSubstr("the bucket is in region sa-east-1"));
}

std::string page_of(const std::vector<std::string>& names, bool is_truncated) {
  std::string page = "<ListBucketResult><EncodingType>url</EncodingType>";
  for (const std::string& name : names) page += "<Contents><Key>" + name + "</Key></Contents>";
  if (is_truncated) page += "<NextContinuationToken>t/1</NextContinuationToken>";
  return page + fmt::format("<IsTruncated>{}</IsTruncated></ListBucketResult>", is_truncated);
}

TEST_F(S3Store, AListingJumpsOverWhatIsSkipped) {
  cloud_.http.answer = [](const net::HttpRequest& request) {
    const bool is_first = request.url.find("start-after") == std::string::npos;
    return http_answer(200, is_first ? page_of({"at/-a%2Bb+c", "at/.tidemark/x"}, true)
                                     : page_of({"at/a"}, false));
  };
  std::vector<std::string> keys;
  open()->list({.skipped = ".tidemark/"}, [&](std::string_view key) { keys.emplace_back(key); });
  EXPECT_THAT(keys, ElementsAre("-a+b c", "a"));
  ASSERT_EQ(cloud_.http.requests.size(), 2u);
  EXPECT_THAT(asked(1).url, HasSubstr("start-after=at%2F.tidemark%2F%F4%8F%BF%BF"));
  EXPECT_THAT(asked(1).url, Not(HasSubstr("continuation-token")));
}

TEST_F(S3Store, AListingGoesOnByTheToken) {
  cloud_.http.answer = [](const net::HttpRequest& request) {
    const bool is_first = request.url.find("continuation-token=t%2F1") == std::string::npos;
    return http_answer(200, is_first ? page_of({}, true) : page_of({"at/a"}, false));
  };
  std::vector<std::string> keys;
  open()->list({}, [&](std::string_view key) { keys.emplace_back(key); });
  EXPECT_THAT(keys, ElementsAre("a"));
  answer(200, "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>");
  EXPECT_EQ(error_of([](BlobStore& store) { store.list({}, [](std::string_view) {}); }).code(),
            ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace tidemark::blob
