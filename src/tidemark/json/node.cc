#include "tidemark/json/node.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/json/write.h"

namespace tidemark::json {

std::optional<Node> Node::find(std::string_view key) const {
  if (!is_object()) return std::nullopt;
  std::optional<Node> found;
  for (Node name = first(); name != end(); name = name.next().next()) {
    if (name.string() == key) found = name.next();
  }
  return found;
}

namespace {

// Beyond this many members a hash finds duplicate keys faster than comparing all with all.
constexpr size_t kMaxCompared = 16;

class OrjsonWriter {
 public:
  OrjsonWriter(std::string& out, bool sort_keys) : out_(out), sort_keys_(sort_keys) {}

  void append(Node node) {
    switch (node.kind()) {
      case Kind::kNull:
        out_ += "null";
        break;
      case Kind::kTrue:
        out_ += "true";
        break;
      case Kind::kFalse:
        out_ += "false";
        break;
      case Kind::kInt64:
        append_integer(node.int64());
        break;
      case Kind::kUint64:
        append_integer(node.uint64());
        break;
      case Kind::kDouble:
        append_double(out_, node.number());
        break;
      case Kind::kBigNumber:
        out_ += node.string();
        break;
      case Kind::kString:
        append_quoted(out_, node.string());
        break;
      case Kind::kArray:
        append_array(node);
        break;
      case Kind::kObject:
        append_object(node);
        break;
    }
  }

 private:
  using Member = std::pair<std::string_view, Node>;

  template <typename Integer>
  void append_integer(Integer value) {
    const fmt::format_int text(value);
    out_.append(text.data(), text.size());
  }

  void append_array(Node array) {
    out_.push_back('[');
    bool is_first = true;
    for (Node item = array.first(); item != array.end(); item = item.next()) {
      if (!std::exchange(is_first, false)) out_.push_back(',');
      append(item);
    }
    out_.push_back(']');
  }

  // The members of all open objects lie in one vector, each object's behind its parent's.
  void append_object(Node object) {
    const size_t begin = members_.size();
    for (Node key = object.first(); key != object.end(); key = key.next().next()) {
      members_.emplace_back(key.string(), key.next());
    }
    merge_duplicates(begin);
    if (sort_keys_) {
      std::sort(members_.begin() + static_cast<std::ptrdiff_t>(begin), members_.end(),
                [](const Member& a, const Member& b) { return a.first < b.first; });
    }
    const size_t end = members_.size();
    out_.push_back('{');
    for (size_t i = begin; i < end; ++i) {
      const Member member = members_[i];
      if (i > begin) out_.push_back(',');
      append_quoted(out_, member.first);
      out_.push_back(':');
      append(member.second);
    }
    out_.push_back('}');
    members_.resize(begin);
  }

  void merge_duplicates(size_t begin) {
    if (members_.size() - begin > kMaxCompared) return merge_many_duplicates(begin);
    size_t kept = begin;
    for (size_t i = begin; i < members_.size(); ++i) {
      size_t place = begin;
      while (place < kept && members_[place].first != members_[i].first) ++place;
      members_[place] = members_[i];
      if (place == kept) ++kept;
    }
    members_.resize(kept);
  }

  void merge_many_duplicates(size_t begin) {
    std::unordered_map<std::string_view, size_t> places;
    size_t kept = begin;
    for (size_t i = begin; i < members_.size(); ++i) {
      const auto [entry, is_new] = places.emplace(members_[i].first, kept);
      members_[entry->second] = members_[i];
      if (is_new) ++kept;
    }
    members_.resize(kept);
  }

  std::string& out_;
  bool sort_keys_;
  std::vector<Member> members_;
};

Array to_array(Node node) {
  Array array;
  for (Node item = node.first(); item != node.end(); item = item.next()) {
    array.push_back(to_value(item));
  }
  return array;
}

Object to_object(Node node) {
  Object object;
  for (Node key = node.first(); key != node.end(); key = key.next().next()) {
    object.set(key.string(), to_value(key.next()));
  }
  return object;
}

}  // namespace

void append_orjson(std::string& out, Node node, bool sort_keys) {
  OrjsonWriter(out, sort_keys).append(node);
}

Value to_value(Node node) {
  switch (node.kind()) {
    case Kind::kNull:
      return nullptr;
    case Kind::kTrue:
      return true;
    case Kind::kFalse:
      return false;
    case Kind::kInt64:
      return node.int64();
    case Kind::kUint64:
      return node.uint64();
    case Kind::kDouble:
      return node.number();
    case Kind::kBigNumber:
      return Number::from_text(std::string(node.string()));
    case Kind::kString:
      return node.string();
    case Kind::kArray:
      return to_array(node);
    case Kind::kObject:
      return to_object(node);
  }
  return nullptr;
}

}  // namespace tidemark::json
