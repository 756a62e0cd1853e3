#include "tidemark/base/hash.h"

#include <memory>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/error.h"

namespace tidemark {
namespace {

void check(int result, const char* operation) {
  if (result != 1) {
    throw Error(ErrorCode::kInternal, std::string("OpenSSL failed: ") + operation);
  }
}

// A lookup of an algorithm by name costs more than a short hash, so each is looked up once. OpenSSL
// frees them with the library context.
const EVP_MD* fetch(const char* name) {
  const EVP_MD* algorithm = EVP_MD_fetch(nullptr, name, nullptr);
  check(algorithm != nullptr, name);
  return algorithm;
}

const EVP_MD* sha256_algorithm() {
  static const EVP_MD* const algorithm = fetch("SHA2-256");
  return algorithm;
}

const EVP_MD* sha3_256_algorithm() {
  static const EVP_MD* const algorithm = fetch("SHA3-256");
  return algorithm;
}

const EVP_MD* shake128_algorithm() {
  static const EVP_MD* const algorithm = fetch("SHAKE-128");
  return algorithm;
}

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using ContextPointer = std::unique_ptr<EVP_MD_CTX, FreeContext>;

ContextPointer make_context(const EVP_MD* algorithm) {
  ContextPointer context(EVP_MD_CTX_new());
  check(context != nullptr, "EVP_MD_CTX_new");
  check(EVP_DigestInit_ex2(context.get(), algorithm, nullptr), "EVP_DigestInit_ex2");
  return context;
}

// Without an algorithm OpenSSL keeps the one the context has, and its memory.
void reset(EVP_MD_CTX* context) {
  check(EVP_DigestInit_ex2(context, nullptr, nullptr), "EVP_DigestInit_ex2");
}

Digest256 digest256(const EVP_MD* algorithm, std::string_view bytes) {
  Digest256 digest;
  check(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, algorithm, nullptr),
        "EVP_Digest");
  return digest;
}

}  // namespace

struct Hasher::Context {
  ContextPointer evp;
};

Hasher::Hasher(Algorithm algorithm)
    : context_(std::make_unique<Context>(make_context(
          algorithm == Algorithm::kSha256 ? sha256_algorithm() : sha3_256_algorithm()))) {}

Hasher::~Hasher() = default;

void Hasher::update(std::string_view bytes) {
  check(EVP_DigestUpdate(context_->evp.get(), bytes.data(), bytes.size()), "EVP_DigestUpdate");
}

Digest256 Hasher::finish() {
  Digest256 digest;
  check(EVP_DigestFinal_ex(context_->evp.get(), digest.data(), nullptr), "EVP_DigestFinal_ex");
  reset(context_->evp.get());
  return digest;
}

Digest256 sha256(std::string_view bytes) { return digest256(sha256_algorithm(), bytes); }

Digest256 sha3_256(std::string_view bytes) { return digest256(sha3_256_algorithm(), bytes); }

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  std::string digest(std::tuple_size_v<Digest256>, '\0');
  // OpenSSL takes a null pointer for no key at all.
  const char* key_bytes = key.empty() ? "" : key.data();
  const unsigned char* result =
      HMAC(sha256_algorithm(), key_bytes, static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
           reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  check(result != nullptr, "HMAC");
  return digest;
}

struct Shake128::Context {
  ContextPointer evp;
};

Shake128::Shake128() : context_(std::make_unique<Context>(make_context(shake128_algorithm()))) {}

Shake128::~Shake128() = default;

void Shake128::digest(std::string_view bytes, std::span<uint8_t> out) {
  EVP_MD_CTX* context = context_->evp.get();
  reset(context);
  check(EVP_DigestUpdate(context, bytes.data(), bytes.size()), "EVP_DigestUpdate");
  check(EVP_DigestFinalXOF(context, out.data(), out.size()), "EVP_DigestFinalXOF");
}

std::string Shake128::base64_digest(std::string_view bytes, size_t length) {
  std::string digest_bytes(length, '\0');
  const std::span out(reinterpret_cast<uint8_t*>(digest_bytes.data()), length);
  digest(bytes, out);
  return base64_encode(out, false);
}

std::string to_hex(std::span<const uint8_t> bytes) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (uint8_t byte : bytes) {
    text.push_back(kHexDigits[byte >> 4]);
    text.push_back(kHexDigits[byte & 15]);
  }
  return text;
}

}  // namespace tidemark
