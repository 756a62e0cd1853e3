#include "tidemark/config/toml.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#include <toml++/toml.h>

namespace tidemark::config {
namespace {

using File = std::shared_ptr<const std::string>;

Position position_of(const File& file, const toml::source_region& source) {
  return {file, static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)};
}

template <typename Moment>
std::string iso_text(const Moment& moment) {
  std::ostringstream out;
  out << moment;
  return out.str();
}

json::Value scalar_value(const toml::node& node, const Position& position) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* integer = node.as_integer()) return integer->get();
  if (const auto* boolean = node.as_boolean()) return boolean->get();
  if (const auto* date = node.as_date()) return iso_text(date->get());
  if (const auto* time = node.as_time()) return iso_text(time->get());
  if (const auto* date_time = node.as_date_time()) return iso_text(date_time->get());
  const double number = node.as_floating_point()->get();
  if (!std::isfinite(number)) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("{}: infinity and NaN have no form in JSON", to_string(position)));
  }
  return number;
}

Node convert(const toml::node& node, const File& file);

// toml++ keeps keys sorted by name; the file's order is that of their places.
Node convert_table(const toml::table& table, const File& file) {
  std::vector<Node::Member> members;
  for (const auto& [key, value] : table) {
    members.push_back(
        {std::string(key.str()), convert(value, file), position_of(file, key.source())});
  }
  std::ranges::stable_sort(members, {}, [](const Node::Member& member) {
    return std::pair(member.position.line, member.position.column);
  });
  return Node::map(std::move(members), position_of(file, table.source()));
}

Node convert(const toml::node& node, const File& file) {
  if (const toml::table* table = node.as_table()) return convert_table(*table, file);
  const Position position = position_of(file, node.source());
  if (const toml::array* array = node.as_array()) {
    std::vector<Node> items;
    for (const toml::node& item : *array) items.push_back(convert(item, file));
    return Node::list(std::move(items), position);
  }
  return Node::scalar(scalar_value(node, position), position);
}

}  // namespace

Node read_toml(std::string_view text, const std::string& file) {
  const auto shared_file = std::make_shared<const std::string>(file);
  try {
    return convert(toml::parse(text), shared_file);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("{}: {}", to_string(position_of(shared_file, error.source())),
                            error.description()));
  }
}

}  // namespace tidemark::config
