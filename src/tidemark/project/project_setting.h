#pragma once

#include <optional>
#include <string_view>

#include "tidemark/config/node.h"
#include "tidemark/os/environment.h"

namespace tidemark::project {

// A setting of the project by Meltano's name of it, `state_backend.s3.endpoint_url`: from
// $TIDEMARK_STATE_BACKEND_S3_ENDPOINT_URL, else $MELTANO_STATE_BACKEND_S3_ENDPOINT_URL (an empty
// one counts), else the document, where nested maps and dotted keys are the same and variables are
// expanded by Meltano's rule. environment is the project's, which has the layers below the process
// already. Null counts as nothing.
std::optional<config::Node> find_project_setting(const config::Node& document,
                                                 const os::Environment& environment,
                                                 std::string_view name);

}  // namespace tidemark::project
