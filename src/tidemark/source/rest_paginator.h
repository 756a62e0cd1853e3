#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tidemark/json/node.h"
#include "tidemark/json/value.h"
#include "tidemark/net/http.h"

namespace tidemark::rest {

// A request before it is encoded. What paginators change.
struct Request {
  std::string method = "GET";
  std::string url{};      // may bring a query of its own, as links do
  json::Object params{};  // null is left out, an array repeats the name
  json::Value json{};     // body, when not null
  json::Value data{};     // body, when not null: an object is a form, text is sent as it is
  net::Headers headers{};
};

// What the service said to a request.
struct Answer {
  const net::HttpResponse& http;
  json::Node body;
  size_t row_count;
  // Takes one line for people.
  const std::function<void(std::string)>& warn;
};

// Finds the way to the next page. Names, defaults and behaviour of the kinds are dlt 1.31's.
class Paginator {
 public:
  virtual ~Paginator() = default;

  // One for another round, not started.
  virtual std::unique_ptr<Paginator> clone() const = 0;
  // Turns request into that for the first page.
  virtual void start(Request& request) = 0;
  // Turns request into that for the page after answer's; false when there is none. Error kInvalid
  // for an answer that does not hold what was configured.
  virtual bool advance(const Answer& answer, Request& request) = 0;
  // Whether it counts by itself, so that a service may ignore what it asks for without an error.
  virtual bool is_counting() const = 0;
};

// Shared between clients and endpoints, which clone it for each round. Null: detected from the
// first answer.
using PaginatorPtr = std::shared_ptr<const Paginator>;

struct PageNumberOptions {
  int64_t base_page = 0;
  std::optional<int64_t> page{};                    // of the first request; unset = base_page
  std::string page_param{};                         // "page" when both are empty
  std::string page_body_path{};                     // instead of a parameter: a.b in the JSON body
  std::optional<std::string> total_path = "total";  // number of pages
  std::optional<int64_t> maximum_page{};
  bool stop_after_empty_page = true;
  std::optional<std::string> has_more_path{};
};

struct OffsetOptions {
  int64_t limit = 0;  // must be given
  int64_t offset = 0;
  std::string offset_param{};  // "offset" when both are empty
  std::string offset_body_path{};
  std::string limit_param{};  // "limit" when both are empty
  std::string limit_body_path{};
  std::optional<std::string> total_path = "total";  // number of rows
  std::optional<int64_t> maximum_offset{};
  bool stop_after_empty_page = true;
  std::optional<std::string> has_more_path{};
};

struct CursorOptions {
  std::string cursor_path = "cursors.next";
  std::string cursor_param{};  // "cursor" when both are empty
  std::string cursor_body_path{};
  bool stop_after_empty_page = false;
  std::optional<std::string> has_more_path{};
};

struct HeaderCursorOptions {
  std::string cursor_key = "next";
  std::string cursor_param = "cursor";
};

// Each throws Error kInvalid for options that contradict each other.
PaginatorPtr single_page();
PaginatorPtr page_number(PageNumberOptions options);
PaginatorPtr offset(OffsetOptions options);
// rel of a Link header (RFC 8288).
PaginatorPtr header_link(std::string links_next_key = "next");
PaginatorPtr json_link(std::string next_url_path = "next");
PaginatorPtr cursor(CursorOptions options);
PaginatorPtr header_cursor(HeaderCursorOptions options);

}  // namespace tidemark::rest
