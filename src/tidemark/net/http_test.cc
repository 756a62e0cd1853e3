#include "tidemark/net/http.h"

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/error.h"
#include "tidemark/net/loopback_server.h"

namespace tidemark::net {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Answer = LoopbackServer::Answer;
using Request = LoopbackServer::Request;

// [1,2,3] after gzip.
std::string gzipped() { return base64_decode("H4sIAAAAAAACA4s21DHSMY4FAOmzbf0HAAAA").value(); }

HttpResponse send(const HttpRequest& request, HttpOptions options = {}) {
  return make_http_client(std::move(options))->send(request, Cancellation());
}

// The error of sending; fails when there is none.
Error error_of(const HttpRequest& request, HttpOptions options = {},
               const Cancellation& cancellation = {}) {
  try {
    make_http_client(std::move(options))->send(request, cancellation);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorCode::kInternal, ""};
}

TEST(Headers, CompareNamesWithoutCase) {
  Headers headers{{"Link", "a"}, {"X", "1"}};
  headers.add("link", "b");
  EXPECT_THAT(headers.find_all("LINK"), ElementsAre("a", "b"));
  EXPECT_EQ(headers.find("x"), "1");
  EXPECT_EQ(headers.find("y"), std::nullopt);
  headers.set("LINK", "c");
  EXPECT_THAT(headers.find_all("link"), ElementsAre("c"));
}

TEST(HttpClient, SendsMethodTargetHeadersAndBodyAsGiven) {
  LoopbackServer server([](const Request&) { return Answer{.status = 201, .body = "[1]"}; });
  const HttpResponse response = send({.method = "POST",
                                      .url = server.url("/a%2Fb/../c?x=%2f&y"),
                                      .headers = {{"Content-Type", "text/x"}},
                                      .credentials = {{"Authorization", "Bearer t"}},
                                      .body = std::string("b\0dy", 4)});
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body.view(), "[1]");
  const Request request = server.requests().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/a%2Fb/../c?x=%2f&y");
  EXPECT_EQ(request.body, std::string("b\0dy", 4));
  EXPECT_EQ(request.headers.find("content-type"), "text/x");
  EXPECT_EQ(request.headers.find("authorization"), "Bearer t");
  EXPECT_THAT(std::string(request.headers.find("user-agent").value()), HasSubstr("tidemark"));
}

TEST(HttpClient, BodyIsPaddedForTheParser) {
  LoopbackServer server([](const Request&) { return Answer{.body = "{}"}; });
  const HttpResponse response = send({.url = server.url("/")});
  const char* behind = response.body.data() + response.body.size();
  EXPECT_EQ(std::string_view(behind, json::Buffer::kPadding),
            std::string(json::Buffer::kPadding, '\0'));
}

TEST(HttpClient, AnyStatusIsAResult) {
  LoopbackServer server([](const Request&) { return Answer{.status = 503, .body = "later"}; });
  const HttpResponse response = send({.url = server.url("/")});
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body.view(), "later");
}

TEST(HttpClient, DecompressesWhatItAskedFor) {
  LoopbackServer server([](const Request& request) {
    if (!request.headers.find("Accept-Encoding")) return Answer{.body = "plain"};
    return Answer{.headers = {{"Content-Encoding", "gzip"}}, .body = gzipped()};
  });
  EXPECT_EQ(send({.url = server.url("/")}).body.view(), "[1,2,3]");
  EXPECT_EQ(send({.url = server.url("/"), .accepts_compression = false}).body.view(), "plain");
}

TEST(HttpClient, ABodyThatEndsEarlyIsAnErrorThatMayBeTriedAgain) {
  LoopbackServer server(
      [](const Request&) { return Answer{.body = "[1,", .claimed_length = 100}; });
  const Error error = error_of({.url = server.url("/x?api_key=s3cr3t")});
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.message(), HasSubstr("/x?api_key=***"));
  EXPECT_THAT(error.message(), Not(HasSubstr("s3cr3t")));
}

TEST(HttpClient, RefusedConnectionIsUnavailable) {
  std::string url;
  {
    LoopbackServer server([](const Request&) { return Answer{}; });
    url = server.url("/");
  }
  EXPECT_EQ(error_of({.url = url}).code(), ErrorCode::kUnavailable);
}

TEST(HttpClient, AServiceThatNeverAnswersTimesOut) {
  LoopbackServer server([](const Request&) { return Answer{.is_held = true}; });
  const Error idle = error_of({.url = server.url("/")}, {.idle_timeout = milliseconds(30)});
  EXPECT_EQ(idle.code(), ErrorCode::kTimeout);
  EXPECT_THAT(idle.message(), HasSubstr("no answer in time"));
  const Error total = error_of({.url = server.url("/")}, {.total_timeout = milliseconds(30)});
  EXPECT_EQ(total.code(), ErrorCode::kTimeout);
}

TEST(HttpClient, AnAnswerThatOnlyDripsTimesOutWhereALeastSpeedIsAskedFor) {
  LoopbackServer server([](const Request&) {
    return Answer{.body = std::string(30, 'x'), .drip = milliseconds(10)};
  });
  const HttpOptions options{.idle_timeout = milliseconds(100)};
  EXPECT_EQ(make_http_client(options)->send({.url = server.url("/")}, {}).body.size(), 30U);
  const Error slow = error_of({.url = server.url("/")}, {.idle_timeout = milliseconds(100),
                                                         .least_bytes_per_second = 10'000});
  EXPECT_EQ(slow.code(), ErrorCode::kTimeout);
}

TEST(HttpClient, CancellationEndsAWaitingRequest) {
  Cancellation cancellation;
  LoopbackServer server([&](const Request&) {
    cancellation.cancel();
    return Answer{.is_held = true};
  });
  EXPECT_EQ(error_of({.url = server.url("/")}, {}, cancellation).code(), ErrorCode::kCancelled);
}

// A certificate for localhost that signs itself, and its key, as files.
struct SelfSigned {
  std::string certificate = testing::TempDir() + "/http_test_certificate.pem";
  std::string key = testing::TempDir() + "/http_test_key.pem";

  SelfSigned() {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> pair(EVP_EC_gen("P-256"),
                                                                   EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> x509(X509_new(), X509_free);
    ASN1_INTEGER_set(X509_get_serialNumber(x509.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(x509.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(x509.get()), 3600);
    X509_set_pubkey(x509.get(), pair.get());
    X509_NAME* name = X509_get_subject_name(x509.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(x509.get(), name);
    X509_sign(x509.get(), pair.get(), EVP_sha256());
    BIO* out = BIO_new_file(certificate.c_str(), "w");
    PEM_write_bio_X509(out, x509.get());
    BIO_free(out);
    out = BIO_new_file(key.c_str(), "w");
    PEM_write_bio_PrivateKey(out, pair.get(), nullptr, nullptr, 0, nullptr, nullptr);
    BIO_free(out);
  }
  ~SelfSigned() {
    std::remove(certificate.c_str());
    std::remove(key.c_str());
  }
};

TEST(HttpClient, TrustsNoCertificateThatDoesNotVerify) {
  const SelfSigned self;
  LoopbackServer server([](const Request&) { return Answer{.body = "safe"}; }, self.certificate,
                        self.key);
  const Error error = error_of({.url = server.url("/")});
  EXPECT_EQ(error.code(), ErrorCode::kUnauthorized);
  EXPECT_THAT(error.message(), HasSubstr("certificate"));
  EXPECT_EQ(send({.url = server.url("/")}, {.ca_file = self.certificate}).body.view(), "safe");
}

TEST(HttpClient, RefusesWhatCannotBeSent) {
  EXPECT_EQ(error_of({.url = "ftp://h/x"}).code(), ErrorCode::kInvalid);
  EXPECT_EQ(error_of({.url = "no url"}).code(), ErrorCode::kInvalid);
  const Error error =
      error_of({.url = "http://127.0.0.1/", .credentials = {{"Authorization", "Bearer t0p\n"}}});
  EXPECT_EQ(error.code(), ErrorCode::kInvalid);
  EXPECT_THAT(error.message(), HasSubstr("Authorization"));
  EXPECT_THAT(error.message(), Not(HasSubstr("t0p")));
}

TEST(HttpClient, KeepsItsConnection) {
  LoopbackServer server([](const Request& request) {
    return Answer{.body = std::string(request.headers.find("REMOTE_PORT").value_or("none"))};
  });
  const auto client = make_http_client({});
  const HttpResponse first = client->send({.url = server.url("/1")}, Cancellation());
  const HttpResponse second = client->send({.url = server.url("/2")}, Cancellation());
  EXPECT_NE(first.body.view(), "none");
  EXPECT_EQ(first.body.view(), second.body.view());
}

// Keeps its first connection after one answer and breaks it in the middle of the next exchange;
// after an answer that is cut short at once.
class BreakingServer {
 public:
  explicit BreakingServer(std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      : answer_(answer), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~BreakingServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }
  std::vector<std::string> bodies() const {
    const std::lock_guard guard(mutex_);
    return bodies_;
  }

 private:
  void serve() {
    for (int client; (client = ::accept(listener_, nullptr, nullptr)) >= 0; ::close(client)) {
      while (read_request(client) && bodies().size() != 2) {
        EXPECT_EQ(::send(client, answer_.data(), answer_.size(), 0), std::ssize(answer_));
        if (!answer_.ends_with("\r\n\r\n")) break;
      }
    }
  }
  bool read_request(int client) {
    std::string text;
    while (!text.ends_with(!text.starts_with("PUT") ? "\r\n\r\n" : "end")) {
      char buffer[4096];
      const ssize_t count = ::recv(client, buffer, sizeof buffer, 0);
      if (count <= 0) return false;
      text.append(buffer, static_cast<size_t>(count));
    }
    const std::lock_guard guard(mutex_);
    bodies_.push_back(text.substr(text.find("\r\n\r\n") + 4));
    return true;
  }

  const std::string_view answer_;
  const int listener_;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> bodies_;
  std::thread thread_;
};

void expect_sent_once(const std::string& method, const std::string& body) {
  BreakingServer server;
  const auto client = make_http_client({});
  client->send({.url = server.url()}, Cancellation());
  try {
    client->send({.method = method, .url = server.url(), .body = body, .is_repeatable = false},
                 Cancellation());
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
    EXPECT_THAT(error.message(), HasSubstr("broke before an answer came"));
  }
  EXPECT_THAT(server.bodies(), ElementsAre("", body));
}

TEST(HttpClient, SendsOnceWhatMustNotBeRepeatedThoughAKeptConnectionBreaks) {
  expect_sent_once("PUT", "the end");
  expect_sent_once("DELETE", "");
}

TEST(HttpClient, HeadersThatEndEarlyAreAnErrorThatMayBeTriedAgain) {
  for (const char* answer : {"HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nETa",
                             "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"}) {
    const BreakingServer server(answer);
    EXPECT_EQ(error_of({.url = server.url()}).code(), ErrorCode::kUnavailable) << answer;
  }
}

TEST(Redirect, KeepsCredentialsOnTheSameOriginOnly) {
  LoopbackServer other([](const Request&) { return Answer{.body = "other"}; });
  LoopbackServer server([&](const Request& request) {
    if (request.target == "/there") {
      return Answer{.status = 302, .headers = {{"Location", other.url("/x")}}};
    }
    if (request.target == "/here") return Answer{.status = 307, .headers = {{"Location", "/end"}}};
    return Answer{.body = "here"};
  });
  const Headers credentials = {{"Authorization", "Bearer t"}, {"X-Api-Key", "k"}};

  const HttpResponse here = send({.url = server.url("/here"), .credentials = credentials});
  EXPECT_EQ(here.body.view(), "here");
  EXPECT_EQ(here.url, server.url("/end"));
  EXPECT_EQ(server.requests().back().headers.find("X-Api-Key"), "k");

  const HttpResponse there = send({.url = server.url("/there"), .credentials = credentials});
  EXPECT_EQ(there.body.view(), "other");
  EXPECT_EQ(other.requests().at(0).headers.find("Authorization"), std::nullopt);
  EXPECT_EQ(other.requests().at(0).headers.find("X-Api-Key"), std::nullopt);
}

TEST(Redirect, OnlyPermanentOnesRepeatThePost) {
  LoopbackServer server([](const Request& request) {
    if (request.target == "/302") return Answer{.status = 302, .headers = {{"Location", "/end"}}};
    if (request.target == "/308") return Answer{.status = 308, .headers = {{"Location", "/end"}}};
    return Answer{.body = request.method + request.body};
  });
  EXPECT_EQ(send({.method = "POST", .url = server.url("/302"), .body = "b"}).body.view(), "GET");
  EXPECT_EQ(send({.method = "POST", .url = server.url("/308"), .body = "b"}).body.view(), "POSTb");
}

TEST(Redirect, IsAnAnswerWhenNotFollowedAndAnErrorWithoutEnd) {
  LoopbackServer server(
      [](const Request&) { return Answer{.status = 302, .headers = {{"Location", "/again"}}}; });
  EXPECT_EQ(send({.url = server.url("/"), .follows_redirects = false}).status, 302);
  const Error error = error_of({.url = server.url("/")});
  EXPECT_THAT(error.message(), HasSubstr("redirects"));
  EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace tidemark::net
