#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::source {

// A field as it lies in the text.
struct CsvField {
  std::string_view raw;  // between the quotes, when there are some
  bool is_quoted = false;
  bool has_quotes_inside = false;  // doubled, in raw

  // The field's text; written to scratch when it is not in the text as such.
  std::string_view text(char quote, std::string& scratch) const;
};

struct CsvRecord {
  size_t size = 0;          // of its text, line break included
  uint64_t line_count = 0;  // line breaks in its text
};

// Reads records as RFC 4180 has them, with any delimiter and quote. Lines end with LF, CR LF or CR,
// and so may those inside of quotes. A quote inside of an unquoted field is text.
class CsvParser {
 public:
  // Without a quote every quote is text.
  CsvParser(char delimiter, std::optional<char> quote);

  // Adds the fields of the record that text starts with; nothing when text ends before it does and
  // is_end does not say that nothing more comes. line is that of the text, for errors. Error
  // kInvalid for a quoted field that never ends and for text behind a closing quote.
  std::optional<CsvRecord> parse(std::string_view text, bool is_end, uint64_t line,
                                 std::vector<CsvField>& fields) const;

 private:
  // A place in the text behind a field; nothing when the text ends first.
  std::optional<size_t> parse_quoted(std::string_view text, size_t at, bool is_end, uint64_t line,
                                     CsvRecord& record, CsvField& field) const;
  size_t parse_plain(std::string_view text, size_t at, CsvField& field) const;

  char delimiter_;
  std::optional<char> quote_;
  std::array<bool, 256> ends_plain_{};
};

}  // namespace tidemark::source
