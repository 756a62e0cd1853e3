#include "tidemark/workdir/part_file.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tidemark/base/error.h"
#include "tidemark/base/zlib.h"
#include "tidemark/os/file_descriptor.h"
#include "tidemark/os/files.h"
#include "tidemark/schema/naming.h"

namespace tidemark::workdir {
namespace {

using columns::ColumnInfo;
using os::FileDescriptor;

constexpr std::string_view kMagic = "TMPART1\n";
constexpr size_t kAlignment = 8;
constexpr size_t kTrailerBytes = 24;  // index offset, index bytes, index crc32, magic
constexpr size_t kChunkEntryBytes = 32;
constexpr size_t kColumnEntryBytes = 16;
constexpr size_t kFileIdBytes = 5;
// A file name holds 255 bytes; id, retry count and format take the rest.
constexpr size_t kMaxTableBytesInFileName = 200;

struct ChunkEntry {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t rows = 0;
  uint32_t crc = 0;
  uint64_t first_row = 0;  // sum of the rows before; not in the file
};

struct Index {
  std::vector<ChunkEntry> chunks;
  std::vector<ColumnInfo> columns;
};

template <typename T>
void put(std::string& out, T value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  out.append(raw, sizeof raw);
}

std::string checksum_text(uint32_t crc) { return fmt::format("{:08x}", crc); }

std::string encode_index(const Index& index) {
  std::string out;
  put(out, static_cast<uint32_t>(index.chunks.size()));
  put(out, static_cast<uint32_t>(index.columns.size()));
  for (const ChunkEntry& chunk : index.chunks) {
    put(out, chunk.offset);
    put(out, chunk.bytes);
    put(out, chunk.rows);
    put(out, chunk.crc);
    put(out, uint32_t{0});
  }
  for (const ColumnInfo& column : index.columns) {
    put(out, static_cast<uint32_t>(column.layout));
    put(out, static_cast<int32_t>(column.scale));
    put(out, static_cast<uint32_t>(column.name.size()));
    put(out, static_cast<uint32_t>(column.type.size()));
    out += column.name;
    out += column.type;
  }
  return out;
}

std::string encode_trailer(uint64_t index_offset, std::string_view index) {
  std::string out;
  put(out, index_offset);
  put(out, static_cast<uint32_t>(index.size()));
  put(out, crc32(index));
  out += kMagic;
  return out;
}

// Takes numbers and texts off the front of an index; nothing once it is too short.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T number() {
    T value{};
    if (std::string_view raw = text(sizeof value); !raw.empty()) {
      std::memcpy(&value, raw.data(), sizeof value);
    }
    return value;
  }
  std::string_view text(size_t size) {
    if (size > bytes_.size()) {
      is_short_ = true;
      return {};
    }
    std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  size_t left() const { return bytes_.size(); }
  bool is_used_up() const { return !is_short_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool is_short_ = false;
};

bool is_layout(uint32_t value) {
  return value >= static_cast<uint32_t>(columns::Layout::kBool) &&
         value <= static_cast<uint32_t>(columns::Layout::kBytes);
}

// Chunks lie one behind the other between the magic and the index, so no two overlap and their row
// counts can be added.
bool fits(const ChunkEntry& chunk, uint64_t at, uint64_t index_offset) {
  return chunk.offset >= at && chunk.offset % kAlignment == 0 && chunk.offset <= index_offset &&
         chunk.bytes <= index_offset - chunk.offset && chunk.rows <= uint64_t{1} << 32;
}

std::optional<Index> decode_index(std::string_view bytes, uint64_t index_offset) {
  Cursor cursor(bytes);
  auto chunk_count = cursor.number<uint32_t>();
  auto column_count = cursor.number<uint32_t>();
  if (chunk_count > cursor.left() / kChunkEntryBytes ||
      column_count > cursor.left() / kColumnEntryBytes) {
    return std::nullopt;
  }
  Index index;
  uint64_t at = kMagic.size();
  for (uint32_t i = 0; i < chunk_count; ++i) {
    ChunkEntry chunk;
    chunk.offset = cursor.number<uint64_t>();
    chunk.bytes = cursor.number<uint64_t>();
    chunk.rows = cursor.number<uint64_t>();
    chunk.crc = cursor.number<uint32_t>();
    cursor.number<uint32_t>();
    if (!fits(chunk, at, index_offset)) return std::nullopt;
    at = chunk.offset + chunk.bytes;
    index.chunks.push_back(chunk);
  }
  for (uint32_t i = 0; i < column_count; ++i) {
    auto layout = cursor.number<uint32_t>();
    if (!is_layout(layout)) return std::nullopt;
    ColumnInfo column;
    column.layout = static_cast<columns::Layout>(layout);
    column.scale = cursor.number<int32_t>();
    auto name_size = cursor.number<uint32_t>();
    auto type_size = cursor.number<uint32_t>();
    column.name = cursor.text(name_size);
    column.type = cursor.text(type_size);
    index.columns.push_back(std::move(column));
  }
  if (!cursor.is_used_up()) return std::nullopt;
  return index;
}

[[noreturn]] void throw_corrupt(const std::filesystem::path& file, std::string_view why) {
  throw Error(ErrorCode::kCorrupt, fmt::format("part file {} {}", file.string(), why));
}

void read_exactly(int fd, const std::filesystem::path& file, char* to, size_t size,
                  uint64_t offset) {
  while (size > 0) {
    ssize_t got = ::pread(fd, to, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw os::file_error(errno, "read", file);
    }
    if (got == 0) throw_corrupt(file, "is shorter than its index says");
    to += got;
    size -= static_cast<size_t>(got);
    offset += static_cast<uint64_t>(got);
  }
}

}  // namespace

std::string new_part_file_name(std::string_view table, Random& random) {
  std::string stem(table);
  if (table.size() > kMaxTableBytesInFileName) {
    stem = fmt::format("{}_{}", table.substr(0, kMaxTableBytesInFileName - 7),
                       schema::name_tag(table));
  }
  return fmt::format("{}.{}.0.{}", stem, random_hex(random, kFileIdBytes), kPartFormat);
}

struct PartWriter::Impl {
  explicit Impl(const std::filesystem::path& path)
      : file(path),
        descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {
    if (!descriptor.is_open()) throw os::file_error(errno, "create", file);
  }

  void write(std::string_view bytes) {
    os::write_all(descriptor, bytes, file);
    offset += bytes.size();
  }

  void align() {
    constexpr char kZeros[kAlignment] = {};
    if (size_t over = offset % kAlignment; over != 0) write({kZeros, kAlignment - over});
  }

  void add_columns(std::span<const ColumnInfo> infos) {
    for (const ColumnInfo& info : infos) {
      if (column_names.insert(info.name).second) index.columns.push_back(info);
    }
  }

  std::filesystem::path file;
  FileDescriptor descriptor;
  uint64_t offset = 0;
  Index index;
  std::unordered_set<std::string> column_names;
};

PartWriter::PartWriter(const std::filesystem::path& file, std::string table)
    : impl_(std::make_unique<Impl>(file)) {
  summary_.file_name = file.filename().string();
  summary_.table = std::move(table);
  impl_->write(kMagic);
}

PartWriter::~PartWriter() = default;

void PartWriter::append(std::string_view encoded, uint64_t rows,
                        std::span<const ColumnInfo> infos) {
  impl_->align();
  impl_->index.chunks.push_back(
      {impl_->offset, encoded.size(), rows, columns::carried_checksum(encoded), summary_.rows});
  impl_->write(encoded);
  impl_->add_columns(infos);
  summary_.rows += rows;
  summary_.bytes = impl_->offset;
}

PartSummary PartWriter::finish() {
  impl_->align();
  uint64_t index_offset = impl_->offset;
  std::string index = encode_index(impl_->index);
  impl_->write(index);
  impl_->write(encode_trailer(index_offset, index));
  if (::fsync(impl_->descriptor.get()) != 0) throw os::file_error(errno, "sync", impl_->file);
  summary_.bytes = impl_->offset;
  summary_.checksum = checksum_text(crc32(index));
  return summary_;
}

struct PartReader::Impl {
  explicit Impl(const std::filesystem::path& path)
      : file(path), descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (!descriptor.is_open()) throw os::file_error(errno, "read", file);
    read_index();
    for (ChunkEntry& chunk : index.chunks) {
      chunk.first_row = rows;
      rows += chunk.rows;
    }
  }

  void read_index() {
    struct stat status{};
    if (::fstat(descriptor.get(), &status) != 0) throw os::file_error(errno, "read", file);
    auto size = static_cast<uint64_t>(status.st_size);
    if (size < kMagic.size() + kTrailerBytes) throw_corrupt(file, "was not finished");
    char trailer[kTrailerBytes];
    read_exactly(descriptor.get(), file, trailer, sizeof trailer, size - sizeof trailer);
    Cursor cursor({trailer, sizeof trailer});
    auto index_offset = cursor.number<uint64_t>();
    auto index_bytes = cursor.number<uint32_t>();
    auto index_crc = cursor.number<uint32_t>();
    if (cursor.text(kMagic.size()) != kMagic) throw_corrupt(file, "was not finished");
    if (index_offset > size || size - index_offset != uint64_t{index_bytes} + kTrailerBytes) {
      throw_corrupt(file, "has an index of the wrong size");
    }
    std::string bytes(index_bytes, '\0');
    read_exactly(descriptor.get(), file, bytes.data(), bytes.size(), index_offset);
    if (crc32(bytes) != index_crc) throw_corrupt(file, "has an index with a wrong checksum");
    std::optional<Index> decoded = decode_index(bytes, index_offset);
    if (!decoded) throw_corrupt(file, "has an index that does not fit the file");
    index = std::move(*decoded);
    checksum = checksum_text(index_crc);
  }

  std::filesystem::path file;
  FileDescriptor descriptor;
  Index index;
  std::string checksum;
  uint64_t rows = 0;
};

PartReader::PartReader(const std::filesystem::path& file) : impl_(std::make_unique<Impl>(file)) {}

PartReader::~PartReader() = default;

size_t PartReader::chunk_count() const { return impl_->index.chunks.size(); }

uint64_t PartReader::rows() const { return impl_->rows; }

const std::string& PartReader::checksum() const { return impl_->checksum; }

const std::vector<ColumnInfo>& PartReader::columns() const { return impl_->index.columns; }

columns::Chunk PartReader::read(size_t chunk, ChunkBuffer& buffer) const {
  const ChunkEntry& entry = impl_->index.chunks.at(chunk);
  buffer.words.resize((entry.bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
  char* bytes = reinterpret_cast<char*>(buffer.words.data());
  read_exactly(impl_->descriptor.get(), impl_->file, bytes, entry.bytes, entry.offset);
  try {
    columns::Chunk decoded = columns::decode_chunk({bytes, entry.bytes});
    if (decoded.rows != entry.rows ||
        columns::carried_checksum({bytes, entry.bytes}) != entry.crc) {
      throw Error(ErrorCode::kCorrupt, fmt::format("chunk {} is not the one in the index", chunk));
    }
    decoded.first_row = entry.first_row;
    return decoded;
  } catch (Error& error) {
    error.add_context(fmt::format("part file {}", impl_->file.string()));
    throw;
  }
}

}  // namespace tidemark::workdir
