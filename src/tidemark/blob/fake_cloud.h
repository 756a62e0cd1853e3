#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemark/blob/cloud_environment.h"
#include "tidemark/net/http.h"

// For tests.
namespace tidemark::blob {

inline net::HttpResponse http_answer(int status, std::string_view body = {},
                                     net::Headers headers = {}) {
  net::HttpResponse response{
      .status = status, .headers = std::move(headers), .body = {}, .url = {}};
  response.body.append(body);
  return response;
}

// An answer as data, to be given more than once: a response cannot be copied.
struct Canned {
  int status = 200;
  std::string body = {};
  net::Headers headers = {};

  net::HttpResponse operator()() const { return http_answer(status, body, headers); }
};

// Answers as the test says and keeps what it was asked; has no connections.
class FakeHttp final : public net::HttpClient {
 public:
  using Answer = std::function<net::HttpResponse(const net::HttpRequest& request)>;

  net::HttpResponse send(const net::HttpRequest& request,
                         const Cancellation& cancellation) override {
    cancellation.throw_if_cancelled();
    requests.push_back(request);
    return answer(request);
  }

  Answer answer = [](const net::HttpRequest&) { return http_answer(500, "nothing was expected"); };
  std::vector<net::HttpRequest> requests;
};

// A cloud without a network: everything that a store of one needs.
struct FakeCloud {
  FakeHttp http;
  FakeHttp metadata_http;
  ManualClock clock{Time(std::chrono::seconds(1'767'225'600))};  // Thu, 01 Jan 2026 00:00:00 GMT
  os::Environment variables;
  Cancellation cancellation;

  CloudEnvironment environment() {
    return {.http = http,
            .metadata_http = metadata_http,
            .clock = clock,
            .variables = variables,
            .cancellation = cancellation};
  }
};

}  // namespace tidemark::blob
