#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tidemark {

// Source of random bytes, passed to whatever makes ids. Thread-safe.
class Random {
 public:
  virtual ~Random() = default;

  virtual void fill(std::span<uint8_t> bytes) = 0;
};

// Cryptographically strong (OpenSSL's generator).
class SystemRandom final : public Random {
 public:
  void fill(std::span<uint8_t> bytes) override;
};

// `bytes` random bytes as lower-case hex: file ids (5), trace ids (16), temporary names (8).
std::string random_hex(Random& random, size_t bytes);

}  // namespace tidemark
