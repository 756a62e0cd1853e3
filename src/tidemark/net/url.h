#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::net {

using QueryParams = std::vector<std::pair<std::string, std::string>>;

// All but RFC 3986's unreserved characters as %XX.
std::string percent_encode(std::string_view text);
// A % that begins no escape stays.
std::string percent_decode(std::string_view text);
// name=value&name=value, encoded.
std::string encode_query(const QueryParams& params);
// url with params behind the query it has.
std::string with_query(std::string_view url, const QueryParams& params);
// The parameters of url's query in their order, decoded.
QueryParams query_params(std::string_view url);
bool has_query_param(std::string_view url, std::string_view name);

// reference as seen from base (RFC 3986 section 5). Error kInvalid names the reference, masked.
std::string resolve_url(const std::string& base, const std::string& reference);
// scheme://host:port in lower case, as libcurl reads the URL: who gets the request. Error kInvalid.
std::string url_origin(const std::string& url);

// url fit to be shown: user info and the values of query parameters that are secret by their names
// (token, api_key, signature, ... and the given ones) are ***. Takes any text.
std::string mask_url(std::string_view url, std::span<const std::string> secret_params = {});
// The values that mask_url() hides in the query, as they were written and decoded.
std::vector<std::string> secret_values(std::string_view url,
                                       std::span<const std::string> secret_params);

}  // namespace tidemark::net
