#include "tidemark/net/jwt.h"

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/error.h"

namespace tidemark::net {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

// Short, to be quick.
Key make_key() { return {EVP_RSA_gen(1024), EVP_PKEY_free}; }

std::string to_pem(EVP_PKEY* key, const char* passphrase) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
  const EVP_CIPHER* cipher = passphrase == nullptr ? nullptr : EVP_aes_256_cbc();
  PEM_write_bio_PKCS8PrivateKey(bio.get(), key, cipher, passphrase,
                                passphrase == nullptr ? 0 : static_cast<int>(strlen(passphrase)),
                                nullptr, nullptr);
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<size_t>(size)};
}

std::string from_base64_url(std::string text) {
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return base64_decode(text).value();
}

bool verifies(EVP_PKEY* key, const std::string& text, const std::string& signature) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key);
  return EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()),
                          signature.size(), reinterpret_cast<const unsigned char*>(text.data()),
                          text.size()) == 1;
}

TEST(SignJwt, SignatureVerifiesWithThePublicKey) {
  const Key key = make_key();
  for (const char* passphrase : {static_cast<const char*>(nullptr), "open sesame"}) {
    const std::string token = sign_jwt(json::Object{{"iss", "me"}, {"iat", 1700000000}},
                                       Secret(to_pem(key.get(), passphrase)),
                                       Secret(passphrase == nullptr ? "" : passphrase));
    const size_t last = token.rfind('.');
    const std::string signed_text = token.substr(0, last);
    const std::string signature = from_base64_url(token.substr(last + 1));
    EXPECT_TRUE(verifies(key.get(), signed_text, signature));
    EXPECT_FALSE(verifies(key.get(), signed_text + "x", signature));
    const size_t dot = signed_text.find('.');
    EXPECT_EQ(from_base64_url(signed_text.substr(0, dot)), R"({"alg":"RS256","typ":"JWT"})");
    EXPECT_EQ(from_base64_url(signed_text.substr(dot + 1)), R"({"iss":"me","iat":1700000000})");
  }
}

TEST(SignJwt, RefusesWhatIsNoReadableKey) {
  const Key key = make_key();
  EXPECT_THROW(sign_jwt(json::Object{}, Secret("nonsense"), Secret()), Error);
  EXPECT_THROW(sign_jwt(json::Object{}, Secret(to_pem(key.get(), "right")), Secret("wrong")),
               Error);
  EXPECT_THROW(sign_jwt(json::Object{}, Secret(to_pem(key.get(), "right")), Secret()), Error);
}

}  // namespace
}  // namespace tidemark::net
