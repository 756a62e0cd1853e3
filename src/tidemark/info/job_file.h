#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemark::info {

// The name of a job file: `<table>.<file id>.<retry count>.<format>[.gz]`.
struct JobFile {
  std::string table_name;
  std::string file_id;
  int retry_count = 0;
  std::string file_format;
  bool is_compressed = false;

  // Nothing for any other name, such as `<job file>.exception`.
  static std::optional<JobFile> parse(std::string_view file_name);

  // The name without the retry count: the same over all tries.
  std::string job_id() const;
  std::string file_name() const;
  // `<table>.<file id>.<retry count>.exception`: where the error of this try is kept.
  std::string exception_file_name() const;
  JobFile next_try() const;

  bool operator==(const JobFile&) const = default;
};

}  // namespace tidemark::info
