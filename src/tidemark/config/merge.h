#pragma once

#include <functional>
#include <vector>

#include "tidemark/config/node.h"

namespace tidemark::config {

// The members of both maps: those of under in their order, then those that only over has. Where
// both have a key, combine(under, over) makes its value.
std::vector<Node::Member> merge_members(
    const Node& under, const Node& over,
    const std::function<Node(const Node& under, const Node& over)>& combine);

}  // namespace tidemark::config
