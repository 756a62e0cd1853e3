#include "tidemark/blob/access_token.h"

#include <array>

#include <gtest/gtest.h>

#include "tidemark/blob/fake_cloud.h"

namespace tidemark::blob {
namespace {

using std::chrono::seconds;

class CountingSource final : public TokenSource {
 public:
  explicit CountingSource(int& count) : count_(count) {}
  AccessToken fetch() override { return {Secret(std::to_string(++count_)), seconds(600)}; }

 private:
  int& count_;
};

TEST(TokenCache, RenewsATokenAMinuteBeforeItsEnd) {
  FakeCloud cloud;
  int count = 0;
  TokenCache cache(std::make_unique<CountingSource>(count), cloud.clock);
  EXPECT_EQ(cache.get().reveal(), "1");
  cloud.clock.advance(seconds(539));
  EXPECT_EQ(cache.get().reveal(), "1");
  cloud.clock.advance(seconds(1));
  EXPECT_EQ(cache.get().reveal(), "2");
  EXPECT_EQ(count, 2);
}

TEST(TokenCache, AsksOnceForATokenThatManyWereRefused) {
  FakeCloud cloud;
  int count = 0;
  TokenCache cache(std::make_unique<CountingSource>(count), cloud.clock);
  const Secret refused = cache.get();
  cache.reject(refused);
  EXPECT_EQ(cache.get().reveal(), "2");
  cache.reject(refused);
  EXPECT_EQ(cache.get().reveal(), "2");
}

seconds lifetime_in(std::string_view body) {
  FakeCloud cloud;
  const AccessToken token = read_token({}, http_answer(200, body), cloud.clock.now(), {});
  EXPECT_EQ(token.text.reveal(), "t");
  return token.lifetime;
}

TEST(ReadToken, KnowsTheFormsOfALifetime) {
  EXPECT_EQ(lifetime_in(R"({"access_token": "t", "expires_in": 3599})"), seconds(3599));
  EXPECT_EQ(lifetime_in(R"({"access_token": "t", "expires_in": "3599"})"), seconds(3599));
  EXPECT_EQ(lifetime_in(R"({"access_token": "t", "expires_on": "1767225700"})"), seconds(100));
  EXPECT_EQ(lifetime_in(R"({"access_token": "t"})"), seconds(300));
}

Error error_of(const net::HttpResponse& response) {
  FakeCloud cloud;
  const std::array<std::string, 1> secrets = {"hunter22"};
  const net::HttpRequest request = token_form("https://login.example/token", {{"a", "hunter22"}});
  try {
    (void)read_token(request, response, cloud.clock.now(), secrets);
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::kInternal, "no error"};
}

TEST(ReadToken, SaysWhyThereIsNone) {
  const Error refusal = error_of(http_answer(400, R"({"error": "invalid_client: hunter22"})"));
  EXPECT_EQ(refusal.code(), ErrorCode::kUnauthorized);
  EXPECT_EQ(refusal.message(),
            "POST https://login.example/token: status 400: {\"error\": \"invalid_client: ***\"}");
  EXPECT_EQ(error_of(http_answer(429)).code(), ErrorCode::kUnavailable);
  EXPECT_EQ(error_of(http_answer(503)).code(), ErrorCode::kUnavailable);
  for (const char* body :
       {"", "<html>", "[]", "{}", R"({"access_token": 1})", R"({"access_token": ""})"}) {
    EXPECT_EQ(error_of(http_answer(200, body)).code(), ErrorCode::kCorrupt) << body;
  }
}

}  // namespace
}  // namespace tidemark::blob
