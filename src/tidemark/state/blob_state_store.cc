#include "tidemark/state/blob_state_store.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/base/glob.h"
#include "tidemark/blob/blob_store.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kStateFile = "/state.json";
constexpr auto kTornFor = 2s;
constexpr auto kTornPoll = 20ms;

// The part in front of the first `/`, which is taken off with it.
std::string_view take_part(std::string_view& path) {
  const size_t end = path.find('/');
  const std::string_view part = path.substr(0, end);
  path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  return part;
}

// Python's glob on paths: part by part, and a name that begins with a point only where the pattern
// does.
bool shell_match(std::string_view pattern, std::string_view path) {
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = take_part(pattern);
    const std::string_view part = take_part(path);
    if (part.starts_with('.') && !wanted.starts_with('.')) return false;
    if (!glob_match(wanted, part)) return false;
  }
  return pattern.empty() && path.empty();
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view label_of(BlobStateKind kind) {
  switch (kind) {
    case BlobStateKind::kFile:
      return "Local Filesystem";
    case BlobStateKind::kS3:
      return "AWS S3";
    case BlobStateKind::kGcs:
      return "Google Cloud Storage";
    case BlobStateKind::kAzure:
      return "Azure Blob Storage";
  }
  return {};
}

class BlobStateStore final : public StateStore {
 public:
  BlobStateStore(blob::BlobStore& objects, BlobStateKind kind, const Context& context)
      : objects_(objects), kind_(kind), context_(context) {}

  std::optional<StoredState> load(std::string_view id) override {
    check_blob_id(id);
    const auto deadline = context_.clock.steady_now() + kTornFor;
    while (true) {
      const auto blob = objects_.get(state_key(id));
      if (!blob) return std::nullopt;
      try {
        return StoredState{read_document(blob->bytes), Revision{blob->version.text}};
      } catch (const Error& error) {
        if (kind_ != BlobStateKind::kFile || context_.clock.steady_now() >= deadline) {
          throw Error(error.code(), fmt::format("state {} in {}: {}; {}", id, describe(),
                                                error.message(), kHowToRepair));
        }
      }
      context_.sleeper.sleep(kTornPoll, context_.cancellation);
    }
  }

  std::optional<RawState> load_raw(std::string_view id) override {
    check_blob_id(id);
    auto blob = objects_.get(state_key(id));
    if (!blob) return std::nullopt;
    return RawState{std::move(blob->bytes), Revision{std::move(blob->version.text)}};
  }

  std::optional<Revision> save(std::string_view id, const Document& document,
                               const std::optional<Revision>& expected) override {
    check_blob_id(id);
    blob::Condition condition = blob::IfAbsent();
    if (expected) condition = blob::IfMatch{{expected->text}};
    const auto version = objects_.put(state_key(id), write_document(document), condition);
    return version ? std::optional(Revision{version->text}) : std::nullopt;
  }

  bool remove(std::string_view id, const Revision& expected) override {
    check_blob_id(id);
    return objects_.remove(state_key(id), blob::IfMatch{{expected.text}});
  }

  void list(std::string_view pattern,
            const std::function<void(std::string_view id)>& visit) override {
    // Several IDs can have one last part, and their order is not that of the last parts.
    std::set<std::string, std::less<>> shown;
    for (const std::string& id : find_ids(pattern.empty() ? "*" : pattern)) {
      shown.emplace(last_part(id));
    }
    for (const std::string& id : shown) visit(id);
  }

  void list_whole(std::string_view pattern,
                  const std::function<void(std::string_view id)>& visit) override {
    for (const std::string& id : find_ids(pattern)) visit(id);
  }

  std::string describe() const override { return objects_.describe(); }
  std::string_view label() const override { return label_of(kind_); }

 private:
  // Those that match, or all, in byte order, which that of their keys is not.
  std::vector<std::string> find_ids(std::string_view pattern) {
    blob::Listing listing{.skipped = std::string(kRecordsPrefix)};
    if (kind_ == BlobStateKind::kFile && !pattern.empty()) {
      // Such a pattern matches directories of as many parts as it has itself.
      const auto parts = static_cast<size_t>(std::ranges::count(pattern, '/')) + 2;
      listing.leaf = {.parts = parts, .name = std::string(kStateFile.substr(1))};
    }
    std::vector<std::string> ids;
    objects_.list(listing, [&](std::string_view key) {
      if (!key.ends_with(kStateFile) || key.size() == kStateFile.size()) return;
      const std::string_view id = key.substr(0, key.size() - kStateFile.size());
      if (pattern.empty() || is_match(pattern, id)) ids.emplace_back(id);
    });
    std::ranges::sort(ids);
    return ids;
  }

  bool is_match(std::string_view pattern, std::string_view id) const {
    return kind_ == BlobStateKind::kFile ? shell_match(pattern, id)
                                         : glob_match(pattern, last_part(id));
  }

  blob::BlobStore& objects_;
  BlobStateKind kind_;
  Context context_;
};

}  // namespace

std::string state_key(std::string_view id) { return std::string(id).append(kStateFile); }

std::string lock_key(std::string_view id) { return std::string(id).append("/lock"); }

std::string record_key(std::string_view id, std::string_view name) {
  return fmt::format("{}{}/{}", kRecordsPrefix, id, name);
}

void check_blob_id(std::string_view id) {
  const auto refuse = [&](std::string_view why) {
    throw Error(ErrorCode::kInvalid, fmt::format("state ID `{}` {}", id, why));
  };
  if (id.empty()) refuse("is empty");
  if (id.find('\0') != std::string_view::npos) refuse("holds a zero byte");
  if (id.ends_with('/')) refuse("ends with `/`");
  std::string_view rest = id;
  if (take_part(rest) == ".tidemark")
    refuse("begins with `.tidemark`, where tidemark's records are");
  for (rest = id; !rest.empty();) {
    const std::string_view part = take_part(rest);
    if (part.empty()) refuse("has an empty part before a `/`");
    if (part == "." || part == "..") refuse("has `.` or `..` as a part");
  }
}

std::unique_ptr<StateStore> make_blob_state_store(blob::BlobStore& objects, BlobStateKind kind,
                                                  const Context& context) {
  return std::make_unique<BlobStateStore>(objects, kind, context);
}

}  // namespace tidemark::state
