#include "tidemark/blob/test_stores.h"

#include <thread>

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::blob {
namespace {

// Half of it before the call whose scope this is in, half after.
class Delay {
 public:
  explicit Delay(std::chrono::microseconds delay) : half_(delay / 2) {
    std::this_thread::sleep_for(half_);
  }
  ~Delay() { std::this_thread::sleep_for(half_); }
  Delay(const Delay&) = delete;
  Delay& operator=(const Delay&) = delete;

 private:
  std::chrono::microseconds half_;
};

// Does the call unless the fault comes before it.
template <typename Do>
auto under(Fault fault, const BlobStore& store, std::string_view what, const Do& call) {
  const bool is_late = fault == Fault::kNoAnswer || fault == Fault::kAnswerLate;
  const Error error(fault == Fault::kForbidden ? ErrorCode::kUnauthorized
                    : is_late                  ? ErrorCode::kTimeout
                                               : ErrorCode::kUnavailable,
                    fmt::format("{} in {}: a fault of the test", what, store.describe()));
  if (fault == Fault::kRefused || fault == Fault::kNoAnswer || fault == Fault::kForbidden) {
    throw Error(error);
  }
  auto result = call();
  if (fault == Fault::kAnswerLost || fault == Fault::kAnswerLate) throw Error(error);
  return result;
}

}  // namespace

std::optional<Blob> DistantStore::get(std::string_view key) {
  const Delay delay(delay_);
  return ForwardingStore::get(key);
}

std::optional<BlobInfo> DistantStore::stat(std::string_view key) {
  const Delay delay(delay_);
  return ForwardingStore::stat(key);
}

std::optional<Version> DistantStore::put(std::string_view key, std::string_view bytes,
                                         const Condition& condition) {
  const Delay delay(delay_);
  return ForwardingStore::put(key, bytes, condition);
}

bool DistantStore::remove(std::string_view key, const Condition& condition) {
  const Delay delay(delay_);
  return ForwardingStore::remove(key, condition);
}

void DistantStore::list(const Listing& listing,
                        const std::function<void(const Listed& listed)>& visit) {
  const Delay delay(delay_);
  ForwardingStore::list(listing, visit);
}

Fault FaultyStore::next(std::string_view operation, std::string_view key) {
  return decide_({.number = ++calls_, .operation = operation, .key = key});
}

std::optional<Blob> FaultyStore::get(std::string_view key) {
  return under(next("get", key), *this, "get", [&] { return ForwardingStore::get(key); });
}

std::optional<BlobInfo> FaultyStore::stat(std::string_view key) {
  return under(next("stat", key), *this, "stat", [&] { return ForwardingStore::stat(key); });
}

std::optional<Version> FaultyStore::put(std::string_view key, std::string_view bytes,
                                        const Condition& condition) {
  const Fault fault = next("put", key);
  if (fault == Fault::kConditionLost) return std::nullopt;
  return under(fault, *this, "put", [&] { return ForwardingStore::put(key, bytes, condition); });
}

bool FaultyStore::remove(std::string_view key, const Condition& condition) {
  const Fault fault = next("remove", key);
  if (fault == Fault::kConditionLost) return false;
  return under(fault, *this, "remove", [&] { return ForwardingStore::remove(key, condition); });
}

void FaultyStore::list(const Listing& listing,
                       const std::function<void(const Listed& listed)>& visit) {
  under(next("list", listing.prefix), *this, "list", [&] {
    ForwardingStore::list(listing, visit);
    return true;
  });
}

Time FaultyStore::store_time() {
  return under(next("store_time", ""), *this, "store_time",
               [&] { return ForwardingStore::store_time(); });
}

FaultyStore::Decide fail_call(uint64_t number, Fault fault) {
  return [=](const Call& call) { return call.number == number ? fault : Fault::kNone; };
}

}  // namespace tidemark::blob
