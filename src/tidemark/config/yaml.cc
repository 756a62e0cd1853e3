#include "tidemark/config/yaml.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/config/yaml_events.h"
#include "tidemark/config/yaml_scalar.h"

namespace tidemark::config {
namespace {

constexpr std::string_view kPlain = "?";
constexpr std::string_view kQuoted = "!";
constexpr std::string_view kTags = "tag:yaml.org,2002:";
constexpr std::string_view kMergeKey = "<<";

Error error_at(const Position& position, std::string_view message) {
  return Error(ErrorCode::kInvalid, fmt::format("{}: {}", to_string(position), message));
}

// Makes nodes of events.
class TreeBuilder {
 public:
  using Kind = YamlEvent::Kind;

  explicit TreeBuilder(const std::string& file)
      : file_(std::make_shared<const std::string>(file)) {}

  void take(const YamlEvent& event) {
    switch (event.kind) {
      case Kind::kNull:
        if (expects_key()) throw error_at(position(event), "expected a key, found null");
        add(Node::scalar({}, position(event)), position(event), event.anchor);
        break;
      case Kind::kAlias:
        take_alias(event);
        break;
      case Kind::kScalar:
        take_scalar(event);
        break;
      case Kind::kListStart:
        open(event, "seq", false);
        break;
      case Kind::kMapStart:
        open(event, "map", true);
        break;
      case Kind::kListEnd:
      case Kind::kMapEnd:
        close();
        break;
    }
  }

  Node take_root() { return std::move(root_); }

 private:
  // A list or map whose end has not come yet.
  struct Frame {
    Position position;
    size_t anchor = 0;
    bool is_map = false;
    bool has_key = false;
    bool is_merge_key = false;
    std::string key;
    Position key_position;
    std::vector<Node> items;
    std::vector<Node::Member> members;
    std::vector<Node> merged;
  };

  void take_alias(const YamlEvent& event) {
    const auto node = anchors_.find(event.anchor);
    if (node == anchors_.end()) {
      throw error_at(position(event), "an alias inside of what it stands for");
    }
    if (expects_key()) throw error_at(position(event), "expected a key, found an alias");
    add(node->second, position(event), 0);
  }

  void take_scalar(const YamlEvent& event) {
    if (expects_key()) {
      set_key(event);
    } else {
      add(Node::scalar(resolve(event), position(event)), position(event), event.anchor);
    }
  }

  Position position(const YamlEvent& event) const { return {file_, event.line, event.column}; }

  bool expects_key() const {
    return !frames_.empty() && frames_.back().is_map && !frames_.back().has_key;
  }

  json::Value resolve(const YamlEvent& event) const {
    const std::string_view tag = event.tag;
    const std::string& text = event.text;
    if (tag == kQuoted) return text;
    std::string_view wanted;
    if (tag != kPlain) {
      wanted = tag.starts_with(kTags) ? tag.substr(kTags.size()) : std::string_view();
      if (wanted == "str") return text;
    }
    const std::optional<json::Value> value = resolve_plain_scalar(text);
    const bool fits =
        value &&
        (tag == kPlain || (wanted == "null" && value->is_null()) ||
         (wanted == "bool" && value->is_bool()) || (wanted == "float" && value->is_number()) ||
         (wanted == "int" && value->is_number() && value->as_number().is_integer()));
    if (!value) throw error_at(position(event), fmt::format("'{}' has no form in JSON", text));
    if (!fits) {
      throw error_at(position(event),
                     fmt::format("a value that is not what its tag '{}' says", tag));
    }
    return *value;
  }

  void set_key(const YamlEvent& event) {
    Frame& frame = frames_.back();
    const std::string& text = event.text;
    const bool is_merge_key = text == kMergeKey && event.tag == kPlain;
    const bool is_known = is_merge_key ? !frame.merged.empty() : has_member(frame, text);
    if (is_known) throw error_at(position(event), fmt::format("key '{}' is there twice", text));
    frame.has_key = true;
    frame.is_merge_key = is_merge_key;
    frame.key = text;
    frame.key_position = position(event);
  }

  static bool has_member(const Frame& frame, std::string_view key) {
    return std::ranges::find(frame.members, key, &Node::Member::key) != frame.members.end();
  }

  void open(const YamlEvent& event, std::string_view own_tag, bool is_map) {
    if (expects_key()) throw error_at(position(event), "expected a key, found a list or map");
    const std::string_view tag = event.tag;
    const bool is_own = tag.starts_with(kTags) && tag.substr(kTags.size()) == own_tag;
    if (tag != kPlain && tag != kQuoted && !is_own) {
      throw error_at(position(event), fmt::format("unknown tag '{}'", tag));
    }
    Frame frame;
    frame.position = position(event);
    frame.anchor = event.anchor;
    frame.is_map = is_map;
    frames_.push_back(std::move(frame));
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    for (const Node& merged : frame.merged) merge(frame, merged);
    Node node = frame.is_map ? Node::map(std::move(frame.members), frame.position)
                             : Node::list(std::move(frame.items), frame.position);
    add(std::move(node), frame.position, frame.anchor);
  }

  void add(Node node, const Position& position, size_t anchor) {
    if (anchor != 0) anchors_.insert_or_assign(anchor, node);
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (!frame.is_map) {
      frame.items.push_back(std::move(node));
    } else if (frame.is_merge_key) {
      frame.merged = maps_to_merge(node, position);
    } else {
      frame.members.push_back(
          {std::move(frame.key), std::move(node), std::move(frame.key_position)});
    }
    frame.has_key = false;
  }

  static std::vector<Node> maps_to_merge(const Node& node, const Position& position) {
    std::vector<Node> maps = node.is_list() ? node.items() : std::vector<Node>{node};
    if (maps.empty() || !std::ranges::all_of(maps, &Node::is_map)) {
      throw error_at(position, "'<<' expects a map or a list of maps");
    }
    return maps;
  }

  static void merge(Frame& frame, const Node& map) {
    for (Node::Member& member : map.members()) {
      if (!has_member(frame, member.key)) frame.members.push_back(std::move(member));
    }
  }

  std::shared_ptr<const std::string> file_;
  std::vector<Frame> frames_;
  std::map<size_t, Node> anchors_;
  Node root_;
};

}  // namespace

Node read_yaml(std::string_view text, const std::string& file) {
  TreeBuilder builder(file);
  for (const YamlEvent& event : read_yaml_events(text, file)) builder.take(event);
  return builder.take_root();
}

}  // namespace tidemark::config
