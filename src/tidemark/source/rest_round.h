#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tidemark/base/hash.h"
#include "tidemark/json/page.h"
#include "tidemark/json/path.h"
#include "tidemark/source/rest.h"
#include "tidemark/source/rest_repeats.h"
#include "tidemark/source/rest_sender.h"

namespace tidemark::rest {

// One endpoint read from its first page to its last.
class Pages::Round {
 public:
  Round(std::shared_ptr<const ClientOptions> options, source::Extraction& extraction,
        Endpoint endpoint);

  std::optional<json::Page> next();

 private:
  // The rows that the selector finds in an answer.
  struct Rows {
    std::vector<json::Node> nodes;
    bool is_one_list = false;  // nodes is one array whose elements are the rows

    size_t count() const;
    std::vector<json::Node> elements() const;
  };

  json::Page read_page();
  std::shared_ptr<const json::Document> parse(const net::HttpResponse& response);
  Rows select(json::Node body);
  void detect_way(const net::HttpResponse& response, json::Node body);
  void advance(const net::HttpResponse& response, json::Node body, size_t row_count);
  void refuse_same_page(const std::shared_ptr<const json::Document>& document, const Rows& rows);
  void refuse_same_request();
  json::Page make_page(std::shared_ptr<const json::Document> document, const Rows& rows,
                       std::string origin);
  void finish();
  void warn(std::string message);

  std::shared_ptr<const ClientOptions> options_;
  source::Extraction& extraction_;
  Endpoint endpoint_;
  Sender sender_;
  json::Parser parser_;
  std::optional<json::Path> selector_;
  std::unique_ptr<Paginator> paginator_;
  std::optional<RepeatFilter> repeats_;
  Request request_;
  std::set<Digest256> seen_requests_;
  std::shared_ptr<const json::Document> document_before_;
  Rows rows_before_;
  size_t page_number_ = 0;
  bool is_done_ = false;
};

}  // namespace tidemark::rest
