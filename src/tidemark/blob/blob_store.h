#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tidemark/base/clock.h"

namespace tidemark::blob {

// Names the bytes that an object had at one time: an ETag, a generation or a hash, whichever the
// store has. Opaque; equal versions of one key mean equal bytes.
struct Version {
  std::string text;

  bool operator==(const Version&) const = default;
};

// What must hold of the stored object at the moment of a write for it to take effect.
struct Always {};
struct IfAbsent {};
struct IfMatch {
  Version version;
};
using Condition = std::variant<Always, IfAbsent, IfMatch>;

struct Blob {
  std::string bytes;
  Version version;
};

struct BlobInfo {
  uint64_t size = 0;
  Version version;

  bool operator==(const BlobInfo&) const = default;
};

// Keys of so many parts with that last one: `a/b/name` has three.
struct Leaf {
  size_t parts = 1;
  std::string name;
};

// What a listing asks for. A key is passed over when it is not above `after` in byte order, or when
// it begins with `skipped` (nothing when empty); a store that can jump does not ask for those. With
// a leaf only such keys are listed; a directory then looks for that file instead of reading all.
struct Listing {
  std::string prefix = {};
  std::string after = {};
  std::string skipped = {};
  std::optional<Leaf> leaf = {};
};

// An object as a listing shows it, during the visit. Most visitors ask for its key alone.
struct Listed {
  std::string_view key;
  // Nothing where the listing does not say it.
  std::optional<uint64_t> size = {};

  operator std::string_view() const { return key; }
};

// What an implementation promises beyond the interface; the conformance suite takes its
// expectations from it.
struct Capabilities {
  bool conditional_put = true;
  // Whether remove() heeds its condition; else it removes whatever is there.
  bool conditional_remove = true;
  // Whether store_time() has to write to learn it.
  bool time_takes_write = false;
  // Whether `a\b` is another spelling of the key `a/b`, by which a listing shows it.
  bool takes_backslash_for_slash = false;
};

// Objects of bytes under keys, in a bucket below a prefix, in a directory, or in a table. Keys are
// relative to that place, parts joined by `/`; no store takes an empty key or one with a part `.`
// or `..`, and a store may refuse more. One object is replaced as a whole: a reader sees the old or
// the new bytes, never a part. Thread-safe.
//
// Every call throws Error with the store, the operation and the key: kUnauthorized, kUnavailable,
// kTimeout, kNotFound when the bucket itself is missing, kInvalid for a key the store cannot hold,
// kCancelled. After kUnavailable or kTimeout of a write nobody knows whether it took effect: read
// back. Conditional writes are sent once.
class BlobStore {
 public:
  virtual ~BlobStore() = default;

  // Nothing when there is no such object.
  virtual std::optional<Blob> get(std::string_view key) = 0;
  virtual std::optional<BlobInfo> stat(std::string_view key) = 0;
  // Durable when it returns. Nothing when the condition did not hold; IfMatch on a missing object
  // does not hold.
  virtual std::optional<Version> put(std::string_view key, std::string_view bytes,
                                     const Condition& condition) = 0;
  // Whether the condition held. A missing object is removed already. IfAbsent is Error kInvalid.
  virtual bool remove(std::string_view key, const Condition& condition) = 0;
  // In byte order of the keys, one request a page.
  virtual void list(const Listing& listing,
                    const std::function<void(const Listed& listed)>& visit) = 0;
  // The time by the store's own clock: as its last answer said it, and what has passed since, so it
  // costs a request only when there was none yet. A directory asks its file system.
  virtual Time store_time() = 0;

  virtual Capabilities capabilities() const = 0;
  // `s3://bucket/prefix`, for messages; never a credential.
  virtual std::string describe() const = 0;
};

}  // namespace tidemark::blob
