#include "tidemark/source/fake_extraction.h"

namespace tidemark::source {
namespace {

std::string to_text(json::Node row) {
  std::string text;
  append_orjson(text, row, false);
  return text;
}

}  // namespace

bool FakeExtraction::yield(json::Page page) {
  json::Parser parser;
  json::RowReader reader(page, parser);
  Shake128 shake;
  PageCursor outcome;
  while (const auto row = reader.next()) {
    if (!cursor_ || cursor_->keep(*row, outcome, shake)) rows.push_back(to_text(*row));
  }
  if (cursor_) cursor_->merge(std::move(outcome));
  pages.push_back(std::move(page));
  return pages.size() < page_limit;
}

const Incremental& FakeExtraction::incremental(std::string_view path,
                                               const IncrementalOptions& options) {
  if (!cursor_) {
    cursor_ =
        std::make_unique<Incremental>(path, options, std::vector<std::string>(), json::Value());
  }
  return *cursor_;
}

std::vector<std::string> rows_of(const json::Page& page) {
  std::vector<std::string> rows;
  json::Parser parser;
  json::RowReader reader(page, parser);
  while (const auto row = reader.next()) rows.push_back(to_text(*row));
  return rows;
}

}  // namespace tidemark::source
