#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/source/byte_stream.h"

namespace tidemark::destination {

// Reads dlt's job format insert_values: a line `INSERT INTO {}("a","b")`, a line `VALUES`, then a
// tuple of SQL literals a line, which holds no line break, with a comma behind it, the last one
// with a semicolon.
class InsertValues {
 public:
  // Error kCorrupt for anything else; name is the file's, for errors.
  InsertValues(std::unique_ptr<source::ByteStream> text, std::string name);

  // Names, without quotes.
  const std::vector<std::string>& columns() const { return columns_; }
  // The next tuples with commas between them, at most so many bytes but at least one; empty at the
  // end.
  std::string next(size_t max_bytes);

 private:
  bool read_line(std::string& line);
  void read_header(const std::string& line);
  [[noreturn]] void fail(const char* expected) const;

  std::unique_ptr<source::ByteStream> text_;
  std::string name_;
  std::vector<std::string> columns_;
  std::string buffer_;
  size_t at_ = 0;  // in the buffer
  size_t line_number_ = 0;
  std::string ahead_;  // a tuple that did not fit any more
};

}  // namespace tidemark::destination
