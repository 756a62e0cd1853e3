#pragma once

#include <atomic>
#include <string>

#include "tidemark/base/random.h"
#include "tidemark/blob/cloud_environment.h"
#include "tidemark/os/files.h"

// For tests.
namespace tidemark::blob {

// Where tests/servers/start-NAME.sh has put a server.
inline std::string server_url(const std::string& name) {
  std::string url = os::read_file(os::Path(TIDEMARK_SERVERS_DIR) / (name + ".url"));
  while (url.ends_with('\n')) url.pop_back();
  return url;
}

// Counts what goes out.
class CountingHttp final : public net::HttpClient {
 public:
  net::HttpResponse send(const net::HttpRequest& request,
                         const Cancellation& cancellation) override {
    ++requests;
    return inner_->send(request, cancellation);
  }

  std::atomic<int> requests = 0;

 private:
  std::unique_ptr<net::HttpClient> inner_ = net::make_http_client({});
};

// What a store needs to talk to a real server.
struct RealCloud {
  CountingHttp http;
  SystemClock clock;
  SystemRandom random;
  os::Environment variables;
  Cancellation cancellation;

  CloudEnvironment environment() {
    return {.http = http,
            .metadata_http = http,
            .clock = clock,
            .variables = variables,
            .cancellation = cancellation};
  }
};

}  // namespace tidemark::blob
