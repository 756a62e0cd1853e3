#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "tidemark/source/byte_stream.h"

namespace tidemark::source {

// Text as a stream, handed out in pieces of at most piece_size bytes.
class StringStream final : public ByteStream {
 public:
  explicit StringStream(std::string text, size_t piece_size = std::string::npos)
      : text_(std::move(text)), piece_size_(piece_size) {}

  size_t read(char* data, size_t size) override {
    const size_t count = text_.copy(data, std::min(size, piece_size_), at_);
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  size_t piece_size_;
  size_t at_ = 0;
};

}  // namespace tidemark::source
