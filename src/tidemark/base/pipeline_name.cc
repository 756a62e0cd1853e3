#include "tidemark/base/pipeline_name.h"

#include <algorithm>

namespace tidemark {

bool is_pipeline_name(std::string_view name) {
  return !name.empty() && std::ranges::none_of(name, [](char c) {
    return kForbiddenInPipelineNames.find(c) != std::string_view::npos ||
           static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
}

}  // namespace tidemark
