#include "tidemark/info/job_file.h"

#include <charconv>
#include <vector>

#include <fmt/format.h>

namespace tidemark::info {
namespace {

std::vector<std::string_view> split_at_dots(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
    parts.push_back(text.substr(0, dot));
    text.remove_prefix(dot + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace

std::optional<JobFile> JobFile::parse(std::string_view file_name) {
  std::vector<std::string_view> parts = split_at_dots(file_name);
  bool is_compressed = parts.size() == 5 && parts[4] == "gz";
  if (parts.size() != 4 && !is_compressed) return std::nullopt;
  int retry_count = 0;
  const char* end = parts[2].data() + parts[2].size();
  auto [stop, error] = std::from_chars(parts[2].data(), end, retry_count);
  if (error != std::errc() || stop != end || retry_count < 0) return std::nullopt;
  return JobFile{std::string(parts[0]), std::string(parts[1]), retry_count, std::string(parts[3]),
                 is_compressed};
}

std::string JobFile::job_id() const {
  return fmt::format("{}.{}.{}{}", table_name, file_id, file_format, is_compressed ? ".gz" : "");
}

std::string JobFile::file_name() const {
  return fmt::format("{}.{}.{}.{}{}", table_name, file_id, retry_count, file_format,
                     is_compressed ? ".gz" : "");
}

std::string JobFile::exception_file_name() const {
  return fmt::format("{}.{}.{}.exception", table_name, file_id, retry_count);
}

JobFile JobFile::next_try() const {
  JobFile next = *this;
  ++next.retry_count;
  return next;
}

}  // namespace tidemark::info
