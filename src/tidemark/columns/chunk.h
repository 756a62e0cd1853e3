#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/columns/column.h"

namespace tidemark::columns {

// Rows of one table as columns. Columns that the table has and the chunk lacks are null in all its
// rows.
struct Chunk {
  // Number of the first row among all rows of its part; not in the chunk's bytes, since a chunk is
  // encoded before it is known: whoever keeps chunks in order sets it.
  uint64_t first_row = 0;
  size_t rows = 0;
  std::vector<ColumnInfo> infos;
  std::vector<ColumnView> views;  // beside infos, each of `rows` rows
};

// Appends the chunk's bytes to out (docs/formats/package.md): self-contained, 8-byte aligned within
// itself, with a checksum.
void encode_chunk(const Chunk& chunk, std::string& out);

// Reads what encode_chunk wrote. The views point into bytes, which must be 8-byte aligned and
// outlive them. Error kCorrupt when the checksum or any size does not fit.
Chunk decode_chunk(std::string_view bytes);

// The checksum that an encoded chunk carries, read off without computing it again. bytes is what
// encode_chunk wrote.
uint32_t carried_checksum(std::string_view bytes);

}  // namespace tidemark::columns
