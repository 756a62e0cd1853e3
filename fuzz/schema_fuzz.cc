// Any text as a stored schema: refused by an Error, or a schema whose stored form is accepted again
// as exactly the same one.

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/schema/schema.h"

namespace {

using tidemark::schema::Schema;
namespace json = tidemark::json;

void check(json::Object document) {
  const Schema schema = Schema::from_json(std::move(document), false);
  for (const std::string_view table : schema.table_names())
    schema.table_chain(schema.root_of(table));
  if (Schema::from_json(schema.document(), true) != schema) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    json::Value value = json::read({reinterpret_cast<const char*>(data), size});
    if (value.is_object()) check(std::move(value.as_object()));
  } catch (const tidemark::Error&) {
    return 0;
  }
  return 0;
}
