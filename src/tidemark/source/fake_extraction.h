#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/source/resource.h"

namespace tidemark::source {

// For tests: keeps the rows it is given, less those that the cursor filters, as JSON.
class FakeExtraction final : public Extraction {
 public:
  bool yield(json::Page page) override;
  const Incremental& incremental(std::string_view path, const IncrementalOptions& options) override;
  StateScope resource_state() override { return StateScope(resource_state_); }
  StateScope source_state() override { return StateScope(source_state_); }
  Secret secret(std::string_view name) override { return Secret(secrets.at(std::string(name))); }
  const Cancellation& cancellation() const override { return cancelled; }
  void warn(std::string message) override { warnings.push_back(std::move(message)); }

  std::vector<std::string> rows;
  std::vector<json::Page> pages;
  std::vector<std::string> warnings;
  std::map<std::string, std::string> secrets;
  Cancellation cancelled;
  size_t page_limit = 1000;

 private:
  json::Object resource_state_;
  json::Object source_state_;
  std::unique_ptr<Incremental> cursor_;
};

// The rows of page as JSON.
std::vector<std::string> rows_of(const json::Page& page);

}  // namespace tidemark::source
