#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tidemark/base/cancellation.h"
#include "tidemark/os/files.h"

namespace tidemark::source {

// Bytes that are read once, from front to back. Used by one thread.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Reads up to size bytes; 0 only at the end.
  virtual size_t read(char* data, size_t size) = 0;
};

// Errors of os::file_error().
std::unique_ptr<ByteStream> open_file(const os::Path& file);
// Reading it throws Error kCancelled once cancelled, also while it waits. cancellation must outlive
// it.
std::unique_ptr<ByteStream> standard_input(const Cancellation& cancellation);

// The stream itself, or what it holds when it starts as gzip or zstd do (no text starts so):
// members and frames one after the other are one text. Error kInvalid for data that is damaged or
// cut off; name is that of the stream, for errors.
std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> stream, std::string name);

// Reads until size bytes are there or the stream ends: how much there is.
size_t read_fully(ByteStream& stream, char* data, size_t size);

}  // namespace tidemark::source
