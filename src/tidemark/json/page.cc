#include "tidemark/json/page.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tidemark/base/error.h"

namespace tidemark::json {

Buffer::Buffer(size_t capacity)
    : data_(std::make_unique_for_overwrite<char[]>(capacity + kPadding)), capacity_(capacity) {
  resize(0);
}

Buffer::Buffer(std::string_view text) : Buffer(text.size()) { append(text); }

void Buffer::resize(size_t size) {
  size_ = size;
  std::memset(data_.get() + size, 0, kPadding);
}

void Buffer::append(std::string_view bytes) {
  if (!data_ || bytes.size() > capacity_ - size_) {
    Buffer larger(std::max(size_ + bytes.size(), 2 * capacity_));
    std::copy_n(data_.get(), size_, larger.data());
    larger.size_ = size_;
    *this = std::move(larger);
  }
  std::copy(bytes.begin(), bytes.end(), data_.get() + size_);
  resize(size_ + bytes.size());
}

// Either texts in a buffer or nodes of a document.
struct Page::Data {
  std::string origin;
  std::shared_ptr<const Buffer> buffer;
  std::vector<TextSpan> spans;
  std::shared_ptr<const Document> document;
  std::vector<Node> nodes;
};

Page Page::texts(std::shared_ptr<const Buffer> buffer, std::vector<TextSpan> spans,
                 std::string origin) {
  Page page;
  page.data_ = std::make_shared<const Data>(Data{.origin = std::move(origin),
                                                 .buffer = std::move(buffer),
                                                 .spans = std::move(spans),
                                                 .document = nullptr,
                                                 .nodes = {}});
  return page;
}

Page Page::rows(std::shared_ptr<const Document> document, Node rows, std::string origin) {
  if (!rows.is_array()) return nodes(std::move(document), {rows}, std::move(origin));
  std::vector<Node> elements;
  elements.reserve(rows.count());
  for (Node row = rows.first(); row != rows.end(); row = row.next()) elements.push_back(row);
  return nodes(std::move(document), std::move(elements), std::move(origin));
}

Page Page::nodes(std::shared_ptr<const Document> document, std::vector<Node> nodes,
                 std::string origin) {
  Page page;
  page.data_ = std::make_shared<const Data>(Data{.origin = std::move(origin),
                                                 .buffer = nullptr,
                                                 .spans = {},
                                                 .document = std::move(document),
                                                 .nodes = std::move(nodes)});
  return page;
}

size_t Page::row_count() const { return data_ ? data_->spans.size() + data_->nodes.size() : 0; }

size_t Page::byte_size() const {
  if (!data_) return 0;
  return (data_->buffer ? data_->buffer->capacity() : 0) +
         (data_->document ? data_->document->byte_size() : 0) +
         data_->spans.capacity() * sizeof(TextSpan) + data_->nodes.capacity() * sizeof(Node);
}

size_t Page::data_size() const {
  if (!data_) return 0;
  return data_->buffer ? data_->buffer->size() : data_->document->byte_size();
}

const std::string& Page::origin() const {
  static const std::string kNone;
  return data_ ? data_->origin : kNone;
}

RowReader::RowReader(const Page& page, Parser& parser) : page_(page), parser_(parser) {}

std::optional<Node> RowReader::next() {
  if (position_ == page_.row_count()) return std::nullopt;
  const Page::Data& data = *page_.data_;
  const size_t row = position_++;
  if (!data.buffer) return data.nodes[row];
  const TextSpan& span = data.spans[row];
  try {
    return parser_.parse(data.buffer->view().substr(span.offset, span.size), span.line, span.byte);
  } catch (Error& error) {
    error.add_context(data.origin);
    throw;
  }
}

}  // namespace tidemark::json
