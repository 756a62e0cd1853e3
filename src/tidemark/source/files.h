#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/os/files.h"
#include "tidemark/source/csv.h"
#include "tidemark/source/resource.h"

namespace tidemark::source {

enum class FileFormat { kJsonLines, kJson, kCsv };

// "jsonl" (also "ndjson"), "json", "csv". Error kInvalid names those; kUnsupported for "parquet".
FileFormat file_format(std::string_view name);
// By the suffix, with .gz or .zst behind it or not. Error kInvalid when it says nothing.
FileFormat file_format_of(const os::Path& file);

struct FilesOptions {
  // A file; a pattern with * ? [abc] in any part and ** for any folders; or - for standard input,
  // which is JSON lines unless format says otherwise. A name that exists is itself, whatever it
  // looks like.
  std::string path = {};
  std::optional<FileFormat> format = {};  // by suffix when not set
  CsvOptions csv = {};

  bool operator==(const FilesOptions&) const = default;
};

// A resource that reads local files in the order of their names; compressed ones (gzip, zstd) are
// seen through.
//
// Unless the resource replaces its table or its cursor has an end, a file is read once: its
// absolute path, size and modification time are kept in the resource's state under `files`, and it
// is passed over until one of the two changes; then it is read as a whole again, with a warning. So
// a run without new files is a success with no rows. Error kNotFound when nothing matches at all;
// kInvalid names file, line and byte.
Resource files(ResourceOptions resource, FilesOptions options);

// The files a pattern or name stands for, sorted by name; hidden ones only where the pattern shows
// the dot. Error kNotFound when there is none.
std::vector<os::Path> match_files(const std::string& pattern);

}  // namespace tidemark::source
