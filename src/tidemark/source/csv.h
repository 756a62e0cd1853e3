#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/source/byte_stream.h"
#include "tidemark/source/text_rows.h"

namespace tidemark::source {

// Text of a CSV file that becomes one page: a row has its keys beside it there and is three times
// as long.
inline constexpr size_t kCsvPageTextSize = 1024 * 1024;

struct CsvOptions {
  char delimiter = ',';
  std::optional<char> quote = '"';
  // Whether the first record names the columns; else they are column_1, column_2, ...
  bool header = true;
  // Fields that are null, beside empty ones.
  std::vector<std::string> null_values = {};
  // Records that are too short get nulls, fields beyond the header the columns column_N; both are
  // counted in a warning. Otherwise they are errors.
  bool pad_rows = false;

  bool operator==(const CsvOptions&) const = default;
};

// Cuts a CSV stream into pages of rows; empty lines are passed over.
//
// A column is integer (64 bits, no leading zeros), decimal (a double), boolean (true, True, TRUE
// and their opposites) or text, as all its fields in the first page that has one say; later fields
// that do not fit are text. An empty field is null; in quotes it is an empty string, but null in a
// column that is not text. A header without a name is column_N, one that is there twice gets _2; a
// warning says so.
//
// False when yield stopped it by returning false. Error kInvalid names line and fault: ragged
// records, bad quotes, invalid UTF-8.
bool read_csv_pages(ByteStream& stream, const CsvOptions& options, const std::string& origin,
                    size_t page_size, const YieldPage& yield,
                    const std::function<void(std::string)>& warn);

}  // namespace tidemark::source
