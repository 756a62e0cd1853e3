#include "tidemark/net/jwt.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/error.h"
#include "tidemark/json/write.h"

namespace tidemark::net {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;

// Without one OpenSSL would ask on the terminal.
int give_passphrase(char* out, int capacity, int, void* user) {
  const auto& text = *static_cast<const std::string*>(user);
  const auto size = std::min(text.size(), static_cast<size_t>(capacity));
  std::memcpy(out, text.data(), size);
  return static_cast<int>(size);
}

Key read_key(const Secret& pem, const Secret& passphrase) {
  const std::unique_ptr<BIO, Free> bio(
      BIO_new_mem_buf(pem.reveal().data(), static_cast<int>(pem.reveal().size())));
  std::string text = passphrase.reveal();
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, give_passphrase, &text));
  if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) {
    throw Error(ErrorCode::kInvalid,
                "private_key cannot be read: expected an RSA key in PEM form and, when it is "
                "encrypted, private_key_passphrase");
  }
  return key;
}

std::string sign_rs256(EVP_PKEY* key, const std::string& text) {
  const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  size_t size = 0;
  std::string signature;
  bool is_signed = EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
                   EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) == 1;
  if (is_signed) {
    signature.resize(size);
    is_signed = EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()),
                               &size, bytes, text.size()) == 1;
  }
  if (!is_signed) throw Error(ErrorCode::kInternal, "OpenSSL makes no RS256 signature");
  signature.resize(size);
  return signature;
}

std::string base64_url(std::string_view bytes) {
  std::string text = base64_encode(bytes, false);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

}  // namespace

std::string sign_jwt(const json::Value& claims, const Secret& private_key,
                     const Secret& passphrase) {
  const Key key = read_key(private_key, passphrase);
  std::string token =
      base64_url(R"({"alg":"RS256","typ":"JWT"})") + '.' + base64_url(json::write(claims));
  token += '.' + base64_url(sign_rs256(key.get(), token));
  return token;
}

}  // namespace tidemark::net
