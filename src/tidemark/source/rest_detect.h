#pragma once

#include <optional>
#include <string>

#include "tidemark/json/node.h"
#include "tidemark/json/path.h"
#include "tidemark/net/http.h"
#include "tidemark/source/rest_paginator.h"

namespace tidemark::rest {

// Where the rows are in a first answer, by the rules of dlt 1.31: the list whose key
// sounds like rows, else the first list down to three levels, else the whole answer.
json::Path detect_selector(json::Node body);

struct DetectedPaginator {
  PaginatorPtr paginator;
  std::string found;  // "a Link header", "the link at 'meta.next'"
  // Whether the answer leaves it open: parameters that it does not name were assumed, or an object
  // with rows in it says nothing of a next page.
  bool is_guess = false;
};

// How a first answer goes on: Link header, link in the body, number of pages, token in the body,
// else a single page.
DetectedPaginator detect_paginator(const net::HttpResponse& response, json::Node body);

}  // namespace tidemark::rest
