#include "tidemark/blob/session.h"

#include "tidemark/net/http_date.h"

namespace tidemark::blob {
namespace {

using std::chrono::microseconds;

class AnonymousSigner final : public Signer {
 public:
  void sign(net::HttpRequest&, Time) override {}
  bool may_sign_again(const net::HttpRequest&, int, microseconds) override { return false; }
};

class BearerSigner final : public Signer {
 public:
  BearerSigner(std::unique_ptr<TokenSource> source, Clock& clock)
      : tokens_(std::move(source), clock) {}

  void sign(net::HttpRequest& request, Time) override {
    request.credentials.set("Authorization", std::string(kScheme) + tokens_.get().reveal());
  }

  bool may_sign_again(const net::HttpRequest& refused, int status, microseconds) override {
    if (status != 401) return false;
    const std::string_view value = refused.credentials.find("Authorization").value_or(kScheme);
    tokens_.reject(Secret(std::string(value.substr(kScheme.size()))));
    return true;
  }

 private:
  static constexpr std::string_view kScheme = "Bearer ";

  TokenCache tokens_;
};

}  // namespace

Session::Session(const CloudEnvironment& environment, std::unique_ptr<Signer> signer)
    : environment_(environment), signer_(std::move(signer)) {}

net::HttpResponse Session::send(net::HttpRequest& request) {
  for (bool is_second = false;; is_second = true) {
    const Signing signing = begin_signing();
    signer_->sign(request, signing.time);
    net::HttpResponse response = environment_.http.send(request, environment_.cancellation);
    const microseconds skew = hear(response, signing);
    const bool is_refused = response.status == 401 || response.status == 403;
    if (is_second || !is_refused || !signer_->may_sign_again(request, response.status, skew)) {
      return response;
    }
    // Not added to what it is by now: others may have been refused at the same time.
    const std::lock_guard lock(mutex_);
    skew_ = signing.skew + skew;
  }
}

std::optional<Time> Session::service_time() const {
  const std::lock_guard lock(mutex_);
  if (!heard_) return std::nullopt;
  return heard_->service + (environment_.clock.boot_now() - heard_->at);
}

Session::Signing Session::begin_signing() const {
  const std::lock_guard lock(mutex_);
  return {.time = environment_.clock.now() + skew_, .skew = skew_};
}

microseconds Session::hear(const net::HttpResponse& response, const Signing& signing) {
  const auto date = net::parse_http_date(response.headers.find("Date").value_or(""));
  if (!date) return microseconds(0);
  const std::lock_guard lock(mutex_);
  heard_ = {.service = *date, .at = environment_.clock.boot_now()};
  return *date - (environment_.clock.now() + signing.skew);
}

std::unique_ptr<Signer> make_anonymous_signer() { return std::make_unique<AnonymousSigner>(); }

std::unique_ptr<Signer> make_bearer_signer(std::unique_ptr<TokenSource> source, Clock& clock) {
  return std::make_unique<BearerSigner>(std::move(source), clock);
}

}  // namespace tidemark::blob
