// Any text as a lease and as a history, which whoever may write to the bucket can put there:
// refused as corrupt, or what was read is written and read again as the same.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tidemark/base/error.h"
#include "tidemark/state/history.h"
#include "tidemark/state/lease.h"

namespace {

namespace state = tidemark::state;

void check(bool holds) {
  if (!holds) std::abort();
}

template <typename Read, typename Write>
void check_reader(std::string_view text, Read read, Write write) {
  try {
    const auto record = read(text);
    const std::string written = write(record);
    check(read(written) == record);
  } catch (const tidemark::Error& error) {
    check(error.code() == tidemark::ErrorCode::kCorrupt);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_reader(text, state::read_lease, state::write_lease);
  check_reader(text, state::read_history, state::write_history);
  return 0;
}
