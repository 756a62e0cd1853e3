#include "tidemark/state/state_row.h"

#include <optional>

#include <fmt/format.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/error.h"
#include "tidemark/base/zlib.h"
#include "tidemark/json/write.h"

namespace tidemark::state {

std::string encode_state(const PipelineState& state) {
  return base64_encode(zlib_compress(json::write(state.synchronised_part())));
}

PipelineState decode_state(std::string_view text) {
  std::optional<std::string> compressed = base64_decode(text);
  try {
    return PipelineState::read(compressed ? zlib_decompress(*compressed) : std::string(text));
  } catch (Error& error) {
    if (error.code() != ErrorCode::kInvalid) throw;
    throw Error(ErrorCode::kCorrupt, fmt::format("stored state is no JSON: {}", error.message()));
  }
}

}  // namespace tidemark::state
