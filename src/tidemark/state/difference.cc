#include "tidemark/state/difference.h"

#include <algorithm>

#include "tidemark/json/write.h"

namespace tidemark::state {
namespace {

bool is_plain(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](unsigned char c) {
    return c > ' ' && c != '.' && c != '"' && c != 0x7F;
  });
}

std::string below(const std::string& path, const std::string& key) {
  const std::string step = is_plain(key) ? key : json::write(json::Value(key));
  return path.empty() ? step : path + "." + step;
}

void compare(const std::string& path, const json::Value& before, const json::Value& after,
             std::vector<Difference>& found);

void compare_members(const std::string& path, const json::Object& before, const json::Object& after,
                     std::vector<Difference>& found) {
  for (const auto& [key, value] : before) {
    const json::Value* other = after.find(key);
    if (other == nullptr) {
      found.push_back({.path = below(path, key), .before = value, .after = {}});
    } else {
      compare(below(path, key), value, *other, found);
    }
  }
  for (const auto& [key, value] : after) {
    if (before.contains(key)) continue;
    found.push_back({.path = below(path, key), .before = {}, .after = value});
  }
}

void compare(const std::string& path, const json::Value& before, const json::Value& after,
             std::vector<Difference>& found) {
  if (before.is_object() && after.is_object()) {
    compare_members(path, before.as_object(), after.as_object(), found);
  } else if (before != after) {
    found.push_back({.path = path, .before = before, .after = after});
  }
}

}  // namespace

std::vector<Difference> differences(const std::optional<Document>& before,
                                    const std::optional<Document>& after) {
  const Document left = before.value_or(Document());
  const Document right = after.value_or(Document());
  std::vector<Difference> found;
  compare("completed", left.completed, right.completed, found);
  compare("partial", left.partial, right.partial, found);
  compare_members({}, left.others, right.others, found);
  return found;
}

}  // namespace tidemark::state
