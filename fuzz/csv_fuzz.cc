// Whatever the bytes: CSV is read or refused with a named fault, and what is read does not depend
// on how it is cut into pages.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/json/page.h"
#include "tidemark/json/write.h"
#include "tidemark/source/csv.h"
#include "tidemark/source/csv_parser.h"
#include "tidemark/source/string_stream.h"

namespace source = tidemark::source;
namespace json = tidemark::json;

namespace {

// The fields of all records; nothing for a fault.
std::optional<std::string> fields_in(std::string_view text, size_t window_size) {
  source::StringStream stream{std::string(text)};
  std::string out;
  try {
    source::TextWindows windows(stream, window_size);
    const source::CsvParser parser(',', '"');
    size_t done = 0;
    do {
      windows.advance(done);
      done = 0;
      while (done < windows.text().size()) {
        std::vector<source::CsvField> fields;
        const auto record = parser.parse(windows.text().substr(done), windows.is_end(), 1, fields);
        if (!record) break;
        done += record->size;
        out.push_back('\n');
        std::string scratch;
        for (const auto& field : fields) json::append_quoted(out, field.text('"', scratch));
      }
    } while (!windows.is_end());
  } catch (const tidemark::Error&) {
    return std::nullopt;
  }
  return out;
}

void read_pages(std::string_view text, const source::CsvOptions& options, size_t page_size) {
  source::StringStream stream{std::string(text)};
  json::Parser parser;
  const auto yield = [&](json::Page page) {
    json::RowReader rows(page, parser);
    std::string out;
    while (const auto row = rows.next()) json::append_orjson(out, *row, true);
    return true;
  };
  try {
    source::read_csv_pages(stream, options, "fuzz", page_size, yield, [](const std::string&) {});
  } catch (const tidemark::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (fields_in(text, 5) != fields_in(text, size + 1)) std::abort();
  read_pages(text, {}, 7);
  read_pages(text, {.header = false, .null_values = {"NA"}, .pad_rows = true}, 7);
  return 0;
}
