#pragma once

#include "tidemark/base/cancellation.h"
#include "tidemark/base/clock.h"
#include "tidemark/net/http.h"
#include "tidemark/os/environment.h"

namespace tidemark::blob {

// What the store of a cloud needs from outside. Everything outlives the store.
struct CloudEnvironment {
  // Sends again what may be repeated (net::RetryingHttpClient).
  net::HttpClient& http;
  // For the services that give a machine or container its identity: their addresses answer nobody
  // elsewhere, so this one gives up within seconds and does not try again.
  net::HttpClient& metadata_http;
  Clock& clock;
  const os::Environment& variables;
  // Ends whatever call is under way, with Error kCancelled.
  const Cancellation& cancellation;
};

}  // namespace tidemark::blob
