#include "tidemark/base/random.h"

#include <vector>

#include <openssl/rand.h>

#include "tidemark/base/error.h"
#include "tidemark/base/hash.h"

namespace tidemark {

void SystemRandom::fill(std::span<uint8_t> bytes) {
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    throw Error(ErrorCode::kInternal, "OpenSSL's random generator gave no bytes");
  }
}

std::string random_hex(Random& random, size_t bytes) {
  std::vector<uint8_t> buffer(bytes);
  random.fill(buffer);
  return to_hex(buffer);
}

}  // namespace tidemark
