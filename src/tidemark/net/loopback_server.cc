#include "tidemark/net/loopback_server.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <httplib.h>

namespace tidemark::net {
namespace {

// JSON by a name that httplib does not compress by itself.
constexpr const char* kContentType = "application/vnd.api+json";

}  // namespace

struct LoopbackServer::Impl {
  Impl(Handler answer_with, std::string address, std::unique_ptr<httplib::Server> http)
      : handler(std::move(answer_with)), origin(std::move(address)), server(std::move(http)) {}

  Handler handler;
  std::string origin;
  std::unique_ptr<httplib::Server> server;
  int port = 0;
  std::thread thread;
  mutable std::mutex mutex;
  std::condition_variable stopping;
  bool is_stopping = false;
  std::vector<Request> requests;

  void answer(const httplib::Request& in, httplib::Response& out) {
    Request request{.method = in.method, .target = in.target, .headers = {}, .body = in.body};
    for (const auto& [name, value] : in.headers) request.headers.add(name, value);
    {
      const std::lock_guard lock(mutex);
      requests.push_back(request);
    }
    Answer answer = handler(request);
    if (answer.is_held) hold();
    out.status = answer.status;
    for (const auto& [name, value] : answer.headers) out.headers.emplace(name, value);
    if (answer.drip.count() > 0) {
      drip(out, std::move(answer));
    } else if (answer.claimed_length > 0) {
      cut_short(out, answer);
    } else {
      out.set_content(std::move(answer.body), kContentType);
    }
  }

  void hold() {
    std::unique_lock lock(mutex);
    stopping.wait(lock, [this] { return is_stopping; });
  }

  bool stops_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex);
    return stopping.wait_for(lock, time, [this] { return is_stopping; });
  }

  void drip(httplib::Response& out, Answer answer) {
    const size_t size = answer.body.size();
    out.set_content_provider(
        size, kContentType,
        [this, answer = std::move(answer)](size_t offset, size_t, httplib::DataSink& sink) {
          return !stops_within(answer.drip) && sink.write(answer.body.data() + offset, 1);
        });
  }

  static void cut_short(httplib::Response& out, const Answer& answer) {
    out.set_content_provider(answer.claimed_length, kContentType,
                             [body = answer.body](size_t, size_t, httplib::DataSink& sink) {
                               sink.write(body.data(), body.size());
                               return false;
                             });
  }
};

LoopbackServer::LoopbackServer(Handler handler)
    : LoopbackServer(std::make_unique<Impl>(std::move(handler), "http://127.0.0.1",
                                            std::make_unique<httplib::Server>())) {}

LoopbackServer::LoopbackServer(Handler handler, const std::string& certificate,
                               const std::string& key)
    : LoopbackServer(std::make_unique<Impl>(
          std::move(handler), "https://localhost",
          std::make_unique<httplib::SSLServer>(certificate.c_str(), key.c_str()))) {}

LoopbackServer::LoopbackServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
  const auto answer = [at = impl_.get()](const httplib::Request& in, httplib::Response& out) {
    at->answer(in, out);
  };
  httplib::Server& server = *impl_->server;
  server.Get(".*", answer).Post(".*", answer).Put(".*", answer).Delete(".*", answer);
  server.set_keep_alive_timeout(1);
  // Else every answer on a kept connection waits 40 ms for an acknowledgement.
  server.set_tcp_nodelay(true);
  impl_->port = server.bind_to_any_port("127.0.0.1");
  impl_->thread = std::thread([&server] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();
}

LoopbackServer::~LoopbackServer() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->is_stopping = true;
  }
  impl_->stopping.notify_all();
  impl_->server->stop();
  impl_->thread.join();
}

std::string LoopbackServer::url(std::string_view target) const {
  return fmt::format("{}:{}{}", impl_->origin, impl_->port, target);
}

std::vector<LoopbackServer::Request> LoopbackServer::requests() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->requests;
}

std::vector<std::string> LoopbackServer::targets() const {
  std::vector<std::string> targets;
  for (const Request& request : requests()) targets.push_back(request.target);
  return targets;
}

}  // namespace tidemark::net
