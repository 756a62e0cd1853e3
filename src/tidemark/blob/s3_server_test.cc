// S3 against a real server: the one that tests/servers/start-s3.sh started, or that of
// $TIDEMARK_S3_ENDPOINT with the keys in AWS's variables.
#include <cstdlib>

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/base/random.h"
#include "tidemark/blob/conformance.h"
#include "tidemark/blob/s3_service.h"
#include "tidemark/blob/s3_store.h"
#include "tidemark/net/retry.h"
#include "tidemark/os/files.h"

namespace tidemark::blob {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string server_url() {
  if (const char* url = std::getenv("TIDEMARK_S3_ENDPOINT")) return url;
  std::string url = os::read_file(TIDEMARK_SERVERS_DIR "/s3.url");
  while (url.ends_with('\n')) url.pop_back();
  return url;
}

std::string variable_or(const char* name, const char* fallback) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : fallback;
}

// Counts what goes out.
class CountingHttp final : public net::HttpClient {
 public:
  explicit CountingHttp(net::HttpClient& inner) : inner_(inner) {}
  net::HttpResponse send(const net::HttpRequest& request,
                         const Cancellation& cancellation) override {
    ++requests;
    return inner_.send(request, cancellation);
  }
  std::atomic<int> requests = 0;

 private:
  net::HttpClient& inner_;
};

// A clock of a host that is wrong.
class ShiftedClock final : public Clock {
 public:
  Time now() override { return clock_.now() + shift; }
  std::chrono::steady_clock::time_point steady_now() override { return clock_.steady_now(); }
  std::chrono::microseconds boot_now() override { return clock_.boot_now(); }
  std::chrono::microseconds shift{0};

 private:
  SystemClock clock_;
};

// A bucket that nobody has used before.
class TestBucket {
 private:
  SystemRandom random_;
  os::Environment variables_{{"AWS_CONFIG_FILE", "/dev/null"}};
  Cancellation cancellation_;
  std::unique_ptr<net::HttpClient> curl_ = net::make_http_client({});

 public:
  TestBucket()
      : options(
            {.bucket = "tidemark-" + random_hex(random_, 8),
             .prefix = "elt/prod",
             .access_key_id = Secret(variable_or("AWS_ACCESS_KEY_ID", "tidemark")),
             .secret_access_key = Secret(variable_or("AWS_SECRET_ACCESS_KEY", "tidemark-secret")),
             .endpoint_url = server_url(),
             .region = variable_or("AWS_REGION", "us-east-1")}) {
    S3Service service(options, environment());
    net::HttpRequest request{.method = "PUT"};
    const net::HttpResponse response = service.send(request, "");
    if (response.status != 200) throw Error(ErrorCode::kUnavailable, "no bucket for the test");
  }

  std::shared_ptr<BlobStore> open() { return make_s3_store(options, environment()); }
  CloudEnvironment environment() {
    return {.http = http,
            .metadata_http = http,
            .clock = clock,
            .variables = variables_,
            .cancellation = cancellation_};
  }

  S3Options options;
  ShiftedClock clock;
  CountingHttp http{*curl_};
};

Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorCode::kInternal, ""};
}

class S3ServerStore : public testing::TestWithParam<Check> {};

TEST_P(S3ServerStore, Conforms) {
  TestBucket bucket;
  GetParam().run([&] { return bucket.open(); });
}

INSTANTIATE_TEST_SUITE_P(Blob, S3ServerStore, testing::ValuesIn(conformance_checks()),
                         name_of_check);

TEST(S3Server, SeesNothingOutsideOfThePrefix) {
  TestBucket bucket;
  const auto store = bucket.open();
  store->put("a/lock", "1", Always{});
  bucket.options.prefix = "elt/prod2";
  bucket.open()->put("z/lock", "1", Always{});
  bucket.options.prefix = "";
  bucket.open()->put("y/lock", "1", Always{});
  std::vector<std::string> keys;
  store->list({}, [&](std::string_view key) { keys.emplace_back(key); });
  EXPECT_THAT(keys, testing::ElementsAre("a/lock"));
  keys.clear();
  bucket.open()->list({}, [&](std::string_view key) { keys.emplace_back(key); });
  EXPECT_THAT(keys, testing::ElementsAre("elt/prod/a/lock", "elt/prod2/z/lock", "y/lock"));
}

TEST(S3Server, IsAskedOnceForEachCall) {
  TestBucket bucket;
  const auto store = bucket.open();
  const auto requests_of = [&](const std::function<void()>& call) {
    const int before = bucket.http.requests;
    call();
    return bucket.http.requests - before;
  };
  std::optional<Version> version;
  EXPECT_EQ(requests_of([&] { version = store->put("a/lock", "1", IfAbsent{}); }), 1);
  ASSERT_TRUE(version);
  EXPECT_EQ(requests_of([&] { store->get("a/lock"); }), 1);
  EXPECT_EQ(requests_of([&] { store->stat("a/lock"); }), 1);
  EXPECT_EQ(requests_of([&] { store->get("b/lock"); }), 1);
  EXPECT_EQ(requests_of([&] { store->put("a/lock", "2", IfAbsent{}); }), 1);
  EXPECT_EQ(requests_of([&] { store->store_time(); }), 0);
  EXPECT_EQ(requests_of([&] { store->remove("a/lock", IfMatch{*version}); }), 1);
  EXPECT_EQ(requests_of([&] { store->list({.skipped = ".tidemark/"}, [](std::string_view) {}); }),
            1);
}

TEST(S3Server, AWrongSecretOrBucketIsNamedAndNoSecretShown) {
  TestBucket bucket;
  bucket.options.secret_access_key = Secret("s3cr3t-zz9");
  const Error secret = error_of([&] { bucket.open()->get("a/lock"); });
  EXPECT_EQ(secret.code(), ErrorCode::kUnauthorized) << secret.message();
  EXPECT_THAT(secret.message(), HasSubstr("SignatureDoesNotMatch"));
  EXPECT_THAT(secret.message(), HasSubstr("get 'a/lock'"));
  EXPECT_THAT(secret.message(), HasSubstr("s3://" + bucket.options.bucket + "/elt/prod"));
  EXPECT_THAT(secret.message(), Not(HasSubstr("s3cr3t-zz9")));

  TestBucket other;
  other.options.bucket += "x";
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { other.open()->get("a/lock"); }, [&] { other.open()->stat("a/lock"); },
           [&] { other.open()->put("a/lock", "1", IfAbsent{}); },
           [&] { other.open()->list({}, [](std::string_view) {}); }}) {
    const Error error = error_of(call);
    EXPECT_EQ(error.code(), ErrorCode::kNotFound) << error.message();
    EXPECT_THAT(error.message(), HasSubstr("NoSuchBucket"));
  }
}

TEST(S3Server, AClockThatIsOffIsPutRightOnce) {
  TestBucket bucket;
  for (const std::chrono::minutes shift : {std::chrono::minutes(60), std::chrono::minutes(-60)}) {
    bucket.clock.shift = shift;
    const auto store = bucket.open();
    const int before = bucket.http.requests;
    EXPECT_TRUE(store->put("a/lock", "1", Always{}));
    EXPECT_EQ(bucket.http.requests - before, 2);
    EXPECT_TRUE(store->get("a/lock"));
    EXPECT_EQ(bucket.http.requests - before, 3);
    SystemClock right;
    EXPECT_LT(std::chrono::abs(store->store_time() - right.now()), std::chrono::minutes(1));
  }
}

}  // namespace
}  // namespace tidemark::blob
