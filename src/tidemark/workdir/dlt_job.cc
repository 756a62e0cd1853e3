#include "tidemark/workdir/dlt_job.h"

#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tidemark/base/error.h"
#include "tidemark/base/zlib.h"
#include "tidemark/info/job_file.h"
#include "tidemark/os/file_descriptor.h"
#include "tidemark/os/files.h"
#include "tidemark/workdir/job_text.h"

namespace tidemark::workdir {
namespace {

constexpr std::array<std::pair<JobFormat, std::string_view>, 3> kFormats = {{
    {JobFormat::kColumns, kPartFormat},
    {JobFormat::kInsertValues, "insert_values"},
    {JobFormat::kJsonLines, "jsonl"},
}};

// Of text, before it is compressed.
constexpr size_t kBufferBytes = size_t{256} << 10;

constexpr size_t kMaxFileNameBytes = 255;

// A new file of compressed text.
class GzipFile {
 public:
  explicit GzipFile(os::Path path) : path_(std::move(path)) {
    file_ = os::FileDescriptor(
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));  // NOLINT
    if (!file_.is_open()) throw os::file_error(errno, "create", path_);
  }

  // Takes what is in text once that is enough to be worth it.
  void take(std::string& text) {
    if (text.size() < kBufferBytes) return;
    encoder_.write(text, compressed_);
    text.clear();
    flush();
  }
  // Writes the rest and syncs the file; its size.
  uint64_t finish(std::string_view text) {
    encoder_.write(text, compressed_);
    encoder_.finish(compressed_);
    flush();
    if (::fsync(file_.get()) != 0) throw os::file_error(errno, "sync", path_);
    return bytes_;
  }

 private:
  void flush() {
    os::write_all(file_, compressed_, path_);
    bytes_ += compressed_.size();
    compressed_.clear();
  }

  os::Path path_;
  os::FileDescriptor file_;
  GzipEncoder encoder_;
  std::string compressed_;
  uint64_t bytes_ = 0;
};

std::string job_file_name(const PartSummary& part, JobFormat format) {
  info::JobFile job = info::JobFile::parse(part.file_name).value();
  job.table_name = part.table;
  job.file_format = to_string(format);
  job.is_compressed = true;
  std::string name = job.file_name();
  if (name.size() > kMaxFileNameBytes) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("table {}: its name is too long for a job file of dlt's; leave "
                            "loader_file_format out, or give the table another name",
                            part.table));
  }
  return name;
}

std::vector<JobColumn> job_columns(const PartReader& reader, const schema::TableView& table) {
  std::vector<JobColumn> columns;
  for (const columns::ColumnInfo& info : reader.columns()) {
    const auto column = table.find_column(info.name);
    columns.push_back({info, !column || column->has_timezone()});
  }
  return columns;
}

JobRows rows_of(const std::vector<JobColumn>& columns, const columns::Chunk& chunk) {
  JobRows rows{columns, {}};
  for (const JobColumn& column : columns) {
    const columns::ColumnView*& view = rows.views.emplace_back(nullptr);
    for (size_t i = 0; i < chunk.infos.size(); ++i) {
      if (chunk.infos[i].name == column.info.name) view = &chunk.views[i];
    }
  }
  return rows;
}

uint64_t write_job(const PartReader& reader, const std::vector<JobColumn>& columns,
                   JobFormat format, const os::Path& path) {
  GzipFile file(path);
  std::string text;
  if (format == JobFormat::kInsertValues) append_insert_header(columns, text);
  PartReader::ChunkBuffer buffer;
  uint64_t written = 0;
  for (size_t number = 0; number < reader.chunk_count(); ++number) {
    const columns::Chunk chunk = reader.read(number, buffer);
    const JobRows rows = rows_of(columns, chunk);
    for (size_t row = 0; row < chunk.rows; ++row) {
      if (format == JobFormat::kInsertValues) {
        append_tuple(rows, row, text);
        text += ++written < reader.rows() ? ",\n" : ";";
      } else {
        append_json_line(rows, row, text);
      }
      file.take(text);
    }
  }
  return file.finish(text);
}

}  // namespace

std::string_view to_string(JobFormat format) {
  return kFormats[static_cast<size_t>(format)].second;
}

std::optional<JobFormat> parse_job_format(std::string_view name) {
  for (const auto& [format, word] : kFormats) {
    if (word == name) return format;
  }
  return std::nullopt;
}

PartSummary rewrite_part(const std::filesystem::path& directory, const PartSummary& part,
                         const schema::TableView& table, JobFormat format) {
  PartSummary job = part;
  job.file_name = job_file_name(part, format);
  job.checksum.clear();
  {
    const PartReader reader(directory / part.file_name);
    job.bytes = write_job(reader, job_columns(reader, table), format, directory / job.file_name);
  }
  os::remove_file(directory / part.file_name);
  return job;
}

}  // namespace tidemark::workdir
