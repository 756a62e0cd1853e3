#include "tidemark/net/http.h"

#include <algorithm>

#include "tidemark/base/ascii.h"
#include "tidemark/net/url.h"

namespace tidemark::net {

void Headers::add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

void Headers::set(std::string name, std::string value) {
  std::erase_if(fields_,
                [&](const Field& field) { return equals_ignoring_case(field.first, name); });
  add(std::move(name), std::move(value));
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const auto& [field, value] : fields_) {
    if (equals_ignoring_case(field, name)) return value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Headers::find_all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [field, value] : fields_) {
    if (equals_ignoring_case(field, name)) values.emplace_back(value);
  }
  return values;
}

std::string describe(const HttpRequest& request) {
  return request.method + " " + mask_url(request.url, request.secret_params);
}

}  // namespace tidemark::net
