#pragma once

#include <string_view>

#include "tidemark/config/node.h"
#include "tidemark/source/rest.h"

namespace tidemark::rest {

// Settings of clients and endpoints; names and meaning are dlt 1.31's. Each
// throws Error kInvalid with the place.

// {base_url, headers, auth, paginator}. A credential that auth leaves out is the setting
// sources.<source>.<key>.
ClientOptions read_client(const config::Node& node, std::string_view source);
// {type: bearer | api_key | http_basic | oauth2_client_credentials | jwt, ...}; without a type
// bearer.
AuthPtr read_auth(const config::Node& node, std::string_view source);
// A type alone or {type: ..., ...}; null for auto.
PaginatorPtr read_paginator(const config::Node& node);
net::Headers read_headers(const config::Node& node);
// [{status_code, content, action: ignore}]
std::vector<IgnoredResponse> read_response_actions(const config::Node& node);

}  // namespace tidemark::rest
