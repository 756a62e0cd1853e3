#include "tidemark/source/rest_paginator.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/error.h"
#include "tidemark/json/path.h"
#include "tidemark/net/url.h"
#include "tidemark/source/link_header.h"

namespace tidemark::rest {
namespace {

[[noreturn]] void fail(std::string message) {
  throw Error(ErrorCode::kInvalid, std::move(message));
}

std::optional<json::Path> to_path(const std::optional<std::string>& text) {
  return text ? std::optional(json::Path::parse(*text)) : std::nullopt;
}

// The first match; nothing for null.
std::optional<json::Node> find_one(const json::Path& path, json::Node body) {
  const std::vector<json::Node> found = path.find(body);
  if (found.empty() || found.front().is_null()) return std::nullopt;
  return found.front();
}

std::optional<int64_t> to_integer(json::Node node) {
  if (node.kind() == json::Kind::kInt64) return node.int64();
  if (node.kind() == json::Kind::kDouble) return static_cast<int64_t>(node.number());
  if (!node.is_string()) return std::nullopt;
  const std::string_view text = node.string();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

// dlt's words for true and false.
std::optional<bool> to_boolean(json::Node node) {
  if (node.kind() == json::Kind::kTrue) return true;
  if (node.kind() == json::Kind::kFalse) return false;
  if (!node.is_string()) return std::nullopt;
  const std::string word = ascii_lower(node.string());
  for (const char* yes : {"yes", "true", "t", "y", "1"}) {
    if (word == yes) return true;
  }
  for (const char* no : {"no", "false", "f", "n", "0"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

bool has_more(const json::Path& path, json::Node body) {
  const auto found = find_one(path, body);
  const auto more = found ? to_boolean(*found) : std::nullopt;
  if (!more)
    fail(fmt::format("has_more_path '{}' finds no true or false in the answer", path.text()));
  return *more;
}

// Writes value to a.b.c in the JSON body, making objects on the way.
void set_in_body(Request& request, std::string_view path, json::Value value) {
  json::Value* at = &request.json;
  while (true) {
    if (at->is_null()) *at = json::Object();
    const size_t dot = path.find('.');
    json::Value& member = at->as_object()[path.substr(0, dot)];
    if (dot == std::string_view::npos) {
      member = std::move(value);
      return;
    }
    at = &member;
    path.remove_prefix(dot + 1);
  }
}

// Where a paginator puts a value: a query parameter or a place in the JSON body.
class Target {
 public:
  Target(std::string param, std::string body_path, std::string_view fallback)
      : param_(std::move(param)), body_path_(std::move(body_path)) {
    if (!param_.empty() && !body_path_.empty()) {
      fail(fmt::format("{0}_param and {0}_body_path exclude each other", fallback));
    }
    if (param_.empty() && body_path_.empty()) param_ = fallback;
  }

  void put(Request& request, json::Value value) const {
    if (param_.empty()) {
      set_in_body(request, body_path_, std::move(value));
    } else {
      request.params.set(param_, std::move(value));
    }
  }

 private:
  std::string param_;
  std::string body_path_;
};

class SinglePage final : public Paginator {
 public:
  std::unique_ptr<Paginator> clone() const override { return std::make_unique<SinglePage>(); }
  void start(Request&) override {}
  bool advance(const Answer&, Request&) override { return false; }
  bool is_counting() const override { return false; }
};

// Page numbers and offsets.
class Counting final : public Paginator {
 public:
  struct Options {
    Target value;
    std::optional<Target> limit;
    int64_t start = 0;
    int64_t step = 1;
    int64_t base = 0;
    std::optional<int64_t> maximum;
    std::optional<json::Path> total;
    std::optional<json::Path> has_more;
    bool stops_after_empty = true;
  };

  explicit Counting(Options options) : options_(std::move(options)), value_(options_.start) {
    if (!options_.total && !has_other_rule()) {
      fail(
          "nothing ends the paging: give total_path, a maximum, has_more_path or "
          "stop_after_empty_page");
    }
  }

  std::unique_ptr<Paginator> clone() const override { return std::make_unique<Counting>(options_); }
  bool is_counting() const override { return true; }

  void start(Request& request) override {
    value_ = options_.start;
    put(request);
  }

  bool advance(const Answer& answer, Request& request) override {
    if (options_.stops_after_empty && answer.row_count == 0) return false;
    value_ += options_.step;
    const auto total = read_total(answer);
    bool goes_on = !(total && value_ >= *total + options_.base) &&
                   !(options_.maximum && value_ >= *options_.maximum);
    if (options_.has_more && !has_more(*options_.has_more, answer.body)) goes_on = false;
    if (goes_on) put(request);
    return goes_on;
  }

 private:
  bool has_other_rule() const {
    return options_.maximum || options_.has_more || options_.stops_after_empty;
  }

  std::optional<int64_t> read_total(const Answer& answer) {
    if (!options_.total) return std::nullopt;
    const std::string& path = options_.total->text();
    const auto found = find_one(*options_.total, answer.body);
    if (found) {
      const auto total = to_integer(*found);
      if (!total) fail(fmt::format("total_path '{}' finds no whole number in the answer", path));
      return total;
    }
    if (!has_other_rule()) fail(fmt::format("total_path '{}' finds nothing in the answer", path));
    if (!has_warned_) {
      answer.warn(
          fmt::format("total_path '{}' finds nothing in the answer: reading until another "
                      "rule ends it; total_path: null says so on purpose",
                      path));
    }
    has_warned_ = true;
    return std::nullopt;
  }

  void put(Request& request) const {
    options_.value.put(request, value_);
    if (options_.limit) options_.limit->put(request, options_.step);
  }

  Options options_;
  int64_t value_;
  bool has_warned_ = false;
};

// The next request is a link: in a header or in the body.
class Link final : public Paginator {
 public:
  // The link as it was written; nothing when there is none.
  using Find = std::function<std::optional<std::string>(const Answer&)>;

  explicit Link(Find find) : find_(std::move(find)) {}

  std::unique_ptr<Paginator> clone() const override { return std::make_unique<Link>(find_); }
  void start(Request&) override {}
  bool is_counting() const override { return false; }

  bool advance(const Answer& answer, Request& request) override {
    const auto link = find_(answer);
    if (!link || link->empty()) return false;
    request.url = net::resolve_url(request.url, *link);
    // The link has them already.
    request.params = {};
    return true;
  }

 private:
  Find find_;
};

// The next request is the same with a token that the answer gave.
class Token final : public Paginator {
 public:
  struct Options {
    // The token; null when there is none.
    std::function<json::Value(const Answer&)> find;
    Target target;
    bool stops_after_empty = false;
    std::optional<json::Path> has_more;
  };

  explicit Token(Options options) : options_(std::move(options)) {}

  std::unique_ptr<Paginator> clone() const override { return std::make_unique<Token>(options_); }
  void start(Request&) override {}
  bool is_counting() const override { return false; }

  bool advance(const Answer& answer, Request& request) override {
    if (options_.stops_after_empty && answer.row_count == 0) return false;
    if (options_.has_more && !has_more(*options_.has_more, answer.body)) return false;
    json::Value token = options_.find(answer);
    if (token.is_null()) return false;
    options_.target.put(request, std::move(token));
    return true;
  }

 private:
  Options options_;
};

// As Python sees it: "", 0, false and empty containers end the paging as null does.
bool is_falsy(json::Node node) {
  switch (node.kind()) {
    case json::Kind::kNull:
    case json::Kind::kFalse:
      return true;
    case json::Kind::kInt64:
      return node.int64() == 0;
    case json::Kind::kDouble:
      return node.number() == 0;
    case json::Kind::kString:
      return node.string().empty();
    case json::Kind::kArray:
    case json::Kind::kObject:
      return node.is_empty();
    default:
      return false;
  }
}

}  // namespace

PaginatorPtr single_page() { return std::make_shared<SinglePage>(); }

PaginatorPtr page_number(PageNumberOptions options) {
  return std::make_shared<Counting>(
      Counting::Options{.value = Target(options.page_param, options.page_body_path, "page"),
                        .limit = std::nullopt,
                        .start = options.page.value_or(options.base_page),
                        .step = 1,
                        .base = options.base_page,
                        .maximum = options.maximum_page,
                        .total = to_path(options.total_path),
                        .has_more = to_path(options.has_more_path),
                        .stops_after_empty = options.stop_after_empty_page});
}

PaginatorPtr offset(OffsetOptions options) {
  if (options.limit <= 0) fail("limit of offset paging must be above 0");
  return std::make_shared<Counting>(
      Counting::Options{.value = Target(options.offset_param, options.offset_body_path, "offset"),
                        .limit = Target(options.limit_param, options.limit_body_path, "limit"),
                        .start = options.offset,
                        .step = options.limit,
                        .base = 0,
                        .maximum = options.maximum_offset,
                        .total = to_path(options.total_path),
                        .has_more = to_path(options.has_more_path),
                        .stops_after_empty = options.stop_after_empty_page});
}

PaginatorPtr header_link(std::string links_next_key) {
  return std::make_shared<Link>([rel = std::move(links_next_key)](const Answer& answer) {
    return find_link(answer.http.headers, rel);
  });
}

PaginatorPtr json_link(std::string next_url_path) {
  return std::make_shared<Link>([path = json::Path::parse(next_url_path)](
                                    const Answer& answer) -> std::optional<std::string> {
    const auto found = find_one(path, answer.body);
    if (!found || is_falsy(*found)) return std::nullopt;
    if (!found->is_string()) {
      fail(fmt::format("next_url_path '{}' finds something that is no link", path.text()));
    }
    return std::string(found->string());
  });
}

PaginatorPtr cursor(CursorOptions options) {
  return std::make_shared<Token>(
      Token::Options{.find =
                         [path = json::Path::parse(options.cursor_path)](const Answer& answer) {
                           const auto found = find_one(path, answer.body);
                           return !found || is_falsy(*found) ? json::Value() : to_value(*found);
                         },
                     .target = Target(options.cursor_param, options.cursor_body_path, "cursor"),
                     .stops_after_empty = options.stop_after_empty_page,
                     .has_more = to_path(options.has_more_path)});
}

PaginatorPtr header_cursor(HeaderCursorOptions options) {
  return std::make_shared<Token>(
      Token::Options{.find =
                         [key = options.cursor_key](const Answer& answer) {
                           const auto token = answer.http.headers.find(key);
                           return token && !token->empty() ? json::Value(*token) : json::Value();
                         },
                     .target = Target(options.cursor_param, "", "cursor"),
                     .stops_after_empty = false,
                     .has_more = std::nullopt});
}

}  // namespace tidemark::rest
