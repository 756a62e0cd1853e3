#include "tidemark/net/excerpt.h"

#include <algorithm>
#include <vector>

#include "tidemark/net/url.h"

namespace tidemark::net {
namespace {

constexpr size_t kExcerptSize = 200;
// Shorter ones stand in too many texts by chance.
constexpr size_t kShortestSecret = 4;

// The values of the request's credentials, also without their scheme word, and of secret
// parameters.
std::vector<std::string> secrets_of(const HttpRequest& request) {
  std::vector<std::string> secrets = secret_values(request.url, request.secret_params);
  for (const auto& [name, value] : request.credentials) {
    secrets.push_back(value);
    if (const size_t blank = value.find(' '); blank != std::string::npos) {
      secrets.push_back(value.substr(blank + 1));
    }
  }
  return secrets;
}

void redact(std::string& text, std::string_view secret) {
  if (secret.size() < kShortestSecret) return;
  for (size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    text.replace(at, secret.size(), "***");
  }
}

// Not in the middle of a UTF-8 character.
void cut(std::string& text, size_t size) {
  if (text.size() <= size) return;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  text.resize(size);
  text += "...";
}

}  // namespace

std::string excerpt(const HttpRequest& request, std::string_view text,
                    std::span<const std::string> secrets) {
  // Enough to find a secret that the cut would halve.
  std::string out(text.substr(0, kExcerptSize + 8192));
  for (const std::string& secret : secrets_of(request)) redact(out, secret);
  for (const std::string& secret : secrets) redact(out, secret);
  std::ranges::replace_if(out, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  cut(out, kExcerptSize);
  return out;
}

}  // namespace tidemark::net
