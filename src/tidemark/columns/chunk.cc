#include "tidemark/columns/chunk.h"

#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/base/zlib.h"

namespace tidemark::columns {

namespace {

// The bytes of a chunk, little endian, every part starting at a multiple of 8:
//   ChunkHeader
//   ColumnHeader, name, type                  for each column
//   validity, offsets, values                 for each column
constexpr uint32_t kMagic = 0x31434D54;  // "TMC1"

struct ChunkHeader {
  uint32_t magic = kMagic;
  uint32_t checksum = 0;  // crc32 of everything behind this field
  uint64_t size = 0;      // of the whole chunk
  uint64_t rows = 0;
  uint64_t column_count = 0;
};
constexpr size_t kChecksumEnd = 8;

struct ColumnHeader {
  uint8_t layout = 0;
  uint8_t has_validity = 0;
  uint16_t type_size = 0;
  int32_t scale = 0;
  uint32_t name_size = 0;
  uint32_t reserved = 0;
  uint64_t values_size = 0;
};

constexpr size_t padded(size_t size) { return (size + 7) & ~size_t{7}; }

size_t values_size(const ColumnView& view) {
  if (view.layout == Layout::kBool) return (view.rows + 7) / 8;
  if (view.layout == Layout::kBytes) return view.offsets[view.rows];
  return view.rows * value_width(view.layout);
}

void append_padded(std::string& out, const void* data, size_t size) {
  out.append(static_cast<const char*>(data), size);
  out.append(padded(size) - size, '\0');
}

void append_column(std::string& out, const ColumnInfo& info, const ColumnView& view) {
  ColumnHeader header;
  header.layout = static_cast<uint8_t>(info.layout);
  header.has_validity = view.validity != nullptr;
  header.type_size = static_cast<uint16_t>(info.type.size());
  header.scale = info.scale;
  header.name_size = static_cast<uint32_t>(info.name.size());
  header.values_size = values_size(view);
  append_padded(out, &header, sizeof header);
  append_padded(out, info.name.data(), info.name.size());
  append_padded(out, info.type.data(), info.type.size());
}

void append_values(std::string& out, const ColumnView& view) {
  if (view.validity != nullptr) append_padded(out, view.validity, (view.rows + 7) / 8);
  if (view.layout == Layout::kBytes) {
    append_padded(out, view.offsets, (view.rows + 1) * sizeof(uint32_t));
    append_padded(out, view.bytes, view.offsets[view.rows]);
  } else {
    append_padded(out, view.values, values_size(view));
  }
}

// Takes parts off the front of a chunk and refuses to read past its end.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}

  const char* take(size_t size) {
    if (size > rest_.size() || padded(size) > rest_.size()) {
      throw Error(ErrorCode::kCorrupt, "a column chunk ends in the middle of a column");
    }
    const char* at = rest_.data();
    rest_.remove_prefix(padded(size));
    return at;
  }
  template <typename T>
  T take_struct() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }

 private:
  std::string_view rest_;
};

bool is_layout(uint8_t layout) {
  return layout >= static_cast<uint8_t>(Layout::kBool) &&
         layout <= static_cast<uint8_t>(Layout::kBytes);
}

ColumnInfo read_info(Cursor& cursor, ColumnHeader& header) {
  header = cursor.take_struct<ColumnHeader>();
  if (!is_layout(header.layout)) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("a column chunk has a column of unknown layout {}", header.layout));
  }
  ColumnInfo info;
  info.layout = static_cast<Layout>(header.layout);
  info.scale = header.scale;
  info.name.assign(cursor.take(header.name_size), header.name_size);
  info.type.assign(cursor.take(header.type_size), header.type_size);
  return info;
}

void check_offsets(const ColumnView& view, uint64_t values_size) {
  uint32_t last = 0;
  for (size_t i = 0; i <= view.rows; ++i) {
    if (view.offsets[i] < last) {
      throw Error(ErrorCode::kCorrupt, "a column chunk has offsets that go back");
    }
    last = view.offsets[i];
  }
  if (view.offsets[0] != 0 || last != values_size) {
    throw Error(ErrorCode::kCorrupt, "a column chunk has offsets that miss its bytes");
  }
}

ColumnView read_values(Cursor& cursor, const ColumnHeader& header, size_t rows) {
  ColumnView view;
  view.layout = static_cast<Layout>(header.layout);
  view.rows = rows;
  if (header.has_validity != 0) {
    view.validity = reinterpret_cast<const uint8_t*>(cursor.take((rows + 7) / 8));
  }
  if (view.layout == Layout::kBytes) {
    view.offsets = reinterpret_cast<const uint32_t*>(cursor.take((rows + 1) * sizeof(uint32_t)));
    view.bytes = cursor.take(header.values_size);
    check_offsets(view, header.values_size);
    return view;
  }
  const char* values = cursor.take(header.values_size);
  view.values = reinterpret_cast<const uint8_t*>(values);
  if (values_size(view) != header.values_size) {
    throw Error(ErrorCode::kCorrupt, "a column chunk has a column of the wrong size");
  }
  return view;
}

}  // namespace

void encode_chunk(const Chunk& chunk, std::string& out) {
  const size_t begin = out.size();
  ChunkHeader header;
  header.rows = chunk.rows;
  header.column_count = chunk.infos.size();
  append_padded(out, &header, sizeof header);
  for (size_t i = 0; i < chunk.infos.size(); ++i) {
    append_column(out, chunk.infos[i], chunk.views[i]);
  }
  for (const ColumnView& view : chunk.views) append_values(out, view);

  header.size = out.size() - begin;
  std::memcpy(out.data() + begin, &header, sizeof header);
  header.checksum = crc32(std::string_view(out).substr(begin + kChecksumEnd));
  std::memcpy(out.data() + begin, &header, sizeof header);
}

Chunk decode_chunk(std::string_view bytes) {
  Cursor cursor(bytes);
  const auto header = cursor.take_struct<ChunkHeader>();
  if (header.magic != kMagic || header.size != bytes.size()) {
    throw Error(ErrorCode::kCorrupt, "these bytes are not a column chunk");
  }
  if (header.checksum != crc32(bytes.substr(kChecksumEnd))) {
    throw Error(ErrorCode::kCorrupt, "a column chunk does not match its checksum");
  }
  // A checksum does not make sizes sane: every count is bounded by the bytes that are there.
  if (header.rows > bytes.size() * 8 || header.column_count > bytes.size()) {
    throw Error(ErrorCode::kCorrupt, "a column chunk has more rows than bytes");
  }
  Chunk chunk;
  chunk.rows = header.rows;
  std::vector<ColumnHeader> headers(header.column_count);
  for (ColumnHeader& column : headers) chunk.infos.push_back(read_info(cursor, column));
  for (const ColumnHeader& column : headers) {
    chunk.views.push_back(read_values(cursor, column, chunk.rows));
  }
  return chunk;
}

uint32_t carried_checksum(std::string_view bytes) {
  ChunkHeader header;
  if (bytes.size() < sizeof header) {
    throw Error(ErrorCode::kCorrupt, "chunk is shorter than its header");
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.checksum;
}

}  // namespace tidemark::columns
