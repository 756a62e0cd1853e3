#include "tidemark/source/files.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/base/glob.h"
#include "tidemark/source/byte_stream.h"
#include "tidemark/source/text_rows.h"

namespace tidemark::source {

namespace {

constexpr std::string_view kFormats = "jsonl, json, csv";

std::optional<FileFormat> known_format(std::string_view name) {
  if (name == "jsonl" || name == "ndjson") return FileFormat::kJsonLines;
  if (name == "json") return FileFormat::kJson;
  if (name == "csv") return FileFormat::kCsv;
  return std::nullopt;
}

bool is_pattern(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

bool is_folder(const os::Path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

bool is_link(const os::Path& path) {
  std::error_code ignored;
  return std::filesystem::is_symlink(path, ignored);
}

// Walks the parts of a pattern down the folders.
class Matcher {
 public:
  explicit Matcher(const os::Path& pattern) : parts_(pattern.begin(), pattern.end()) {}

  std::vector<os::Path> match() {
    descend("", 0);
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  void descend(const os::Path& folder, size_t place) {
    if (place == parts_.size()) {
      if (os::path_exists(folder) && !is_folder(folder)) found_.push_back(folder);
      return;
    }
    const std::string& part = parts_[place].native();
    if (part == "**") {
      descend(folder, place + 1);
      for (const std::string& name : names_in(folder)) {
        // Links are not followed: they may lead in circles.
        const os::Path below = folder / name;
        if (is_folder(below) && !is_link(below) && !name.starts_with('.')) descend(below, place);
      }
    } else if (is_pattern(part)) {
      for (const std::string& name : names_in(folder)) {
        const bool is_hidden = name.starts_with('.') && !part.starts_with('.');
        if (!is_hidden && glob_match(part, name)) descend(folder / name, place + 1);
      }
    } else {
      descend(folder / parts_[place], place + 1);
    }
  }

  static std::vector<std::string> names_in(const os::Path& folder) {
    const os::Path listed = folder.empty() ? os::Path(".") : folder;
    if (!is_folder(listed)) return {};
    return os::list_directory(listed);
  }

  std::vector<os::Path> parts_;
  std::vector<os::Path> found_;
};

// What tells that a file is the one that was read before.
json::Value fingerprint(const os::Path& file) {
  std::error_code error;
  const auto size = static_cast<uint64_t>(std::filesystem::file_size(file, error));
  if (error) throw os::file_error(error.value(), "read", file);
  const auto written = std::filesystem::last_write_time(file, error);
  if (error) throw os::file_error(error.value(), "read", file);
  const auto since_epoch = std::chrono::file_clock::to_sys(written).time_since_epoch();
  const auto nanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count();
  return json::Object{{"size", size}, {"modified_ns", int64_t{nanoseconds}}};
}

// One run of the resource.
class FilesRun {
 public:
  // reads_all: files that were read before too, of which nothing is noted then.
  FilesRun(const FilesOptions& options, bool reads_all, Extraction& extraction)
      : options_(options), reads_all_(reads_all), extraction_(extraction) {}

  void run() {
    if (options_.path == "-") {
      read(standard_input(extraction_.cancellation()),
           options_.format.value_or(FileFormat::kJsonLines), "standard input");
      return;
    }
    for (const os::Path& file : match_files(options_.path)) {
      extraction_.cancellation().throw_if_cancelled();
      if (!read_file(file)) return;
    }
  }

 private:
  // False when nothing more is wanted.
  bool read_file(const os::Path& file) {
    const FileFormat format = options_.format ? *options_.format : file_format_of(file);
    if (reads_all_) return read(open_file(file), format, file.native());
    const std::string name = std::filesystem::absolute(file).lexically_normal();
    // Taken before reading: what is written meanwhile counts as a change.
    json::Value now = fingerprint(file);
    const json::Value* before = loaded_files().find(name);
    if (before && *before == now) return true;
    if (before) {
      extraction_.warn(
          fmt::format("{}: changed since it was loaded; read as a whole again", file.native()));
    }
    if (!read(open_file(file), format, file.native())) return false;
    loaded_files().set(name, std::move(now));
    return true;
  }

  json::Object& loaded_files() {
    return extraction_.resource_state().setdefault("files", json::Object()).as_object();
  }

  bool read(std::unique_ptr<ByteStream> stream, FileFormat format, const std::string& origin) {
    const auto text = decompressed(std::move(stream), origin);
    try {
      return read_text(*text, format, origin);
    } catch (Error& error) {
      if (error.code() == ErrorCode::kInvalid && !error.message().starts_with(origin)) {
        error.add_context(origin);
      }
      throw;
    }
  }

  bool read_text(ByteStream& text, FileFormat format, const std::string& origin) {
    const YieldPage yield = [this](json::Page page) { return extraction_.yield(std::move(page)); };
    switch (format) {
      case FileFormat::kJsonLines:
        return read_text_pages(text, *json_lines_splitter(), origin, kPageTextSize, yield);
      case FileFormat::kJson:
        return read_text_pages(text, *json_splitter(), origin, kPageTextSize, yield);
      case FileFormat::kCsv:
        return read_csv_pages(
            text, options_.csv, origin, kCsvPageTextSize, yield,
            [this](std::string warning) { extraction_.warn(std::move(warning)); });
    }
    return false;
  }

  const FilesOptions& options_;
  bool reads_all_;
  Extraction& extraction_;
};

}  // namespace

FileFormat file_format(std::string_view name) {
  if (const auto format = known_format(name)) return *format;
  if (name == "parquet") {
    throw Error(ErrorCode::kUnsupported, "the file format parquet is not supported");
  }
  throw Error(ErrorCode::kInvalid,
              fmt::format("unknown file format '{}'; expected {}", name, kFormats));
}

FileFormat file_format_of(const os::Path& file) {
  os::Path name = file.filename();
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  const std::string suffix = name.extension();
  const auto format = known_format(std::string_view(suffix).substr(suffix.empty() ? 0 : 1));
  if (!format) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("{}: the name does not say the file's format; set format to one of {}",
                            file.native(), kFormats));
  }
  return *format;
}

std::vector<os::Path> match_files(const std::string& pattern) {
  const os::Path path = pattern;
  if (is_folder(path)) {
    throw Error(ErrorCode::kInvalid, fmt::format("{} is a folder; name files in it, such as {}",
                                                 pattern, (path / "*.jsonl").native()));
  }
  if (os::path_exists(path)) return {path};
  if (!is_pattern(pattern)) {
    throw Error(ErrorCode::kNotFound, fmt::format("no such file: {}", pattern));
  }
  std::vector<os::Path> found = Matcher(path).match();
  if (found.empty()) {
    throw Error(ErrorCode::kNotFound, fmt::format("no file matches {}", pattern));
  }
  return found;
}

Resource files(ResourceOptions resource, FilesOptions options) {
  const bool is_replaced = resource.write_disposition == WriteDisposition::kReplace;
  const auto cursor = resource.incremental;
  return Resource(std::move(resource), [options = std::move(options), is_replaced,
                                        cursor](Extraction& extraction) {
    // A stretch of a cursor lies in files that were read long ago.
    const bool has_window =
        cursor && extraction.incremental(cursor->first, cursor->second).is_stateless();
    FilesRun(options, is_replaced || has_window, extraction).run();
  });
}

}  // namespace tidemark::source
