#include "tidemark/project/project_setting.h"

#include <array>
#include <memory>
#include <string>

#include "tidemark/base/ascii.h"
#include "tidemark/config/expand.h"

namespace tidemark::project {
namespace {

constexpr std::array<std::string_view, 2> kPrefixes{"TIDEMARK_", "MELTANO_"};

std::string variable_name(std::string_view prefix, std::string_view setting) {
  std::string name(prefix);
  for (char c : setting) {
    const char upper = ascii_upper(c);
    const bool is_kept = (upper >= 'A' && upper <= 'Z') || (c >= '0' && c <= '9');
    name += is_kept ? upper : '_';
  }
  return name;
}

// Every way to cut the name into keys: `a.b.c` may stand as {a: {b.c: 1}}.
std::optional<config::Node> find_dotted(const config::Node& map, std::string_view name) {
  if (!map.is_map()) return std::nullopt;
  if (std::optional<config::Node> whole = map.optional_node(name)) return whole;
  for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    const std::optional<config::Node> inner = map.find(name.substr(0, dot));
    if (!inner) continue;
    if (std::optional<config::Node> found = find_dotted(*inner, name.substr(dot + 1))) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<config::Node> find_project_setting(const config::Node& document,
                                                 const os::Environment& environment,
                                                 std::string_view name) {
  for (std::string_view prefix : kPrefixes) {
    const std::string variable = variable_name(prefix, name);
    if (const std::string* value = environment.find(variable)) {
      auto place = std::make_shared<const std::string>("environment variable " + variable);
      return config::Node::scalar(*value, {.file = std::move(place)});
    }
  }
  std::optional<config::Node> node = find_dotted(document, name);
  if (!node) return std::nullopt;
  config::Node expanded = config::expand(*node, environment, config::MissingVariable::kEmpty);
  if (expanded.is_null()) return std::nullopt;
  return expanded;
}

}  // namespace tidemark::project
