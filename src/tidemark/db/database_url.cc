#include "tidemark/db/database_url.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/error.h"
#include "tidemark/net/url.h"

namespace tidemark::db {
namespace {

constexpr std::string_view kSupported =
    "sqlite:///relative.db, sqlite:////absolute.db and postgresql://user:password@host:port/name "
    "are supported";

// The parts of a URL by SQLAlchemy's own reading of it, which is not that of RFC 3986: a `#` is a
// letter like any other, and only user, password and query are decoded.
struct Parts {
  std::string_view user;
  std::string_view password;
  std::string_view host;
  std::string_view port;
  std::optional<std::string_view> database;
  std::string_view query;
};

// Cuts off what stands before the first of the separators.
std::string_view take_until(std::string_view& rest, std::string_view separators) {
  const std::string_view taken = rest.substr(0, rest.find_first_of(separators));
  rest.remove_prefix(taken.size());
  return taken;
}

bool skip(std::string_view& rest, char expected) {
  if (!rest.starts_with(expected)) return false;
  rest.remove_prefix(1);
  return true;
}

void take_user(std::string_view& rest, Parts& parts) {
  const size_t stop = std::min(rest.find_first_of(":/"), rest.size());
  if (stop < rest.size() && rest[stop] == ':') {
    const size_t at = rest.find('@', stop);
    if (at != std::string_view::npos) {
      parts.user = rest.substr(0, stop);
      parts.password = rest.substr(stop + 1, at - stop - 1);
      rest.remove_prefix(at + 1);
      return;
    }
  }
  const size_t at = rest.substr(0, stop).rfind('@');
  if (at == std::string_view::npos) return;
  parts.user = rest.substr(0, at);
  rest.remove_prefix(at + 1);
}

Parts split(std::string_view rest) {
  Parts parts;
  take_user(rest, parts);
  if (skip(rest, '[')) {
    parts.host = take_until(rest, "]");
    if (!skip(rest, ']')) throw Error(ErrorCode::kInvalid, "the [ of its host has no ]");
  } else {
    parts.host = take_until(rest, "/:?");
  }
  if (skip(rest, ':')) parts.port = take_until(rest, "/?");
  if (skip(rest, '/')) parts.database = take_until(rest, "?");
  if (skip(rest, '?')) parts.query = rest;
  return parts;
}

std::vector<std::pair<std::string, std::string>> decode_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  while (!query.empty()) {
    std::string pair(take_until(query, "&"));
    skip(query, '&');
    std::ranges::replace(pair, '+', ' ');
    const size_t equals = pair.find('=');
    if (equals == std::string::npos || equals + 1 == pair.size()) continue;
    parameters.emplace_back(net::percent_decode(pair.substr(0, equals)),
                            net::percent_decode(pair.substr(equals + 1)));
  }
  return parameters;
}

SqliteUrl sqlite_url(const Parts& parts) {
  if (!parts.host.empty() || !parts.user.empty() || !parts.port.empty()) {
    throw Error(ErrorCode::kInvalid,
                "a SQLite URL has no host: sqlite:///relative.db or sqlite:////absolute.db");
  }
  if (!parts.database || parts.database->empty() || *parts.database == ":memory:") {
    throw Error(ErrorCode::kUnsupported, "a SQLite database in memory keeps nothing: name a file");
  }
  if (!parts.query.empty()) {
    throw Error(ErrorCode::kUnsupported, "parameters of a SQLite URL are not supported");
  }
  return {std::string(*parts.database)};
}

PostgresUrl postgres_url(const Parts& parts) {
  if (!std::ranges::all_of(parts.port, [](char c) { return c >= '0' && c <= '9'; })) {
    throw Error(ErrorCode::kInvalid, "its port is no number");
  }
  return {.user = net::percent_decode(parts.user),
          .password = Secret(net::percent_decode(parts.password)),
          .host = std::string(parts.host),
          .port = std::string(parts.port),
          .database = std::string(parts.database.value_or("")),
          .parameters = decode_query(parts.query)};
}

DatabaseUrl parse(std::string_view url) {
  const size_t colon = url.find("://");
  if (colon == std::string_view::npos) {
    throw Error(ErrorCode::kInvalid, fmt::format("it is no URL; {}", kSupported));
  }
  const std::string name = ascii_lower(url.substr(0, colon));
  const std::string kind = name.substr(0, name.find('+'));
  if (kind == "postgres") {
    throw Error(ErrorCode::kUnsupported, "Meltano does not know postgres://; write postgresql://");
  }
  if (kind != "sqlite" && kind != "postgresql") {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("databases of the kind {} are not supported; {}", name, kSupported));
  }
  const Parts parts = split(url.substr(colon + 3));
  if (kind == "sqlite") return sqlite_url(parts);
  return postgres_url(parts);
}

std::string text_of(const SqliteUrl& url) { return fmt::format("sqlite:///{}", url.file); }

std::string text_of(const PostgresUrl& url) {
  const bool has_colons = url.host.find(':') != std::string::npos;
  std::string text = "postgresql://";
  text += has_colons ? fmt::format("[{}]", url.host) : url.host;
  if (!url.port.empty()) text += ":" + url.port;
  return text + "/" + url.database;
}

}  // namespace

DatabaseUrl parse_database_url(std::string_view url) {
  try {
    return parse(url);
  } catch (Error& error) {
    error.add_context("the URL of the database");
    throw;
  }
}

std::string describe(const DatabaseUrl& url) {
  return std::visit([](const auto& parts) { return text_of(parts); }, url);
}

}  // namespace tidemark::db
