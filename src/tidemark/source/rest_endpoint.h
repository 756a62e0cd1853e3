#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/json/page.h"
#include "tidemark/json/path.h"
#include "tidemark/source/resource.h"
#include "tidemark/source/rest.h"

namespace tidemark::rest {

// An endpoint as settings declare it: path, params, json, data and headers may hold placeholders
// for values of a parent's row, {resources.<parent>.<jsonpath>}, and of the cursor,
// {incremental.start_value}.
struct DeclaredEndpoint {
  Endpoint endpoint{};
  std::optional<std::pair<std::string, source::IncrementalOptions>> incremental{};
  std::string start_param{};  // query parameters that carry the cursor's start and end
  std::string end_param{};
  std::string parent{};  // empty: none
  // What the placeholders of the parent's values stand for.
  std::map<std::string, json::Path, std::less<>> parent_fields{};
  std::vector<std::string> include_from_parent{};  // child rows get _<parent>_<field>
};

// The resource that reads the endpoint: once, or once for each row of its parent. Each request
// carries the value at which the cursor started, which stays the same for the whole run.
source::Resource make_resource(source::ResourceOptions options, Client client,
                               DeclaredEndpoint declared);

}  // namespace tidemark::rest
