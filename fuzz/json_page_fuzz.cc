// The page reader against the exact reader: both accept the same texts and find the same value, and
// a value that was written reads back as itself.

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "tidemark/base/error.h"
#include "tidemark/json/page.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace {

using tidemark::Error;
namespace json = tidemark::json;

void require(bool holds) {
  if (!holds) std::abort();
}

std::optional<json::Value> read_exactly(std::string_view text) {
  try {
    return json::read(text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<json::Value> read_as_page(json::Parser& parser, std::string_view text) {
  const json::Buffer buffer(text);
  try {
    return json::to_value(parser.parse(buffer.view()));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static json::Parser parser;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::optional<json::Value> exact = read_exactly(text);
  const std::optional<json::Value> page = read_as_page(parser, text);
  require(exact.has_value() == page.has_value());
  if (!exact) return 0;
  require(json::write_orjson(*exact, false) == json::write_orjson(*page, false));
  require(json::read(json::write(*exact)) == *exact);
  return 0;
}
