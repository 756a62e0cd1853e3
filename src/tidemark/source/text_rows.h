#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/json/page.h"
#include "tidemark/source/byte_stream.h"

namespace tidemark::source {

// Text that is cut into one page; a row that is longer makes its page larger.
inline constexpr size_t kPageTextSize = 4 * 1024 * 1024;

// Finds rows in a text that is seen through a window.
class RowSplitter {
 public:
  virtual ~RowSplitter() = default;

  // text goes on behind what earlier calls are done with. Adds the rows that are complete and
  // returns how many bytes are done with; what is not comes again, with more behind it. is_end:
  // nothing more comes, so all is done with. Error kInvalid names line and byte.
  virtual size_t split(std::string_view text, bool is_end, std::vector<json::TextSpan>& rows) = 0;
};

// One JSON text a line; empty lines are passed over, a CR before the line break is white space.
std::unique_ptr<RowSplitter> json_lines_splitter();
// One JSON text: the elements of a root array are the rows, any other root is the one row.
std::unique_ptr<RowSplitter> json_splitter();

// Shows the text of a stream through windows of window_size bytes, larger only when a row does not
// fit: what is cut where depends on the bytes alone. A UTF-8 byte order mark is passed over.
class TextWindows {
 public:
  TextWindows(ByteStream& stream, size_t window_size);

  // Moves on behind the first `done` bytes. With none done a full window grows. Error kInvalid for
  // UTF-16.
  void advance(size_t done);
  std::string_view text() const { return buffer_->view(); }
  // Whether the stream ends with this window.
  bool is_end() const { return is_end_; }
  // The window's bytes, for a page that keeps them.
  std::shared_ptr<const json::Buffer> share();

 private:
  void fill();

  ByteStream& stream_;
  size_t window_size_;
  std::shared_ptr<json::Buffer> buffer_;
  bool is_start_ = true;
  bool is_end_ = false;
  bool is_shared_ = false;
};

using YieldPage = std::function<bool(json::Page)>;

// Cuts a stream into pages of page_size bytes. False when yield stopped it by returning false.
bool read_text_pages(ByteStream& stream, RowSplitter& splitter, const std::string& origin,
                     size_t page_size, const YieldPage& yield);

}  // namespace tidemark::source
