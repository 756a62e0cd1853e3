// Whatever the bytes: a part file or a chunk of one is read or refused with a named fault, and
// every value that is read lies within the bytes. Checksums are put right first, else no other
// fault would ever be reached.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "tidemark/base/error.h"
#include "tidemark/base/zlib.h"
#include "tidemark/columns/chunk.h"
#include "tidemark/workdir/part_file.h"

namespace columns = tidemark::columns;
namespace workdir = tidemark::workdir;

namespace {

constexpr size_t kTrailerBytes = 24;
constexpr size_t kChunkChecksumAt = 4;

// Every bit of every value, for the sanitizers to look at.
uint64_t touch(const columns::Chunk& chunk) {
  uint64_t sum = 0;
  for (const columns::ColumnView& view : chunk.views) {
    if (view.rows != chunk.rows) std::abort();
    const size_t width = columns::value_width(view.layout);
    for (size_t row = 0; row < view.rows; ++row) {
      sum += view.is_valid(row) ? 1 : 0;
      if (view.layout == columns::Layout::kBytes) {
        for (const char byte : view.text(row)) sum += static_cast<uint8_t>(byte);
      } else if (view.layout == columns::Layout::kBool) {
        sum += view.boolean(row) ? 1 : 0;
      } else {
        for (size_t i = 0; i < width; ++i) sum += view.values[row * width + i];
      }
    }
  }
  return sum;
}

void read_chunk(std::string bytes) {
  if (bytes.size() >= 2 * kChunkChecksumAt) {
    const uint32_t checksum = tidemark::crc32(std::string_view(bytes).substr(8));
    std::memcpy(bytes.data() + kChunkChecksumAt, &checksum, sizeof checksum);
  }
  std::vector<uint64_t> aligned(bytes.size() / 8 + 1);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  try {
    touch(columns::decode_chunk({reinterpret_cast<const char*>(aligned.data()), bytes.size()}));
  } catch (const tidemark::Error&) {
  }
}

// Puts the checksum of the index into the trailer, when the trailer says where the index is.
void repair_index(std::string& bytes) {
  if (bytes.size() < kTrailerBytes) return;
  char* trailer = bytes.data() + bytes.size() - kTrailerBytes;
  uint64_t offset = 0;
  uint32_t size = 0;
  std::memcpy(&offset, trailer, sizeof offset);
  std::memcpy(&size, trailer + 8, sizeof size);
  if (offset > bytes.size() || size > bytes.size() - offset) return;
  const uint32_t checksum = tidemark::crc32(std::string_view(bytes).substr(offset, size));
  std::memcpy(trailer + 12, &checksum, sizeof checksum);
}

void read_file(std::string bytes) {
  repair_index(bytes);
  static const int file = ::memfd_create("part", 0);
  if (file < 0 || ::ftruncate(file, 0) != 0 ||
      ::pwrite(file, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    std::abort();
  }
  static const std::filesystem::path path = "/proc/self/fd/" + std::to_string(file);
  try {
    const workdir::PartReader part(path);
    workdir::PartReader::ChunkBuffer buffer;
    for (size_t i = 0; i < part.chunk_count(); ++i) {
      try {
        touch(part.read(i, buffer));
      } catch (const tidemark::Error&) {
      }
    }
  } catch (const tidemark::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read_chunk(bytes);
  read_file(bytes);
  return 0;
}
