#include "tidemark/net/http.h"

#include <algorithm>
#include <cctype>

#include "tidemark/net/url.h"

namespace tidemark::net {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

void Headers::add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

void Headers::set(std::string name, std::string value) {
  std::erase_if(fields_, [&](const Field& field) { return same_name(field.first, name); });
  add(std::move(name), std::move(value));
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const auto& [field, value] : fields_) {
    if (same_name(field, name)) return value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Headers::find_all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [field, value] : fields_) {
    if (same_name(field, name)) values.emplace_back(value);
  }
  return values;
}

std::string describe(const HttpRequest& request) {
  return request.method + " " + mask_url(request.url, request.secret_params);
}

}  // namespace tidemark::net
