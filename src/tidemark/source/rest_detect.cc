#include "tidemark/source/rest_detect.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/source/link_header.h"

namespace tidemark::rest {
namespace {

using Keys = std::vector<std::string_view>;

constexpr size_t kSelectorDepth = 3;
// Deeper than any envelope; keeps the search from running down a hostile document.
constexpr size_t kSearchDepth = 64;
constexpr std::array<std::string_view, 11> kRowKeys = {"data",    "items",   "results",  "entries",
                                                       "records", "rows",    "entities", "payload",
                                                       "content", "objects", "values"};
constexpr std::array<std::string_view, 3> kTotalPagesKeys = {"total_pages", "pages", "totalpages"};

// Keys as a path; quoted, for a key may hold a dot.
std::string to_path_text(const Keys& keys) {
  std::string text;
  for (const std::string_view key : keys) {
    if (!text.empty()) text += '.';
    const bool is_plain = !key.empty() && std::ranges::all_of(key, [](unsigned char c) {
      return std::isalnum(c) || c == '_';
    }) && !std::isdigit(static_cast<unsigned char>(key.front()));
    const char quote = key.find('"') == std::string_view::npos ? '"' : '\'';
    text += is_plain ? std::string(key) : fmt::format("{}{}{}", quote, key, quote);
  }
  return text;
}

// Calls visit(key, value) for the members of an object until it says true.
template <typename Visit>
bool any_member(json::Node object, Visit visit) {
  for (json::Node key = object.first(); !(key == object.end());) {
    const json::Node value = key.next();
    if (visit(key.string(), value)) return true;
    key = value.next();
  }
  return false;
}

void find_lists(json::Node object, Keys& path, std::vector<Keys>& lists) {
  if (path.size() >= kSelectorDepth) return;
  any_member(object, [&](std::string_view key, json::Node value) {
    path.push_back(key);
    if (value.is_array()) lists.push_back(path);
    if (value.is_object()) find_lists(value, path, lists);
    path.pop_back();
    return false;
  });
}

bool is_text_or_number(json::Node value) {
  switch (value.kind()) {
    case json::Kind::kString:
    case json::Kind::kInt64:
    case json::Kind::kUint64:
    case json::Kind::kDouble:
    case json::Kind::kBigNumber:
      return true;
    default:
      return false;
  }
}

struct Found {
  Keys path;
  json::Node value;
};

bool is_next(std::string_view key) { return ascii_lower(key).starts_with("next"); }

// The first href or url of an object, with text or a number.
bool find_href(json::Node object, Keys& path, Found& found) {
  return any_member(object, [&](std::string_view key, json::Node value) {
    const std::string lower = ascii_lower(key);
    if (!lower.starts_with("href") && !lower.starts_with("url")) return false;
    if (!is_text_or_number(value)) return false;
    found = {path, value};
    found.path.push_back(key);
    return true;
  });
}

// Depth first, in key order: the first key that starts with next and holds text or a number; an
// object under such a key is asked for href or url.
bool find_next(json::Node object, Keys& path, Found& found) {
  if (!object.is_object() || path.size() >= kSearchDepth) return false;
  return any_member(object, [&](std::string_view key, json::Node value) {
    path.push_back(key);
    bool is_found = false;
    if (is_next(key) && is_text_or_number(value)) {
      found = {path, value};
      is_found = true;
    } else if (is_next(key) && value.is_object()) {
      is_found = find_href(value, path, found);
    }
    is_found = is_found || find_next(value, path, found);
    path.pop_back();
    return is_found;
  });
}

// Whether a key that starts with next is there at all: null says that this page is the last.
bool mentions_next(json::Node object, size_t depth) {
  if (!object.is_object() || depth >= kSearchDepth) return false;
  return any_member(object, [&](std::string_view key, json::Node value) {
    return is_next(key) || mentions_next(value, depth + 1);
  });
}

bool find_total_pages(json::Node object, Keys& path, Found& found) {
  if (!object.is_object() || path.size() >= kSearchDepth) return false;
  return any_member(object, [&](std::string_view key, json::Node value) {
    path.push_back(key);
    const bool is_total =
        std::ranges::find(kTotalPagesKeys, ascii_lower(key)) != kTotalPagesKeys.end() &&
        is_text_or_number(value);
    if (is_total) found = {path, value};
    const bool is_found = is_total || find_total_pages(value, path, found);
    path.pop_back();
    return is_found;
  });
}

bool is_integer(json::Node value) {
  if (!value.is_string()) return true;
  const std::string_view text = value.string();
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
}

bool is_link(json::Node value) {
  return value.is_string() &&
         (value.string().starts_with("http") || value.string().starts_with("/"));
}

}  // namespace

json::Path detect_selector(json::Node body) {
  std::vector<Keys> lists;
  Keys path;
  if (body.is_object()) find_lists(body, path, lists);
  if (lists.empty()) return json::Path::parse("$");
  const auto rows = std::ranges::find_if(lists, [](const Keys& keys) {
    return std::ranges::find(kRowKeys, keys.back()) != kRowKeys.end();
  });
  return json::Path::parse(to_path_text(rows == lists.end() ? lists.front() : *rows));
}

DetectedPaginator detect_paginator(const net::HttpResponse& response, json::Node body) {
  if (find_link(response.headers, "next")) return {header_link(), "a Link header"};
  Keys path;
  Found next;
  const bool has_next = find_next(body, path, next);
  const std::string next_path = to_path_text(next.path);
  if (has_next && is_link(next.value)) {
    return {json_link(next_path), fmt::format("the link at '{}'", next_path)};
  }
  Found total;
  if (find_total_pages(body, path, total) && is_integer(total.value)) {
    const std::string total_path = to_path_text(total.path);
    return {page_number({.total_path = total_path}),
            fmt::format("the number of pages at '{}'", total_path), true};
  }
  if (has_next) {
    return {cursor({.cursor_path = next_path}), fmt::format("the token at '{}'", next_path), true};
  }
  const bool is_list_alone = !body.is_object();
  return {single_page(), "an answer without a sign of a next page",
          !is_list_alone && !mentions_next(body, 0)};
}

}  // namespace tidemark::rest
