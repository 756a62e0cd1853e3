#pragma once

#include <string>

#include "tidemark/config/node.h"
#include "tidemark/source/resource.h"
#include "tidemark/source/rest.h"

namespace tidemark::rest {

// The source that settings declare, as the rest_api of dlt 1.31 does:
//
//   client: {base_url, headers, auth, paginator}
//   resource_defaults: {endpoint: {...}, ...hints}
//   resources:
//   - users
//   - name: pulls
//     endpoint: {path, method, params, json, data, headers, auth, paginator, data_selector,
//                response_actions, incremental: {cursor_path, ..., start_param, end_param}}
//     include_from_parent: [field]
//     ...hints
//
// Error kInvalid with the place for everything that can be seen without a request.
source::Source make_source(std::string name, const config::Node& node, Transport transport);

}  // namespace tidemark::rest
