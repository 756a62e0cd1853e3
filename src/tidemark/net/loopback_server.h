#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/net/http.h"

namespace tidemark::net {

// For tests: a real HTTP server on 127.0.0.1 that answers as the test says and keeps what it was
// asked. Make it before the client, so that it outlives the client's connections.
class LoopbackServer {
 public:
  struct Request {
    std::string method;
    std::string target;  // path and query as they came
    Headers headers;
    std::string body;
  };
  struct Answer {
    int status = 200;
    Headers headers{};
    std::string body{};
    // A Content-Length beyond the body: the connection is closed after the body.
    size_t claimed_length = 0;
    // Between the bytes of the body.
    std::chrono::milliseconds drip{0};
    // No answer at all until the server goes.
    bool is_held = false;
  };
  using Handler = std::function<Answer(const Request&)>;

  explicit LoopbackServer(Handler handler);
  // HTTPS with that certificate and key, both PEM files.
  LoopbackServer(Handler handler, const std::string& certificate, const std::string& key);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  // http://127.0.0.1:port + target; https://localhost:port for HTTPS
  std::string url(std::string_view target = "") const;
  std::vector<Request> requests() const;
  // Of the requests so far.
  std::vector<std::string> targets() const;

 private:
  struct Impl;
  explicit LoopbackServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemark::net
