#include "tidemark/source/rest_auth.h"

#include <deque>

#include <gmock/gmock.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/error.h"
#include "tidemark/source/fake_extraction.h"

namespace tidemark::rest {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class TokenService final : public net::HttpClient {
 public:
  std::deque<std::pair<int, std::string>> answers;
  std::vector<net::HttpRequest> requests;

  net::HttpResponse send(const net::HttpRequest& request, const Cancellation&) override {
    requests.push_back(request);
    net::HttpResponse response;
    response.status = answers.front().first;
    response.body = json::Buffer(std::string_view(answers.front().second));
    answers.pop_front();
    return response;
  }
};

class AuthTest : public testing::Test {
 protected:
  net::HttpRequest apply(const AuthPtr& auth, std::string url = "http://h/r") {
    net::HttpRequest request{.url = std::move(url)};
    auth->apply(request, {extraction_, service_, clock_});
    return request;
  }
  std::string authorization(const AuthPtr& auth) {
    return std::string(apply(auth).credentials.find("Authorization").value_or("none"));
  }

  source::FakeExtraction extraction_;
  TokenService service_;
  ManualClock clock_{std::chrono::sys_days(std::chrono::year(2026) / 1 / 2)};
};

TEST_F(AuthTest, BearerResolvesItsSecretWhenItRuns) {
  extraction_.secrets["sources.github.token"] = "t";
  EXPECT_EQ(authorization(bearer(source::secret("sources.github.token"))), "Bearer t");
  EXPECT_EQ(authorization(bearer(Secret("u"))), "Bearer u");
}

TEST_F(AuthTest, BasicEncodesUserAndPassword) {
  EXPECT_EQ(authorization(http_basic("Aladdin", Secret("open sesame"))),
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST_F(AuthTest, ApiKeyGoesWhereItIsTold) {
  EXPECT_EQ(authorization(api_key({.api_key = Secret("k")})), "k");
  EXPECT_EQ(apply(api_key({.api_key = Secret("k"), .name = "X-Key"})).credentials.find("x-key"),
            "k");
  const AuthPtr query =
      api_key({.api_key = Secret("k y"), .name = "appid", .location = KeyLocation::kQuery});
  EXPECT_EQ(apply(query).url, "http://h/r?appid=k%20y");
  EXPECT_EQ(describe(apply(query)), "GET http://h/r?appid=***");
  EXPECT_EQ(apply(query, "http://h/r?page=2&appid=old").url, "http://h/r?page=2&appid=old");
}

TEST_F(AuthTest, ClientCredentialsAreFetchedOnceAndAgainWhenTheyExpire) {
  service_.answers = {{200, R"({"access_token": "one", "expires_in": 100})"},
                      {200, R"({"access_token": "two", "expires_in": "100"})"},
                      {200, R"({"access_token": "three"})"}};
  const AuthPtr auth =
      oauth2_client_credentials({.access_token_url = "http://h/token",
                                 .client_id = Secret("id"),
                                 .client_secret = Secret("s&t"),
                                 .access_token_request_data = {{"scope", "read"}}});
  EXPECT_EQ(authorization(auth), "Bearer one");
  clock_.advance(std::chrono::seconds(89));
  EXPECT_EQ(authorization(auth), "Bearer one");
  clock_.advance(std::chrono::seconds(2));
  EXPECT_EQ(authorization(auth), "Bearer two");
  clock_.advance(std::chrono::seconds(100));
  EXPECT_EQ(authorization(auth), "Bearer three");
  clock_.advance(std::chrono::seconds(3500));
  EXPECT_EQ(authorization(auth), "Bearer three");
  ASSERT_THAT(service_.requests, SizeIs(3));
  const net::HttpRequest& request = service_.requests[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.url, "http://h/token");
  EXPECT_EQ(request.body,
            "client_id=id&client_secret=s%26t&grant_type=client_credentials&scope=read");
  EXPECT_EQ(request.headers.find("Content-Type"), "application/x-www-form-urlencoded");
}

TEST_F(AuthTest, ARefusedTokenSaysWhyAndKeepsTheSecret) {
  const AuthPtr auth = oauth2_client_credentials({.access_token_url = "http://h/token",
                                                  .client_id = Secret("id"),
                                                  .client_secret = Secret("s3cr3t")});
  const auto message_of = [&](int status, const char* body) {
    service_.answers = {{status, body}};
    try {
      apply(auth);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnauthorized);
      return error.message();
    }
    return std::string("no error");
  };
  EXPECT_THAT(message_of(401, "bad client_secret s3cr3t"),
              AllOf(HasSubstr("http://h/token"), HasSubstr("bad client_secret ***")));
  EXPECT_THAT(message_of(200, "{\"error\": \"x\"}"), HasSubstr("no access_token"));
  EXPECT_THAT(message_of(200, "s3cr3t"),
              AllOf(HasSubstr("no access_token"), Not(HasSubstr("s3cr3t"))));
}

TEST_F(AuthTest, JwtSendsASignedAssertion) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_RSA_gen(1024), EVP_PKEY_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  char* pem = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &pem);

  service_.answers = {{200, R"({"access_token": "one"})"}};
  const AuthPtr auth =
      oauth2_jwt({.client_id = "me",
                  .private_key = Secret(std::string(pem, static_cast<size_t>(size))),
                  .auth_endpoint = "http://h/jwt",
                  .scopes = {"a", "b"},
                  .headers = {{"X-Extra", "1"}}});
  EXPECT_EQ(authorization(auth), "Bearer one");
  const net::HttpRequest& request = service_.requests.at(0);
  EXPECT_EQ(request.headers.find("X-Extra"), "1");
  const size_t mark = request.body.find("assertion=") + 10;
  EXPECT_EQ(request.body.substr(0, mark),
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=");
  const std::string token = request.body.substr(mark);
  std::string claims = token.substr(token.find('.') + 1);
  claims.resize(claims.find('.'));
  claims.append((4 - claims.size() % 4) % 4, '=');
  EXPECT_EQ(
      base64_decode(claims),
      R"({"iss":"me","sub":"me","aud":"http://h/jwt","exp":1767315600,"iat":1767312000,"scope":"a b"})");
}

}  // namespace
}  // namespace tidemark::rest
