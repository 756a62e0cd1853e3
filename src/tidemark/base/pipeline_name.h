#pragma once

#include <string_view>

namespace tidemark {

// What dlt forbids in a pipeline's name beside control characters: it names a directory, and some
// of these have a meaning in dlt's layouts.
inline constexpr std::string_view kForbiddenInPipelineNames = R"(<>:"/\|?*.%{})";

bool is_pipeline_name(std::string_view name);

}  // namespace tidemark
