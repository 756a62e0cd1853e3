// The store against fake-gcs-server, which tests/servers/start-gcs.sh has started.
#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/conformance.h"
#include "tidemark/blob/gcs_store.h"
#include "tidemark/blob/test_cloud.h"

namespace tidemark::blob {
namespace {

using testing::HasSubstr;

// A bucket that nobody has used before.
class Bucket {
 public:
  Bucket() {
    const std::string url = server_url("gcs");
    cloud.variables = os::Environment{{"STORAGE_EMULATOR_HOST", url}};
    const net::HttpRequest request{.method = "POST",
                                   .url = url + "/storage/v1/b?project=tidemark",
                                   .headers = {{"Content-Type", "application/json"}},
                                   .body = R"({"name": ")" + name_ + R"("})"};
    EXPECT_EQ(cloud.http.send(request, cloud.cancellation).status, 200);
    cloud.http.requests = 0;
  }

  std::unique_ptr<BlobStore> open() {
    return make_gcs_store({.bucket = name_, .prefix = prefix}, cloud.environment());
  }

  RealCloud cloud;
  std::string prefix = "elt/prod";

 private:
  std::string name_ = "tidemark-" + random_hex(cloud.random, 8);
};

class GcsServer : public testing::TestWithParam<Check> {};

TEST_P(GcsServer, Conforms) {
  Bucket bucket;
  GetParam().run([&] { return bucket.open(); });
}

INSTANTIATE_TEST_SUITE_P(Blob, GcsServer, testing::ValuesIn(conformance_checks()), name_of_check);

TEST(GcsServer, SeesNothingOutsideOfThePrefix) {
  Bucket bucket;
  const auto store = bucket.open();
  store->put("a/lock", "1", Always{});
  bucket.prefix = "elt/prod2";
  bucket.open()->put("z/lock", "1", Always{});
  bucket.prefix = "elt/prod";
  std::vector<std::string> keys;
  bucket.open()->list({}, [&](std::string_view key) { keys.emplace_back(key); });
  EXPECT_THAT(keys, testing::ElementsAre("a/lock"));
}

TEST(GcsServer, EachCallIsOneRequestAndAListingOneAPage) {
  Bucket bucket;
  const auto store = bucket.open();
  const auto requests_of = [&](const std::function<void()>& call) {
    const int before = bucket.cloud.http.requests;
    call();
    return bucket.cloud.http.requests - before;
  };
  EXPECT_EQ(requests_of([&] { store->put("a/state.json", "1", IfAbsent{}); }), 1);
  EXPECT_EQ(requests_of([&] { store->get("a/state.json"); }), 1);
  EXPECT_EQ(requests_of([&] { store->get("b/state.json"); }), 1);
  EXPECT_EQ(requests_of([&] { store->stat("a/state.json"); }), 1);
  EXPECT_EQ(requests_of([&] { store->remove("a/state.json", Always{}); }), 1);
  for (int id = 0; id < 1'001; ++id) {
    store->put(std::to_string(10'000 + id) + "/state.json", "1", Always{});
    store->put(".tidemark/" + std::to_string(10'000 + id) + "/lease.json", "1", Always{});
  }
  int keys = 0;
  EXPECT_EQ(requests_of(
                [&] { store->list({.skipped = ".tidemark/"}, [&](std::string_view) { ++keys; }); }),
            3);
  EXPECT_EQ(keys, 1'001);
}

TEST(GcsServer, ABucketThatIsNotThereIsNotFound) {
  Bucket bucket;
  const auto store = make_gcs_store({.bucket = "nowhere"}, bucket.cloud.environment());
  try {
    store->get("a");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_THAT(error.message(), HasSubstr("get 'a' in gs://nowhere"));
  }
}

}  // namespace
}  // namespace tidemark::blob
