#pragma once

#include <string>

#include "tidemark/base/secret.h"
#include "tidemark/json/value.h"

namespace tidemark::net {

// A signed JSON Web Token (RFC 7515 compact form, RS256). private_key is PEM, passphrase empty when
// the key is not encrypted. Error kInvalid when it is no RSA key that can be read.
std::string sign_jwt(const json::Value& claims, const Secret& private_key,
                     const Secret& passphrase);

}  // namespace tidemark::net
