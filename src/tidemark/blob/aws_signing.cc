#include "tidemark/blob/aws_signing.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/hash.h"

namespace tidemark::blob {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

// The parts of scheme://host/path?query.
struct UrlParts {
  std::string_view scheme;
  std::string_view host;
  std::string_view path;
  std::string_view query;
};

UrlParts split_url(std::string_view url) {
  UrlParts parts;
  const size_t scheme_end = std::min(url.find("://"), url.size());
  parts.scheme = url.substr(0, scheme_end);
  url.remove_prefix(std::min(scheme_end + 3, url.size()));
  parts.host = url.substr(0, url.find_first_of("/?"));
  url.remove_prefix(parts.host.size());
  parts.path = url.substr(0, url.find('?'));
  url.remove_prefix(parts.path.size());
  if (!url.empty()) parts.query = url.substr(1);
  return parts;
}

// As libcurl sends it: without the port that is the scheme's own.
std::string host_header(const UrlParts& url) {
  std::string host = ascii_lower(url.host);
  const std::string_view port = url.scheme == "https" ? ":443" : ":80";
  if (host.ends_with(port)) host.resize(host.size() - port.size());
  return host;
}

std::string canonical_query(std::string_view query) {
  std::vector<std::pair<std::string_view, std::string_view>> params;
  while (!query.empty()) {
    const std::string_view param = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(param.size() + 1, query.size()));
    const size_t equals = std::min(param.find('='), param.size());
    params.emplace_back(param.substr(0, equals), param.substr(std::min(equals + 1, param.size())));
  }
  std::ranges::sort(params);
  std::string text;
  for (const auto& [name, value] : params) {
    text += fmt::format("{}{}={}", text.empty() ? "" : "&", name, value);
  }
  return text;
}

// Without blanks at its ends, and one for each run of them.
std::string trimmed(std::string_view value) {
  std::string text;
  for (const char c : value) {
    const bool is_blank = c == ' ' || c == '\t';
    if (!is_blank) {
      text += c;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

using SortedHeaders = std::map<std::string, std::string>;

SortedHeaders signed_headers(const net::HttpRequest& request, const AwsCredentials& credentials,
                             const UrlParts& url) {
  SortedHeaders sorted{{"host", host_header(url)}};
  for (const auto& [name, value] : request.headers) sorted[ascii_lower(name)] = trimmed(value);
  if (!credentials.session_token.empty()) {
    sorted["x-amz-security-token"] = credentials.session_token.reveal();
  }
  return sorted;
}

std::string names_of(const SortedHeaders& headers) {
  std::string names;
  for (const auto& [name, value] : headers) names += (names.empty() ? "" : ";") + name;
  return names;
}

std::string canonical_request(const net::HttpRequest& request, const UrlParts& url,
                              const SortedHeaders& headers, std::string_view payload_hash) {
  std::string text =
      fmt::format("{}\n{}\n{}\n", request.method,
                  url.path.empty() ? std::string_view("/") : url.path, canonical_query(url.query));
  for (const auto& [name, value] : headers) text += fmt::format("{}:{}\n", name, value);
  return text + fmt::format("\n{}\n{}", names_of(headers), payload_hash);
}

// 20150830T123600Z
std::string format_time(Time now) {
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>(now - day)};
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", int(date.year()), unsigned(date.month()),
                     unsigned(date.day()), time.hours().count(), time.minutes().count(),
                     time.seconds().count());
}

std::string signature(const AwsCredentials& credentials, const AwsScope& scope,
                      std::string_view date, std::string_view text) {
  std::string key = hmac_sha256("AWS4" + credentials.secret_access_key.reveal(), date);
  key = hmac_sha256(key, scope.region);
  key = hmac_sha256(key, scope.service);
  key = hmac_sha256(key, "aws4_request");
  const std::string bytes = hmac_sha256(key, text);
  return to_hex({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

}  // namespace

void sign_for_aws(net::HttpRequest& request, const AwsCredentials& credentials,
                  const AwsScope& scope, Time now) {
  const std::string time = format_time(now);
  const std::string payload_hash = to_hex(sha256(request.body));
  request.headers.set("x-amz-content-sha256", payload_hash);
  request.headers.set("x-amz-date", time);

  const UrlParts url = split_url(request.url);
  const SortedHeaders headers = signed_headers(request, credentials, url);
  const std::string date = time.substr(0, 8);
  const std::string scope_text =
      fmt::format("{}/{}/{}/aws4_request", date, scope.region, scope.service);
  const std::string text =
      fmt::format("{}\n{}\n{}\n{}", kAlgorithm, time, scope_text,
                  to_hex(sha256(canonical_request(request, url, headers, payload_hash))));

  request.credentials = {};
  if (!credentials.session_token.empty()) {
    request.credentials.add("x-amz-security-token", credentials.session_token.reveal());
  }
  request.credentials.add(
      "Authorization", fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}",
                                   kAlgorithm, credentials.access_key_id, scope_text,
                                   names_of(headers), signature(credentials, scope, date, text)));
}

}  // namespace tidemark::blob
