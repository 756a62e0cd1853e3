#include "tidemark/source/rest_settings.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/source/rest_template.h"

namespace tidemark::rest {
namespace {

using config::Node;

std::string text_or(const Node& node, std::string_view key, std::string fallback) {
  return node.optional_string(key).value_or(std::move(fallback));
}

// A path that can be switched off with null.
std::optional<std::string> path_or(const Node& node, std::string_view key,
                                   std::optional<std::string> fallback) {
  const auto member = node.find(key);
  if (!member) return fallback;
  return member->is_null() ? std::nullopt : std::optional(member->string());
}

std::chrono::seconds expiration(const Node& node) {
  return std::chrono::seconds(node.optional_integer("default_token_expiration").value_or(3600));
}

// What is written here, else the setting sources.<source>.<key>, looked up when it is needed. A
// client id is no secret, but some services hand out numbers.
SecretRef text_secret(const Node& node, std::string_view key, std::string_view source) {
  if (const auto value = node.optional_secret(key)) return {*value};
  return source::secret(fmt::format("sources.{}.{}", source, key));
}

AuthPtr read_api_key(const Node& node, std::string_view source) {
  node.expect_keys({"type", "name", "api_key", "location"});
  ApiKeyOptions options{.api_key = text_secret(node, "api_key", source),
                        .name = text_or(node, "name", "Authorization")};
  if (const auto location = node.optional_node("location")) {
    options.location = location->choice({"header", "query", "param"}) == "header"
                           ? KeyLocation::kHeader
                           : KeyLocation::kQuery;
  }
  return api_key(std::move(options));
}

AuthPtr read_client_credentials(const Node& node, std::string_view source) {
  node.expect_keys({"type", "access_token_url", "client_id", "client_secret",
                    "access_token_request_data", "default_token_expiration"});
  ClientCredentialsOptions options{.access_token_url = node.require("access_token_url").string(),
                                   .client_id = text_secret(node, "client_id", source),
                                   .client_secret = text_secret(node, "client_secret", source),
                                   .default_token_expiration = expiration(node)};
  if (const auto data = node.optional_node("access_token_request_data")) {
    for (const auto& [name, value, position] : data->members()) {
      options.access_token_request_data.set(name, value.value());
    }
  }
  return oauth2_client_credentials(std::move(options));
}

AuthPtr read_jwt(const Node& node, std::string_view source) {
  node.expect_keys({"type", "client_id", "private_key", "private_key_passphrase", "auth_endpoint",
                    "scopes", "headers", "default_token_expiration"});
  JwtOptions options{.client_id = node.require("client_id").string(),
                     .private_key = text_secret(node, "private_key", source),
                     .auth_endpoint = node.require("auth_endpoint").string(),
                     .scopes = node.optional_strings("scopes").value_or(std::vector<std::string>()),
                     .default_token_expiration = expiration(node)};
  if (const auto passphrase = node.optional_secret("private_key_passphrase")) {
    options.private_key_passphrase = *passphrase;
  }
  if (const auto headers = node.optional_node("headers")) options.headers = read_headers(*headers);
  return oauth2_jwt(std::move(options));
}

// Where a value goes: NAME_param or NAME_body_path.
void read_target(const Node& node, const std::string& name, std::string& param,
                 std::string& body_path) {
  param = text_or(node, name + "_param", "");
  body_path = text_or(node, name + "_body_path", "");
}

PaginatorPtr read_page_number(const Node& node) {
  node.expect_keys({"type", "base_page", "page", "page_param", "page_body_path", "total_path",
                    "maximum_page", "stop_after_empty_page", "has_more_path"});
  PageNumberOptions options;
  options.base_page = node.optional_integer("base_page").value_or(options.base_page);
  options.page = node.optional_integer("page");
  read_target(node, "page", options.page_param, options.page_body_path);
  options.total_path = path_or(node, "total_path", options.total_path);
  options.maximum_page = node.optional_integer("maximum_page");
  options.stop_after_empty_page =
      node.optional_boolean("stop_after_empty_page").value_or(options.stop_after_empty_page);
  options.has_more_path = path_or(node, "has_more_path", std::nullopt);
  return page_number(std::move(options));
}

PaginatorPtr read_offset(const Node& node) {
  node.expect_keys({"type", "limit", "offset", "offset_param", "offset_body_path", "limit_param",
                    "limit_body_path", "total_path", "maximum_offset", "stop_after_empty_page",
                    "has_more_path"});
  OffsetOptions options;
  options.limit = node.require("limit").integer();
  options.offset = node.optional_integer("offset").value_or(options.offset);
  read_target(node, "offset", options.offset_param, options.offset_body_path);
  read_target(node, "limit", options.limit_param, options.limit_body_path);
  options.total_path = path_or(node, "total_path", options.total_path);
  options.maximum_offset = node.optional_integer("maximum_offset");
  options.stop_after_empty_page =
      node.optional_boolean("stop_after_empty_page").value_or(options.stop_after_empty_page);
  options.has_more_path = path_or(node, "has_more_path", std::nullopt);
  return offset(std::move(options));
}

PaginatorPtr read_cursor(const Node& node) {
  node.expect_keys({"type", "cursor_path", "cursor_param", "cursor_body_path",
                    "stop_after_empty_page", "has_more_path"});
  CursorOptions options;
  options.cursor_path = text_or(node, "cursor_path", options.cursor_path);
  read_target(node, "cursor", options.cursor_param, options.cursor_body_path);
  options.stop_after_empty_page =
      node.optional_boolean("stop_after_empty_page").value_or(options.stop_after_empty_page);
  options.has_more_path = path_or(node, "has_more_path", std::nullopt);
  return cursor(std::move(options));
}

PaginatorPtr read_header_cursor(const Node& node) {
  node.expect_keys({"type", "cursor_key", "cursor_param"});
  HeaderCursorOptions options;
  options.cursor_key = text_or(node, "cursor_key", options.cursor_key);
  options.cursor_param = text_or(node, "cursor_param", options.cursor_param);
  return header_cursor(std::move(options));
}

// node is a map that may lack everything but what the type requires.
PaginatorPtr read_paginator_of_type(std::string_view type, const Node& node) {
  if (type == "page_number") return read_page_number(node);
  if (type == "offset") return read_offset(node);
  if (type == "cursor") return read_cursor(node);
  if (type == "header_cursor") return read_header_cursor(node);
  if (type == "header_link") {
    node.expect_keys({"type", "links_next_key"});
    return header_link(text_or(node, "links_next_key", "next"));
  }
  if (type == "json_link" || type == "json_response") {
    node.expect_keys({"type", "next_url_path"});
    return json_link(text_or(node, "next_url_path", "next"));
  }
  node.expect_keys({"type"});
  return type == "single_page" ? single_page() : nullptr;
}

}  // namespace

ClientOptions read_client(const Node& node, std::string_view source) {
  node.expect_keys({"base_url", "headers", "auth", "paginator"});
  ClientOptions options{.base_url = node.require("base_url").string()};
  if (const auto headers = node.optional_node("headers")) options.headers = read_headers(*headers);
  if (const auto auth = node.optional_node("auth")) options.auth = read_auth(*auth, source);
  if (const auto paginator = node.optional_node("paginator")) {
    options.paginator = read_paginator(*paginator);
  }
  return options;
}

AuthPtr read_auth(const Node& node, std::string_view source) {
  const auto type_node = node.optional_node("type");
  const std::string_view type = type_node ? type_node->choice({"bearer", "api_key", "http_basic",
                                                               "oauth2_client_credentials", "jwt"})
                                          : "bearer";
  if (type == "api_key") return read_api_key(node, source);
  if (type == "oauth2_client_credentials") return read_client_credentials(node, source);
  if (type == "jwt") return read_jwt(node, source);
  if (type == "http_basic") {
    node.expect_keys({"type", "username", "password"});
    return http_basic(node.require("username").string(), text_secret(node, "password", source));
  }
  node.expect_keys({"type", "token"});
  return bearer(text_secret(node, "token", source));
}

PaginatorPtr read_paginator(const Node& node) {
  const bool is_map = node.is_map();
  const Node type_node =
      is_map ? node.optional_node("type").value_or(Node::scalar("auto", node.position())) : node;
  const std::string_view type =
      type_node.choice({"auto", "single_page", "page_number", "offset", "header_link", "json_link",
                        "json_response", "cursor", "header_cursor"});
  try {
    return read_paginator_of_type(type, is_map ? node : Node::map({}, node.position()));
  } catch (const Error& error) {
    // Those of settings know their place already.
    if (error.message().starts_with(to_string(node.position())) && node.position().file) throw;
    throw node.error(error.message());
  }
}

net::Headers read_headers(const Node& node) {
  net::Headers headers;
  for (const auto& [name, value, position] : node.members()) {
    if (!value.is_null()) headers.set(name, to_text(value.value()));
  }
  return headers;
}

std::vector<IgnoredResponse> read_response_actions(const Node& node) {
  std::vector<IgnoredResponse> actions;
  for (const Node& item : node.items()) {
    item.expect_keys({"status_code", "content", "action"});
    item.require("action").choice({"ignore"});
    IgnoredResponse action{.content = item.optional_string("content")};
    if (const auto status = item.optional_node("status_code")) {
      const int64_t value = status->integer();
      if (value < 100 || value > 599) throw status->error("expected an HTTP status, 100 to 599");
      action.status_code = static_cast<int>(value);
    }
    if (!action.status_code && !action.content) {
      throw item.error("give status_code, content or both: without them every answer is ignored");
    }
    actions.push_back(std::move(action));
  }
  return actions;
}

}  // namespace tidemark::rest
