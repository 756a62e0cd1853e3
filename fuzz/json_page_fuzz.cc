// Whatever the bytes: the parser of pages and the exact reader accept the same texts and understand
// the same value, and nothing crashes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/base/error.h"
#include "tidemark/json/page.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace json = tidemark::json;

namespace {

std::string text_of(json::Node node) {
  std::string text;
  json::append_orjson(text, node, false);
  return text;
}

std::optional<std::string> through_reader(std::string_view text) {
  try {
    json::DocumentBuilder builder;
    builder.value(json::read(text));
    return text_of(builder.finish()->root());
  } catch (const tidemark::Error&) {
    return std::nullopt;
  }
}

std::optional<std::string> through_parser(std::string_view text) {
  static json::Parser parser;
  const json::Buffer buffer(text);
  try {
    return text_of(parser.parse(buffer.view()));
  } catch (const tidemark::Error&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto exact = through_reader(text);
  if (exact != through_parser(text)) std::abort();
  // What is accepted reads back as itself.
  if (exact && through_reader(*exact) != exact) std::abort();
  return 0;
}
