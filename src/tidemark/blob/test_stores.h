#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include "tidemark/blob/blob_store.h"

// For tests.
namespace tidemark::blob {

// Another store's, all of it; doubles replace a part.
class ForwardingStore : public BlobStore {
 public:
  explicit ForwardingStore(BlobStore& inner) : inner_(inner) {}

  std::optional<Blob> get(std::string_view key) override { return inner_.get(key); }
  std::optional<BlobInfo> stat(std::string_view key) override { return inner_.stat(key); }
  std::optional<Version> put(std::string_view key, std::string_view bytes,
                             const Condition& condition) override {
    return inner_.put(key, bytes, condition);
  }
  bool remove(std::string_view key, const Condition& condition) override {
    return inner_.remove(key, condition);
  }
  void list(const Listing& listing,
            const std::function<void(const Listed& listed)>& visit) override {
    inner_.list(listing, visit);
  }
  Time store_time() override { return inner_.store_time(); }
  Capabilities capabilities() const override { return inner_.capabilities(); }
  std::string describe() const override { return inner_.describe(); }

 private:
  BlobStore& inner_;
};

// A store that is far away: half the delay passes before a call takes effect, half after it.
class DistantStore final : public ForwardingStore {
 public:
  DistantStore(BlobStore& inner, std::chrono::microseconds delay)
      : ForwardingStore(inner), delay_(delay) {}

  std::optional<Blob> get(std::string_view key) override;
  std::optional<BlobInfo> stat(std::string_view key) override;
  std::optional<Version> put(std::string_view key, std::string_view bytes,
                             const Condition& condition) override;
  bool remove(std::string_view key, const Condition& condition) override;
  void list(const Listing& listing,
            const std::function<void(const Listed& listed)>& visit) override;

 private:
  const std::chrono::microseconds delay_;
};

// What becomes of one call.
enum class Fault {
  kNone,
  kRefused,       // kUnavailable, without effect: 500, 503, a connection refused or reset
  kNoAnswer,      // kTimeout, without effect
  kAnswerLost,    // takes effect, then kUnavailable: a connection reset
  kAnswerLate,    // takes effect, then kTimeout
  kForbidden,     // kUnauthorized
  kConditionLost  // of put and remove: the condition did not hold, whatever it was; else as kNone
};

struct Call {
  uint64_t number = 1;         // of this store, from 1
  std::string_view operation;  // get, stat, put, remove, list, store_time
  std::string_view key;        // of a listing the prefix
};

// A store that fails where it is told to. Thread-safe when the decision is.
class FaultyStore final : public ForwardingStore {
 public:
  using Decide = std::function<Fault(const Call& call)>;

  FaultyStore(BlobStore& inner, Decide decide)
      : ForwardingStore(inner), decide_(std::move(decide)) {}

  std::optional<Blob> get(std::string_view key) override;
  std::optional<BlobInfo> stat(std::string_view key) override;
  std::optional<Version> put(std::string_view key, std::string_view bytes,
                             const Condition& condition) override;
  bool remove(std::string_view key, const Condition& condition) override;
  void list(const Listing& listing,
            const std::function<void(const Listed& listed)>& visit) override;
  Time store_time() override;

  uint64_t calls() const { return calls_; }

 private:
  Fault next(std::string_view operation, std::string_view key);

  Decide decide_;
  std::atomic<uint64_t> calls_ = 0;
};

// The fault for the call with that number, none for the others.
FaultyStore::Decide fail_call(uint64_t number, Fault fault);

}  // namespace tidemark::blob
