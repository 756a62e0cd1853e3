#include "tidemark/base/sha1.h"

#include <array>
#include <cstdint>

#include <openssl/evp.h>

#include "tidemark/base/error.h"
#include "tidemark/base/hash.h"

namespace tidemark {

std::string sha1_hex(std::string_view bytes) {
  std::array<uint8_t, 20> digest{};
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha1(), nullptr) != 1) {
    throw Error(ErrorCode::kInternal, "OpenSSL failed: SHA-1");
  }
  return to_hex(digest);
}

}  // namespace tidemark
