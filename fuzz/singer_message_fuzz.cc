// The reader of Singer messages against the exact reader, which reads the same lines whole: both
// find the same messages, whatever windows the text is seen through, and refuse the same texts.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/json/page.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/singer/message.h"

namespace {

using tidemark::Error;
namespace json = tidemark::json;
namespace singer = tidemark::singer;

void require(bool holds) {
  if (!holds) std::abort();
}

using Rows = std::vector<std::string>;

// The rows with their streams; nothing when something is refused.
std::optional<Rows> read_messages(std::string_view text, size_t window_size) {
  Rows rows;
  json::Parser parser;
  singer::MessageReader reader("fuzz");
  try {
    for (size_t size = window_size;;) {
      const json::Buffer window(text.substr(0, size));
      const bool is_end = size >= text.size();
      reader.open(window.view(), is_end);
      while (const auto message = reader.next()) {
        const auto* record = std::get_if<singer::RecordMessage>(&*message);
        if (record == nullptr) continue;
        const json::Node row =
            parser.parse(window.view().substr(record->record.offset, record->record.size));
        rows.push_back(std::string(record->stream) +
                       json::write_orjson(json::to_value(row), false));
      }
      if (is_end) return rows;
      text.remove_prefix(reader.done());
      size = reader.done() == 0 ? 2 * size : window_size;
    }
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool is_row(const json::Value& message) {
  const json::Value* type = message.find("type");
  return type != nullptr && *type == json::Value("RECORD");
}

// The rows of a text whose lines the reader has taken.
Rows read_exactly(std::string_view text) {
  Rows rows;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (!is_row(json::read_python(line))) continue;
    const json::Value message = json::read(line);
    rows.push_back(message.find("stream")->as_string() +
                   json::write_orjson(*message.find("record"), false));
  }
  return rows;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  // A row may be nested as deep as a whole line.
  if (std::ranges::count_if(text, [](char c) { return c == '[' || c == '{'; }) >= json::kMaxDepth) {
    return 0;
  }
  const std::optional<Rows> whole = read_messages(text, text.size() + 1);
  const std::optional<Rows> in_windows = read_messages(text, 1 + data[0] % 64);
  require(whole == in_windows);
  if (whole) require(*whole == read_exactly(text));
  return 0;
}
