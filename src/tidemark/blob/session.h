#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "tidemark/blob/access_token.h"
#include "tidemark/blob/cloud_environment.h"
#include "tidemark/net/http.h"

namespace tidemark::blob {

// Proves to a service who asks. Thread-safe.
class Signer {
 public:
  virtual ~Signer() = default;

  // now is the time by the service's clock, as far as it is known. A signature that request already
  // has is replaced.
  virtual void sign(net::HttpRequest& request, Time now) = 0;
  // The service refused the signed request with status 401 or 403, and its clock is ahead of the
  // one that was signed by so much. Whether signing again, by its clock, may help.
  virtual bool may_sign_again(const net::HttpRequest& refused, int status,
                              std::chrono::microseconds skew) = 0;
};

// A store's conversation with its service: signs, and keeps the service's clock. Thread-safe.
class Session {
 public:
  Session(const CloudEnvironment& environment, std::unique_ptr<Signer> signer);

  // Signs request and gives the answer, whatever its status. A request that was refused because its
  // token ended or because this host's clock is off is signed and sent once more: a refused one has
  // had no effect. request is left as it was sent, so that messages can leave out its secrets.
  net::HttpResponse send(net::HttpRequest& request);

  // As the Date of the last answer said it, and what has passed since. Nothing before the first.
  std::optional<Time> service_time() const;

 private:
  struct Heard {
    Time service;
    std::chrono::microseconds at;  // of the clock that does not stop in suspension
  };

  // By which time a request is signed, and what that took the skew for.
  struct Signing {
    Time time;
    std::chrono::microseconds skew;
  };

  Signing begin_signing() const;
  // How far the service's clock is ahead of the one that was signed by.
  std::chrono::microseconds hear(const net::HttpResponse& response, const Signing& signing);

  CloudEnvironment environment_;
  std::unique_ptr<Signer> signer_;
  mutable std::mutex mutex_;
  std::optional<Heard> heard_;
  std::chrono::microseconds skew_{0};  // the service's clock less ours, once that got us refused
};

// For a service that asks nobody who he is.
std::unique_ptr<Signer> make_anonymous_signer();
// `Authorization: Bearer` with a token of the source, which is renewed once when it is refused.
std::unique_ptr<Signer> make_bearer_signer(std::unique_ptr<TokenSource> source, Clock& clock);

}  // namespace tidemark::blob
