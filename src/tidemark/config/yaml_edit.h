#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tidemark/json/value.h"

namespace tidemark::config {

// The keys and indices that lead to a node, from the root.
using YamlStep = std::variant<std::string, size_t>;
using YamlPath = std::vector<YamlStep>;

// Each gives a YAML text back with one change and every other byte kept: comments, quotes, order,
// line breaks, indentation. What is new takes the look of what is around it.
//
// Nothing is changed that would change anything else: the new text is read again, and unless it
// says exactly what was asked for, the error is kUnsupported with file and line. That is so for a
// node reached through an alias, or one whose anchor is used elsewhere. kInvalid for a text that
// read_yaml() refuses, kNotFound for an index or a key to remove that is not there.

// Puts value at the path. Maps that are missing on the way are made; what stands there and is no
// map makes room for one.
std::string set_in_yaml(std::string_view text, const std::string& file, const YamlPath& path,
                        const json::Value& value);

// Adds value to the end of the list at the path, which is made when it is missing or null.
std::string append_in_yaml(std::string_view text, const std::string& file, const YamlPath& path,
                           const json::Value& value);

// Takes a member or an element away. The last one leaves `{}` or `[]`.
std::string remove_from_yaml(std::string_view text, const std::string& file, const YamlPath& path);

}  // namespace tidemark::config
