#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/random.h"
#include "tidemark/columns/chunk.h"

namespace tidemark::workdir {

// The format name of a part in its job file name: `<table>.<file id>.<retry>.columns`.
inline constexpr std::string_view kPartFormat = "columns";

// A job file name that no other has. Table names may be longer than file names: then it begins with
// a part of the table's name and a tag, and the manifest has the whole name.
std::string new_part_file_name(std::string_view table, Random& random);

// What a finished part file holds; goes into the package's manifest.
struct PartSummary {
  std::string file_name;
  std::string table;
  uint64_t rows = 0;
  uint64_t bytes = 0;  // of the file
  // CRC-32 of the file's chunk index, which holds every chunk's checksum; 8 hex digits.
  std::string checksum;

  bool operator==(const PartSummary&) const = default;
};

// Writes chunks of one table to a job file (docs/formats/package.md). One thread. Throws
// os::file_error: kUnavailable for a full disk.
class PartWriter {
 public:
  // The file must not exist.
  PartWriter(const std::filesystem::path& file, std::string table);
  ~PartWriter();  // without finish() the file is left unreadable, for the sweep
  PartWriter(const PartWriter&) = delete;
  PartWriter& operator=(const PartWriter&) = delete;

  // encoded is what columns::encode_chunk made of a chunk of `rows` rows with these columns, which
  // go into the file's index: a reader knows them without reading the chunks.
  void append(std::string_view encoded, uint64_t rows, std::span<const columns::ColumnInfo> infos);
  // Writes the index and syncs the file. The directory is synced by whoever seals the package.
  PartSummary finish();

 private:
  struct Impl;
  PartSummary summary_;
  std::unique_ptr<Impl> impl_;
};

// Reads a part file. read() is thread-safe: it uses pread.
class PartReader {
 public:
  // Error kCorrupt when the file was not finished or its index does not fit.
  explicit PartReader(const std::filesystem::path& file);
  ~PartReader();
  PartReader(const PartReader&) = delete;
  PartReader& operator=(const PartReader&) = delete;

  size_t chunk_count() const;
  uint64_t rows() const;
  // As in the PartSummary of the file.
  const std::string& checksum() const;
  // The columns of all chunks together, in order of first appearance.
  const std::vector<columns::ColumnInfo>& columns() const;

  // A chunk's bytes, owned by the caller and reused from call to call.
  struct ChunkBuffer {
    std::vector<uint64_t> words;
  };
  // The chunk's views point into buffer.
  columns::Chunk read(size_t chunk, ChunkBuffer& buffer) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemark::workdir
