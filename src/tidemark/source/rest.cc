#include "tidemark/source/rest.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/source/rest_detect.h"
#include "tidemark/source/rest_error.h"
#include "tidemark/source/rest_round.h"

namespace tidemark::rest {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Request first_request(const ClientOptions& client, const Endpoint& endpoint) {
  if (!endpoint.json.is_null() && !endpoint.data.is_null()) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("endpoint {}: json and data exclude each other", endpoint.path));
  }
  Request request{.method = endpoint.method,
                  .url = join_url(client.base_url, endpoint.path),
                  .params = endpoint.params,
                  .json = endpoint.json,
                  .data = endpoint.data,
                  .headers = client.headers};
  for (const auto& [name, value] : endpoint.headers) request.headers.set(name, value);
  return request;
}

bool are_same(const std::vector<json::Node>& a, const std::vector<json::Node>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!is_same(a[i], b[i])) return false;
  }
  return true;
}

}  // namespace

Transport make_transport(net::HttpOptions options, net::RetryPolicy retry) {
  return {.http = make_http_client(std::move(options)),
          .clock = std::make_shared<SystemClock>(),
          .sleeper = std::make_shared<SystemSleeper>(),
          .retry = retry};
}

Client::Client(ClientOptions options) {
  if (!options.transport) options.transport = make_transport();
  options_ = std::make_shared<const ClientOptions>(std::move(options));
}

Pages Client::paginate(source::Extraction& extraction, Endpoint endpoint) const {
  return Pages(std::make_unique<Pages::Round>(options_, extraction, std::move(endpoint)));
}

Pages::Pages(std::unique_ptr<Round> round) : round_(std::move(round)) {}
Pages::~Pages() = default;
Pages::Pages(Pages&&) noexcept = default;
Pages& Pages::operator=(Pages&&) noexcept = default;

std::optional<json::Page> Pages::next() { return round_->next(); }
Pages::Iterator Pages::begin() { return Iterator(*this); }

Pages::Round::Round(std::shared_ptr<const ClientOptions> options, source::Extraction& extraction,
                    Endpoint endpoint)
    : options_(std::move(options)),
      extraction_(extraction),
      endpoint_(std::move(endpoint)),
      sender_(options_, extraction_, endpoint_, join_url(options_->base_url, endpoint_.path)),
      request_(first_request(*options_, endpoint_)) {
  const auto& selector =
      endpoint_.data_selector ? endpoint_.data_selector : options_->data_selector;
  if (selector) selector_ = json::Path::parse(*selector);
  if (!endpoint_.row_key.empty()) repeats_.emplace(endpoint_.row_key);
  const PaginatorPtr& paginator = endpoint_.paginator ? endpoint_.paginator : options_->paginator;
  if (!paginator) return;
  paginator_ = paginator->clone();
  paginator_->start(request_);
}

std::optional<json::Page> Pages::Round::next() {
  while (!is_done_) {
    ++page_number_;
    json::Page page;
    try {
      page = read_page();
    } catch (Error& error) {
      is_done_ = true;
      error.add_context(fmt::format("page {}", page_number_));
      throw;
    }
    if (is_done_) finish();
    if (page.row_count() > 0) return page;
  }
  return std::nullopt;
}

json::Page Pages::Round::read_page() {
  refuse_same_request();
  const auto response = sender_.send(request_);
  // Ignored, or 204: nothing there.
  if (!response || response->status == 204) {
    is_done_ = true;
    return json::Page::nodes(std::make_shared<json::Document>(), {}, sender_.description());
  }
  const auto document = parse(*response);
  const json::Node body = document->root();
  const Rows rows = select(body);
  if (!paginator_) detect_way(*response, body);
  refuse_same_page(document, rows);
  advance(*response, body, rows.count());
  return make_page(document, rows,
                   fmt::format("{} (page {})", sender_.description(), page_number_));
}

std::shared_ptr<const json::Document> Pages::Round::parse(const net::HttpResponse& response) {
  const auto fail = [&](std::string_view why) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: status {}, {}", sender_.description(), response.status, why));
  };
  const std::string_view body = response.body.view();
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    fail("an empty body where JSON was expected");
  }
  try {
    if (body.starts_with(kByteOrderMark)) {
      return parser_.parse_document(json::Buffer(body.substr(kByteOrderMark.size())));
    }
    return parser_.parse_document(response.body);
  } catch (const Error& error) {
    fail(fmt::format("a body that is not JSON ({}): {}",
                     response.headers.find("Content-Type").value_or("no content type"),
                     error.message()));
  }
  return nullptr;
}

size_t Pages::Round::Rows::count() const {
  return is_one_list ? nodes.front().count() : nodes.size();
}

std::vector<json::Node> Pages::Round::Rows::elements() const {
  if (!is_one_list) return nodes;
  std::vector<json::Node> elements;
  const json::Node list = nodes.front();
  for (json::Node at = list.first(); !(at == list.end()); at = at.next()) elements.push_back(at);
  return elements;
}

Pages::Round::Rows Pages::Round::select(json::Node body) {
  if (!selector_) selector_ = detect_selector(body);
  Rows rows{.nodes = selector_->find(body)};
  const bool is_null = rows.nodes.size() == 1 && rows.nodes.front().is_null();
  if (page_number_ == 1 && (rows.nodes.empty() || is_null)) {
    warn(fmt::format("data_selector '{}' finds {} in the answer", selector_->text(),
                     is_null ? "null" : "nothing"));
  }
  if (is_null) rows.nodes.clear();
  rows.is_one_list = rows.nodes.size() == 1 && rows.nodes.front().is_array();
  return rows;
}

void Pages::Round::detect_way(const net::HttpResponse& response, json::Node body) {
  const DetectedPaginator detected = detect_paginator(response, body);
  paginator_ = detected.paginator->clone();
  // The request that was sent is the first page already: it stays as it was.
  Request sent = request_;
  paginator_->start(sent);
  const bool is_single_entity = selector_->text() == "$";
  if (detected.is_guess && !is_single_entity) {
    warn(fmt::format("paging is guessed from {}; set paginator to be sure", detected.found));
  }
}

void Pages::Round::advance(const net::HttpResponse& response, json::Node body, size_t row_count) {
  const std::function<void(std::string)> take_warning = [this](std::string text) {
    warn(std::move(text));
  };
  is_done_ = !paginator_->advance(
      {.http = response, .body = body, .row_count = row_count, .warn = take_warning}, request_);
}

void Pages::Round::refuse_same_page(const std::shared_ptr<const json::Document>& document,
                                    const Rows& rows) {
  if (!paginator_->is_counting()) return;
  const bool is_repeat = document_before_ && rows.count() > 0 &&
                         rows.count() == rows_before_.count() &&
                         are_same(rows.nodes, rows_before_.nodes);
  if (is_repeat) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("{}: the page holds the same rows as the one before, so the service "
                            "seems to ignore the page or offset it is asked for (or counts from "
                            "another first page: see base_page)",
                            sender_.description()));
  }
  document_before_ = document;
  rows_before_ = rows;
}

void Pages::Round::refuse_same_request() {
  if (seen_requests_.insert(sha256(fingerprint(request_))).second) return;
  throw Error(ErrorCode::kInvalid,
              fmt::format("{}: the answer leads to a page that was read before, so the paging "
                          "would never end",
                          sender_.description()));
}

json::Page Pages::Round::make_page(std::shared_ptr<const json::Document> document, const Rows& rows,
                                   std::string origin) {
  if (repeats_ && !(is_done_ && page_number_ == 1)) {
    std::vector<json::Node> kept = repeats_->keep(document, rows.elements());
    return json::Page::nodes(std::move(document), std::move(kept), std::move(origin));
  }
  if (rows.is_one_list) {
    return json::Page::rows(std::move(document), rows.nodes.front(), std::move(origin));
  }
  return json::Page::nodes(std::move(document), rows.nodes, std::move(origin));
}

void Pages::Round::finish() {
  if (repeats_ && repeats_->left_out() > 0) {
    warn(
        fmt::format("{} rows left out: the page before had them already, with the same key and "
                    "the same content",
                    repeats_->left_out()));
  }
}

void Pages::Round::warn(std::string message) {
  extraction_.warn(fmt::format("{}: {}", sender_.description(), message));
}

}  // namespace tidemark::rest
