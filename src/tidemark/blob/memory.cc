#include "tidemark/blob/memory.h"

#include <map>
#include <mutex>
#include <vector>

#include "tidemark/blob/key.h"

namespace tidemark::blob {
namespace {

class MemoryStore final : public BlobStore {
 public:
  explicit MemoryStore(Clock& clock) : clock_(clock) {}

  std::optional<Blob> get(std::string_view key) override {
    const std::lock_guard lock(mutex_);
    const Blob* blob = find("get", key);
    return blob != nullptr ? std::optional(*blob) : std::nullopt;
  }

  std::optional<BlobInfo> stat(std::string_view key) override {
    const std::lock_guard lock(mutex_);
    const Blob* blob = find("stat", key);
    if (blob == nullptr) return std::nullopt;
    return BlobInfo{.size = blob->bytes.size(), .version = blob->version};
  }

  std::optional<Version> put(std::string_view key, std::string_view bytes,
                             const Condition& condition) override {
    const std::lock_guard lock(mutex_);
    if (!holds(condition, find("put", key))) return std::nullopt;
    Version version{std::to_string(++generation_)};
    blobs_.insert_or_assign(std::string(key), Blob{std::string(bytes), version});
    return version;
  }

  bool remove(std::string_view key, const Condition& condition) override {
    in_call("remove", key, *this, [&] { check_remove_condition(condition); });
    const std::lock_guard lock(mutex_);
    const Blob* blob = find("remove", key);
    if (blob == nullptr) return true;
    if (!holds(condition, blob)) return false;
    blobs_.erase(blobs_.find(key));
    return true;
  }

  void list(const Listing& listing,
            const std::function<void(const Listed& listed)>& visit) override {
    for (const auto& [key, size] : listed(listing)) visit({.key = key, .size = size});
  }

  Time store_time() override { return clock_.now(); }
  Capabilities capabilities() const override { return {}; }
  std::string describe() const override { return "memory:"; }

 private:
  const Blob* find(std::string_view operation, std::string_view key) const {
    in_call(operation, key, *this, [&] { check_key(key); });
    const auto found = blobs_.find(key);
    return found != blobs_.end() ? &found->second : nullptr;
  }

  static bool holds(const Condition& condition, const Blob* blob) {
    if (const auto* match = std::get_if<IfMatch>(&condition)) {
      return blob != nullptr && blob->version == match->version;
    }
    return std::holds_alternative<Always>(condition) || blob == nullptr;
  }

  // What the visitor does with the store must not find it locked.
  std::vector<std::pair<std::string, uint64_t>> listed(const Listing& listing) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::pair<std::string, uint64_t>> found;
    for (auto at = blobs_.lower_bound(listing.prefix);
         at != blobs_.end() && at->first.starts_with(listing.prefix); ++at) {
      if (is_listed(listing, at->first)) found.emplace_back(at->first, at->second.bytes.size());
    }
    return found;
  }

  Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::string, Blob, std::less<>> blobs_;
  uint64_t generation_ = 0;
};

}  // namespace

std::unique_ptr<BlobStore> make_memory_store(Clock& clock) {
  return std::make_unique<MemoryStore>(clock);
}

}  // namespace tidemark::blob
