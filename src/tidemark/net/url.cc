#include "tidemark/net/url.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "tidemark/base/ascii.h"

namespace tidemark::net {
namespace {

constexpr std::string_view kMask = "***";

// dlt's list, and what signed object store addresses carry.
constexpr std::array<std::string_view, 20> kSecretParams = {"api_key",
                                                            "apikey",
                                                            "api-key",
                                                            "key",
                                                            "token",
                                                            "access_token",
                                                            "access-token",
                                                            "refresh_token",
                                                            "auth",
                                                            "authorization",
                                                            "secret",
                                                            "client_secret",
                                                            "password",
                                                            "pwd",
                                                            "sig",
                                                            "signature",
                                                            "x-amz-signature",
                                                            "x-amz-security-token",
                                                            "x-goog-signature",
                                                            "assertion"};

bool is_unreserved(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool is_secret(std::string_view encoded_name, std::span<const std::string> more) {
  const std::string name = percent_decode(encoded_name);
  const auto matches = [&](std::string_view secret) { return equals_ignoring_case(name, secret); };
  return std::ranges::any_of(kSecretParams, matches) || std::ranges::any_of(more, matches);
}

// Of a URL, without the question mark and without the fragment.
std::string_view query_of(std::string_view url) {
  const std::string_view whole = url.substr(0, url.find('#'));
  const size_t mark = whole.find('?');
  return mark == std::string_view::npos ? std::string_view() : whole.substr(mark + 1);
}

template <typename Visit>
void for_each_param(std::string_view query, Visit visit) {
  while (!query.empty()) {
    const std::string_view param = query.substr(0, query.find('&'));
    visit(param.substr(0, param.find('=')), param);
    query.remove_prefix(std::min(param.size() + 1, query.size()));
  }
}

std::string mask_query(std::string_view query, std::span<const std::string> secret_params) {
  std::string out;
  for_each_param(query, [&](std::string_view name, std::string_view param) {
    if (!out.empty()) out += '&';
    if (name.size() < param.size() && is_secret(name, secret_params)) {
      out.append(name).append("=").append(kMask);
    } else {
      out += param;
    }
  });
  return out;
}

// scheme://user:password@host/path becomes scheme://user:***@host/path, a lone token ***@host.
std::string mask_user_info(std::string_view head) {
  const size_t mark = head.find("://");
  if (mark == std::string_view::npos) return std::string(head);
  const size_t start = mark + 3;
  const std::string_view authority = head.substr(start, head.find('/', start) - start);
  // The last one: a password may hold an @ that nobody encoded.
  const size_t at = authority.rfind('@');
  if (at == std::string_view::npos) return std::string(head);
  const size_t colon = authority.substr(0, at).find(':');
  std::string out(head.substr(0, start));
  if (colon != std::string_view::npos) out += authority.substr(0, colon + 1);
  out += kMask;
  return out += head.substr(start + at);
}

}  // namespace

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                           hex_digit(text[i + 2]) >= 0;
    if (!is_escape) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
    i += 2;
  }
  return out;
}

std::string encode_query(const QueryParams& params) {
  std::string out;
  for (const auto& [name, value] : params) {
    if (!out.empty()) out += '&';
    out += percent_encode(name) + '=' + percent_encode(value);
  }
  return out;
}

std::string with_query(std::string_view url, const QueryParams& params) {
  const std::string_view base = url.substr(0, url.find('#'));
  if (params.empty()) return std::string(base);
  std::string out(base);
  if (base.find('?') == std::string_view::npos) {
    out += '?';
  } else if (base.back() != '?' && base.back() != '&') {
    out += '&';
  }
  return out += encode_query(params);
}

QueryParams query_params(std::string_view url) {
  QueryParams params;
  for_each_param(query_of(url), [&](std::string_view name, std::string_view param) {
    const std::string_view value = param.substr(std::min(name.size() + 1, param.size()));
    params.emplace_back(percent_decode(name), percent_decode(value));
  });
  return params;
}

bool has_query_param(std::string_view url, std::string_view name) {
  const QueryParams params = query_params(url);
  return std::ranges::any_of(params, [&](const auto& param) { return param.first == name; });
}

std::string mask_url(std::string_view url, std::span<const std::string> secret_params) {
  const std::string_view query = query_of(url);
  if (query.empty()) return mask_user_info(url);
  const auto start = static_cast<size_t>(query.data() - url.data());
  std::string out = mask_user_info(url.substr(0, start));
  out += mask_query(query, secret_params);
  return out += url.substr(start + query.size());
}

std::vector<std::string> secret_values(std::string_view url,
                                       std::span<const std::string> secret_params) {
  std::vector<std::string> values;
  for_each_param(query_of(url), [&](std::string_view name, std::string_view param) {
    if (name.size() == param.size() || !is_secret(name, secret_params)) return;
    const std::string_view value = param.substr(name.size() + 1);
    values.emplace_back(value);
    values.push_back(percent_decode(value));
  });
  return values;
}

}  // namespace tidemark::net
