#include "tidemark/blob/local.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/hash.h"
#include "tidemark/blob/key.h"
#include "tidemark/os/lock_file.h"
#include "tidemark/os/process.h"

namespace tidemark::blob {
namespace {

using os::Path;
using os::PathKind;
using std::chrono::milliseconds;

constexpr std::string_view kOurs = ".tidemark";
constexpr std::string_view kLockName = "flock";
constexpr size_t kTemporaryNameLength = 16;

bool is_ours(std::string_view key) {
  return key.starts_with(kOurs) && key.substr(kOurs.size()).starts_with('/');
}

// Whether the name in a directory of locks is that of the lock or of a temporary file.
bool is_reserved_name(std::string_view name) {
  return name == kLockName || (name.size() == kTemporaryNameLength &&
                               name.find_first_not_of("0123456789abcdef") == std::string::npos);
}

std::string_view last_part(std::string_view key) { return key.substr(key.rfind('/') + 1); }

void check_local_key(std::string_view key) {
  check_key(key);
  if (key.starts_with('/') || key.ends_with('/') || key.find("//") != std::string_view::npos) {
    throw Error(ErrorCode::kInvalid, "a file store takes no key with an empty part");
  }
  if (key.find('\0') != std::string_view::npos) {
    throw Error(ErrorCode::kInvalid, "a file store takes no key with a NUL character");
  }
  if (is_ours(key) && is_reserved_name(last_part(key))) {
    throw Error(ErrorCode::kInvalid, "the file store keeps this name for itself");
  }
}

// Both without links.
bool is_inside(const Path& path, const Path& directory) {
  return std::ranges::mismatch(directory, path).in1 == directory.end();
}

Version version_of(std::string_view bytes) { return {to_hex(sha256(bytes))}; }

// The keys of a listing, found by walking the directories that may hold some.
class Walk {
 public:
  Walk(const Path& root, const Listing& listing) : root_(root), listing_(listing) {}

  std::vector<std::string> keys() && {
    visit(root_, "");
    // Not the order of the walk: `a.b` is before `a/b`, but after the directory `a`.
    std::ranges::sort(keys_);
    return std::move(keys_);
  }

 private:
  void visit(const Path& directory, const std::string& folder) {
    if (listing_.leaf && is_above_leaf(folder)) {
      const std::string key = folder + listing_.leaf->name;
      if (is_listed(listing_, key) && os::entry_kind(root_ / key) == PathKind::kFile) add(key);
      return;
    }
    if (listing_.prefix.find('/', folder.size()) != std::string::npos &&
        listing_.prefix.starts_with(folder)) {
      visit_next_of_prefix(directory, folder);
      return;
    }
    for (const os::Entry& entry : os::list_entries(directory)) {
      const std::string key = folder + entry.name;
      if (entry.kind == PathKind::kDirectory) {
        if (may_hold_some(key + "/")) visit(directory / entry.name, key + "/");
      } else if (entry.kind == PathKind::kOther) {
        visit_link(directory / entry.name, key + "/");
      } else if (entry.kind == PathKind::kFile && is_listed(listing_, key)) {
        add(key);
      }
    }
  }

  void add(const std::string& key) {
    if (!is_ours(key) || !is_reserved_name(last_part(key))) keys_.push_back(key);
  }

  // Whether the leaf, if there is one here, is a file in this folder.
  bool is_above_leaf(std::string_view folder) const {
    return static_cast<size_t>(std::ranges::count(folder, '/')) + 1 == listing_.leaf->parts;
  }

  // The prefix names the only directory of interest, which need not be looked for.
  void visit_next_of_prefix(const Path& directory, const std::string& folder) {
    const size_t end = listing_.prefix.find('/', folder.size());
    const std::string name = listing_.prefix.substr(folder.size(), end - folder.size());
    if (name.empty() || name == "." || name == "..") return;
    const PathKind kind = os::entry_kind(directory / name);
    if (kind == PathKind::kOther) visit_link(directory / name, folder + name + "/");
    if (kind == PathKind::kDirectory && may_hold_some(folder + name + "/")) {
      visit(directory / name, folder + name + "/");
    }
  }

  // A link to a directory, unless it is the root or around it, or the link is below another one:
  // a walk along those need not end.
  void visit_link(const Path& link, const std::string& folder) {
    if (is_below_link_ || !may_hold_some(folder)) return;
    if (os::path_kind(link) != PathKind::kDirectory) return;
    if (is_inside(os::resolve_links(root_), os::resolve_links(link))) return;
    is_below_link_ = true;
    visit(link, folder);
    is_below_link_ = false;
  }

  bool may_hold_some(std::string_view folder) const {
    const bool is_on_the_way =
        folder.starts_with(listing_.prefix) || listing_.prefix.starts_with(folder);
    const bool is_before = folder < listing_.after && !listing_.after.starts_with(folder);
    const bool is_skipped = !listing_.skipped.empty() && folder.starts_with(listing_.skipped);
    return is_on_the_way && !is_before && !is_skipped;
  }

  const Path& root_;
  const Listing& listing_;
  bool is_below_link_ = false;
  std::vector<std::string> keys_;
};

// Where the lock of a directory with keys is, and where the files are made that are moved into it.
struct Workplace {
  Path locks;
  Path temporaries;
};

class LocalStore final : public BlobStore {
 public:
  LocalStore(Path root, LocalEnvironment environment, milliseconds patience)
      : root_(std::move(root)), environment_(environment), patience_(patience) {}

  std::optional<Blob> get(std::string_view key) override {
    return in_call("get", key, *this, [&] { return read(key); });
  }

  std::optional<BlobInfo> stat(std::string_view key) override {
    return in_call("stat", key, *this, [&]() -> std::optional<BlobInfo> {
      std::optional<Blob> blob = read(key);
      if (!blob) return std::nullopt;
      return BlobInfo{.size = blob->bytes.size(), .version = std::move(blob->version)};
    });
  }

  std::optional<Version> put(std::string_view key, std::string_view bytes,
                             const Condition& condition) override {
    return in_call("put", key, *this, [&]() -> std::optional<Version> {
      check_local_key(key);
      // Looked at again under the lock: here it spares making directories.
      if (!holds(key, condition) || !write(key, bytes, condition)) return std::nullopt;
      return version_of(bytes);
    });
  }

  bool remove(std::string_view key, const Condition& condition) override {
    return in_call("remove", key, *this, [&] {
      check_remove_condition(condition);
      if (!read(key)) return true;
      const Workplace workplace = workplace_of(key);
      os::make_directories(workplace.locks);
      const auto lock = lock_for("remove", key, workplace);
      if (!holds(key, condition)) return false;
      os::remove_file(root_ / key);
      remove_empty_parents(key);
      return true;
    });
  }

  void list(const Listing& listing,
            const std::function<void(const Listed& listed)>& visit) override {
    const std::vector<std::string> keys =
        in_call("list", listing.prefix, *this, [&] { return Walk(root_, listing).keys(); });
    for (const std::string& key : keys) visit({.key = key});
  }

  Time store_time() override {
    return in_call("ask the time", "", *this, [&] {
      const Path directory = root_ / kOurs;
      os::make_directories(directory);
      const Path file = directory / random_hex(environment_.random, kTemporaryNameLength / 2);
      // The clock of a network file system is the server's, which knows of a write once it is
      // synced.
      os::write_new_file(file, "");
      const Time time = os::modification_time(file);
      os::remove_file(file);
      return time;
    });
  }

  Capabilities capabilities() const override { return {.time_takes_write = true}; }
  std::string describe() const override { return "file://" + root_.native(); }

 private:
  std::optional<Blob> read(std::string_view key) const {
    check_local_key(key);
    if (!is_file(key)) return std::nullopt;
    std::optional<std::string> bytes = os::read_file_if_exists(root_ / key);
    if (!bytes) return std::nullopt;
    Version version = version_of(*bytes);
    return Blob{.bytes = std::move(*bytes), .version = std::move(version)};
  }

  // Whoever may write here may put a directory elsewhere and link to it. A link in the place of the
  // file itself would be replaced.
  bool is_file(std::string_view key) const {
    for (size_t end = 0; end != key.size();) {
      end = std::min(key.find('/', end + 1), key.size());
      const Path path = root_ / key.substr(0, end);
      PathKind kind = os::entry_kind(path);
      if (kind == PathKind::kMissing) return false;
      if (kind == PathKind::kOther && end != key.size()) kind = os::path_kind(path);
      if (kind == PathKind::kOther || kind == PathKind::kMissing) {
        throw Error(ErrorCode::kInvalid,
                    fmt::format("'{}' is {}", key.substr(0, end),
                                end == key.size() ? "a link or a device where a file is expected"
                                                  : "a link that leads to no directory"));
      }
      if (end == key.size()) return kind == PathKind::kFile;
      if (kind == PathKind::kFile) return false;
    }
    return false;
  }

  bool holds(std::string_view key, const Condition& condition) const {
    const auto* match = std::get_if<IfMatch>(&condition);
    if (match == nullptr) return true;
    const std::optional<Blob> current = read(key);
    return current && current->version == match->version;
  }

  Workplace workplace_of(std::string_view key) const {
    const Path folder = key.substr(0, key.size() - last_part(key).size());
    if (is_ours(key)) return {root_ / folder, root_ / folder};
    const Path locks = root_ / kOurs / folder;
    const std::optional<Path> target = link_target(key);
    if (!target) return {locks, locks};
    const Path root = os::resolve_links(root_);
    if (!is_inside(*target, root)) return {locks, *target};
    // Two names of one directory exclude each other.
    const Path own_locks = root_ / kOurs / target->lexically_relative(root);
    return {own_locks, own_locks};
  }

  // The key's directory when a link leads to it.
  std::optional<Path> link_target(std::string_view key) const {
    for (size_t end = key.find('/'); end != std::string_view::npos; end = key.find('/', end + 1)) {
      const PathKind kind = os::entry_kind(root_ / key.substr(0, end));
      if (kind == PathKind::kMissing) break;
      if (kind == PathKind::kOther) return os::resolve_links((root_ / key).parent_path());
    }
    return std::nullopt;
  }

  // Whoever removes the last file of a directory removes the directory too, so one that was there a
  // moment ago may be gone.
  bool write(std::string_view key, std::string_view bytes, const Condition& condition) {
    constexpr int kAttempts = 100;
    for (int attempt = 1;; ++attempt) {
      try {
        const Workplace workplace = make_room_for(key);
        return std::holds_alternative<IfAbsent>(condition)
                   ? os::create_file(root_ / key, bytes, workplace.temporaries, environment_.random)
                   : replace(key, bytes, condition, workplace);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::kNotFound || attempt == kAttempts) throw;
      }
    }
  }

  Workplace make_room_for(std::string_view key) {
    Workplace workplace;
    try {
      os::make_directories((root_ / key).parent_path());
      workplace = workplace_of(key);
      os::make_directories(workplace.locks);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kConflict) throw;
      throw Error(ErrorCode::kInvalid, error.message() + " (no key may lie below another one)");
    }
    if (!is_file(key) && os::path_kind(root_ / key) == PathKind::kDirectory) {
      throw Error(ErrorCode::kInvalid, "there are keys below it");
    }
    return workplace;
  }

  bool replace(std::string_view key, std::string_view bytes, const Condition& condition,
               const Workplace& workplace) {
    const auto lock = lock_for("put", key, workplace);
    if (!holds(key, condition)) return false;
    os::replace_file(root_ / key, bytes, workplace.temporaries, environment_.random);
    return true;
  }

  std::unique_ptr<os::LockFile> lock_for(std::string_view operation, std::string_view key,
                                         const Workplace& workplace) {
    constexpr milliseconds kPoll{1};
    const Path file = workplace.locks / kLockName;
    const os::LockHolder self{.pid = os::process_id(),
                              .host = os::host_name(),
                              .operation = fmt::format("{} {}", operation, key),
                              .since = environment_.clock.now()};
    const auto end = environment_.clock.steady_now() + patience_;
    while (true) {
      auto result = os::LockFile::try_acquire(file, self);
      if (auto* lock = std::get_if<std::unique_ptr<os::LockFile>>(&result)) {
        return std::move(*lock);
      }
      if (environment_.clock.steady_now() >= end) {
        throw Error(ErrorCode::kTimeout,
                    fmt::format("{} is held by {}", file.native(),
                                os::describe(std::get<os::LockHolder>(result))));
      }
      environment_.sleeper.sleep(kPoll, environment_.cancellation);
    }
  }

  void remove_empty_parents(std::string_view key) {
    os::sync_directory((root_ / key).parent_path());
    // Those with locks stay.
    if (is_ours(key)) return;
    for (size_t end = key.rfind('/'); end != std::string_view::npos;
         end = key.substr(0, end).rfind('/')) {
      const Path directory = root_ / key.substr(0, end);
      // A link stays.
      if (os::entry_kind(directory) != PathKind::kDirectory) return;
      if (!os::remove_empty_directory(directory)) return;
    }
  }

  const Path root_;
  LocalEnvironment environment_;
  const milliseconds patience_;
};

}  // namespace

std::unique_ptr<BlobStore> make_local_store(Path root, LocalEnvironment environment,
                                            milliseconds patience) {
  return std::make_unique<LocalStore>(std::move(root), environment, patience);
}

}  // namespace tidemark::blob
