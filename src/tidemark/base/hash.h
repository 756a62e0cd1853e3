#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tidemark {

using Digest256 = std::array<uint8_t, 32>;

// Incremental SHA3-256 or SHA-256.
class Hasher {
 public:
  enum class Algorithm { kSha3_256, kSha256 };

  explicit Hasher(Algorithm algorithm);
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  void update(std::string_view bytes);
  // Ends the hash and makes the hasher ready for the next one.
  Digest256 finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

Digest256 sha256(std::string_view bytes);
Digest256 sha3_256(std::string_view bytes);
// RFC 2104 with SHA-256: what the object stores' request signatures are made of. The digest as
// bytes, since one digest is often the key of the next.
std::string hmac_sha256(std::string_view key, std::string_view bytes);

// SHAKE-128 with a context that is reused: making one costs more than hashing a row id. One object
// a thread.
class Shake128 {
 public:
  Shake128();
  ~Shake128();
  Shake128(const Shake128&) = delete;
  Shake128& operator=(const Shake128&) = delete;

  // Writes out.size() bytes of SHAKE-128(bytes).
  void digest(std::string_view bytes, std::span<uint8_t> out);
  // base64(SHAKE-128(bytes, length)) without padding: dlt's row ids (10), boundary hashes (9).
  std::string base64_digest(std::string_view bytes, size_t length);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string to_hex(std::span<const uint8_t> bytes);

}  // namespace tidemark
