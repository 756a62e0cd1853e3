// Any JSON as a row's value: the type that is inferred for it takes it, whatever is detected, and
// no type makes the rules fail. Any text as a name: a normalized name is not longer than allowed.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "tidemark/base/error.h"
#include "tidemark/json/page.h"
#include "tidemark/schema/coerce.h"
#include "tidemark/schema/naming.h"

namespace {

using namespace tidemark::schema;
namespace json = tidemark::json;

constexpr size_t kMaxLength = 20;

void check_value(json::Node value) {
  if (value.is_null()) return;
  Detections all;
  all.iso_date = true;
  all.wei_to_double = true;
  all.timestamp_around = 1.8e9;
  for (const Detections& detections : {all, Detections()}) {
    if (!coerce(value, infer_type(value, detections))) std::abort();
  }
  for (int type = 0; type <= static_cast<int>(DataType::kTime); ++type) {
    coerce(value, static_cast<DataType>(type));
  }
}

// Code points of a text that is UTF-8.
size_t length(std::string_view text) {
  size_t count = 0;
  for (char byte : text) count += (static_cast<uint8_t>(byte) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

void check_name(std::string_view name) {
  for (const char* convention : {"snake_case", "sql_cs_v1", "sql_ci_v1", "duck_case", "direct"}) {
    const std::string path = make_naming(convention, kMaxLength, true)->normalize_path(name);
    if (length(path) > kMaxLength) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static json::Parser parser;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_name(text);
  const json::Buffer buffer(text);
  try {
    check_value(parser.parse(buffer.view()));
  } catch (const tidemark::Error&) {
    return 0;
  }
  return 0;
}
