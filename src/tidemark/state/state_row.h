#pragma once

#include <string>
#include <string_view>

#include "tidemark/state/pipeline_state.h"

namespace tidemark::state {

// The text of the state column of _dlt_pipeline_state: base64(zlib level 9(document without its
// local part)).
std::string encode_state(const PipelineState& state);

// Reads it back; text that is no base64 is taken for the document itself. The state has no local
// part. Error kCorrupt.
PipelineState decode_state(std::string_view text);

}  // namespace tidemark::state
