#include "tidemark/destination/insert_values.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::destination {
namespace {

constexpr size_t kReadSize = size_t{64} << 10;

}  // namespace

InsertValues::InsertValues(std::unique_ptr<source::ByteStream> text, std::string name)
    : text_(std::move(text)), name_(std::move(name)) {
  std::string line;
  if (!read_line(line)) fail("INSERT INTO");
  read_header(line);
  if (!read_line(line) || line != "VALUES") fail("VALUES");
}

void InsertValues::fail(const char* expected) const {
  throw Error(ErrorCode::kCorrupt,
              fmt::format("{}: line {}: expected {}", name_, line_number_, expected));
}

bool InsertValues::read_line(std::string& line) {
  line.clear();
  while (true) {
    const size_t end = buffer_.find('\n', at_);
    line.append(buffer_, at_, end == buffer_.npos ? buffer_.npos : end - at_);
    if (end != buffer_.npos) {
      at_ = end + 1;
      break;
    }
    buffer_.resize(kReadSize);
    buffer_.resize(text_->read(buffer_.data(), kReadSize));
    at_ = 0;
    if (buffer_.empty()) break;
  }
  const bool has_line = !line.empty() || !buffer_.empty();
  if (has_line) ++line_number_;
  return has_line;
}

void InsertValues::read_header(const std::string& line) {
  constexpr std::string_view kStart = "INSERT INTO {}(";
  std::string_view rest = line;
  if (!rest.starts_with(kStart)) fail("INSERT INTO {}(...)");
  rest.remove_prefix(kStart.size());
  while (rest.starts_with('"')) {
    std::string& column = columns_.emplace_back();
    size_t i = 1;
    for (; i < rest.size() && (rest[i] != '"' || rest.substr(i).starts_with("\"\"")); ++i) {
      column += rest[i];
      if (rest[i] == '"') ++i;
    }
    rest.remove_prefix(std::min(i + 1, rest.size()));
    if (!rest.starts_with(',')) break;
    rest.remove_prefix(1);
  }
  if (columns_.empty() || rest != ")") fail("a list of quoted columns");
}

std::string InsertValues::next(size_t max_bytes) {
  std::string tuples = std::exchange(ahead_, {});
  std::string line;
  while (read_line(line)) {
    if (line.empty()) continue;
    if (line.ends_with(',') || line.ends_with(';')) line.pop_back();
    if (!line.starts_with('(') || !line.ends_with(')')) fail("a tuple of values");
    if (!tuples.empty() && tuples.size() + line.size() >= max_bytes) {
      ahead_ = std::move(line);
      break;
    }
    if (!tuples.empty()) tuples += ',';
    tuples += line;
  }
  return tuples;
}

}  // namespace tidemark::destination
