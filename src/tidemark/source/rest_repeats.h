#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tidemark/json/page.h"

namespace tidemark::rest {

// Whether both hold the same JSON, members in the same order.
bool is_same(json::Node a, json::Node b);

// Leaves out the rows that a page repeats from the page before: equal key and equal content.
// Exports by time begin a page with the last rows of the one before.
class RepeatFilter {
 public:
  // key: names of fields. Rows without one of them are never left out.
  explicit RepeatFilter(std::vector<std::string> key) : key_(std::move(key)) {}

  // The rows of the next page that are no repeats.
  std::vector<json::Node> keep(std::shared_ptr<const json::Document> document,
                               const std::vector<json::Node>& rows);
  uint64_t left_out() const { return left_out_; }

 private:
  // The text of the row's key; false when a field is missing.
  bool read_key(json::Node row, std::string& out) const;

  std::vector<std::string> key_;
  std::shared_ptr<const json::Document> document_;  // of the page before
  std::unordered_map<std::string, json::Node> rows_;
  uint64_t left_out_ = 0;
};

}  // namespace tidemark::rest
