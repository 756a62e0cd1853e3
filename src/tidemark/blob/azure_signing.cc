#include "tidemark/blob/azure_signing.h"

#include <algorithm>
#include <array>
#include <map>

#include "tidemark/base/ascii.h"
#include "tidemark/base/base64.h"
#include "tidemark/base/hash.h"
#include "tidemark/net/http_date.h"
#include "tidemark/net/url.h"

namespace tidemark::blob {
namespace {

// In the order in which they are signed; Date stays empty, since x-ms-date is sent.
constexpr std::array<std::string_view, 11> kSignedHeaders = {"Content-Encoding",
                                                             "Content-Language",
                                                             "Content-Length",
                                                             "Content-MD5",
                                                             "Content-Type",
                                                             "Date",
                                                             "If-Modified-Since",
                                                             "If-Match",
                                                             "If-None-Match",
                                                             "If-Unmodified-Since",
                                                             "Range"};

std::string signed_header(const net::HttpRequest& request, std::string_view name) {
  if (name == "Content-Length") {
    return request.body.empty() ? std::string() : std::to_string(request.body.size());
  }
  return std::string(request.headers.find(name).value_or(""));
}

std::string canonical_headers(const net::HttpRequest& request) {
  std::map<std::string, std::string> sorted;
  for (const auto& [name, value] : request.headers) {
    std::string lower = ascii_lower(name);
    if (lower.starts_with("x-ms-")) sorted.emplace(std::move(lower), value);
  }
  std::string out;
  for (const auto& [name, value] : sorted) out.append(name).append(":").append(value).append("\n");
  return out;
}

std::string canonical_resource(std::string_view url, std::string_view account) {
  const size_t host = url.find("://") + 3;
  const std::string_view path = url.substr(std::min(url.find('/', host), url.size()));
  std::string out = '/' + std::string(account) + std::string(path.substr(0, path.find('?')));
  net::QueryParams params = net::query_params(url);
  for (auto& [name, value] : params) name = ascii_lower(name);
  std::ranges::sort(params);
  for (const auto& [name, value] : params) out.append("\n").append(name).append(":").append(value);
  return out;
}

class SharedKeySigner final : public Signer {
 public:
  explicit SharedKeySigner(AzureSharedKey key) : key_(std::move(key)) {}

  void sign(net::HttpRequest& request, Time now) override {
    request.headers.set("x-ms-date", net::format_http_date(now));
    const std::string signature =
        hmac_sha256(key_.key.reveal(), azure_string_to_sign(request, key_.account));
    request.credentials.set("Authorization",
                            "SharedKey " + key_.account + ':' + base64_encode(signature));
  }

  bool may_sign_again(const net::HttpRequest&, int, std::chrono::microseconds skew) override {
    return std::chrono::abs(skew) > std::chrono::minutes(1);
  }

 private:
  AzureSharedKey key_;
};

class SasSigner final : public Signer {
 public:
  explicit SasSigner(AzureSas sas) : sas_(std::move(sas)) {}

  void sign(net::HttpRequest& request, Time) override {
    request.url += request.url.find('?') == std::string::npos ? '?' : '&';
    request.url += sas_.query.reveal();
  }

  bool may_sign_again(const net::HttpRequest&, int, std::chrono::microseconds) override {
    return false;
  }

 private:
  AzureSas sas_;
};

}  // namespace

std::string azure_string_to_sign(const net::HttpRequest& request, std::string_view account) {
  std::string text = request.method + '\n';
  for (const std::string_view name : kSignedHeaders) text += signed_header(request, name) + '\n';
  return text + canonical_headers(request) + canonical_resource(request.url, account);
}

std::unique_ptr<Signer> make_shared_key_signer(AzureSharedKey key) {
  return std::make_unique<SharedKeySigner>(std::move(key));
}

std::unique_ptr<Signer> make_sas_signer(AzureSas sas) {
  return std::make_unique<SasSigner>(std::move(sas));
}

}  // namespace tidemark::blob
