#include "tidemark/config/merge.h"

#include <algorithm>
#include <utility>

namespace tidemark::config {

std::vector<Node::Member> merge_members(
    const Node& under, const Node& over,
    const std::function<Node(const Node& under, const Node& over)>& combine) {
  std::vector<Node::Member> members = under.members();
  for (Node::Member& member : over.members()) {
    const auto same = std::ranges::find(members, member.key, &Node::Member::key);
    if (same == members.end()) {
      members.push_back(std::move(member));
    } else {
      member.value = combine(same->value, member.value);
      *same = std::move(member);
    }
  }
  return members;
}

}  // namespace tidemark::config
