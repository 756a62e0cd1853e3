#include "tidemark/config/yaml.h"

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "tidemark/config/yaml_scalar.h"

namespace tidemark::config {
namespace {

constexpr std::string_view kPlain = "?";
constexpr std::string_view kQuoted = "!";
constexpr std::string_view kTags = "tag:yaml.org,2002:";
constexpr std::string_view kMergeKey = "<<";

// Makes nodes of yaml-cpp's events. Its own tree is not used: it resolves scalars by the rules of
// YAML 1.1 and keeps one of two equal keys without a word.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& file)
      : file_(std::make_shared<const std::string>(file)) {}

  Node take_root() { return std::move(root_); }

  Error error(const YAML::Mark& mark, std::string_view message) const {
    return Error(ErrorCode::kInvalid, fmt::format("{}: {}", to_string(position(mark)), message));
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (expects_key()) throw error(mark, "expected a key, found null");
    add(Node::scalar({}, position(mark)), mark, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto node = anchors_.find(anchor);
    if (node == anchors_.end()) throw error(mark, "an alias inside of what it stands for");
    if (expects_key()) throw error(mark, "expected a key, found an alias");
    add(node->second, mark, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    if (expects_key()) {
      set_key(mark, tag, text);
    } else {
      add(Node::scalar(resolve(mark, tag, text), position(mark)), mark, anchor);
    }
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, "seq", false);
  }

  void OnSequenceEnd() override {
    Frame frame = close();
    add(Node::list(std::move(frame.items), position(frame.mark)), frame.mark, frame.anchor);
  }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, "map", true);
  }

  void OnMapEnd() override {
    Frame frame = close();
    for (const Node& merged : frame.merged) merge(frame, merged);
    add(Node::map(std::move(frame.members), position(frame.mark)), frame.mark, frame.anchor);
  }

 private:
  // A list or map whose end has not come yet.
  struct Frame {
    YAML::Mark mark;
    YAML::anchor_t anchor = 0;
    bool is_map = false;
    bool has_key = false;
    bool is_merge_key = false;
    std::string key;
    Position key_position;
    std::vector<Node> items;
    std::vector<Node::Member> members;
    std::vector<Node> merged;
  };

  Position position(const YAML::Mark& mark) const {
    return {file_, mark.line + 1, mark.column + 1};
  }

  bool expects_key() const {
    return !frames_.empty() && frames_.back().is_map && !frames_.back().has_key;
  }

  json::Value resolve(const YAML::Mark& mark, std::string_view tag, const std::string& text) const {
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
    if (!value) throw error(mark, fmt::format("'{}' has no form in JSON", text));
    if (!fits) throw error(mark, fmt::format("a value that is not what its tag '{}' says", tag));
    return *value;
  }

  void set_key(const YAML::Mark& mark, std::string_view tag, const std::string& text) {
    Frame& frame = frames_.back();
    const bool is_merge_key = text == kMergeKey && tag == kPlain;
    const bool is_known = is_merge_key ? !frame.merged.empty() : has_member(frame, text);
    if (is_known) throw error(mark, fmt::format("key '{}' is there twice", text));
    frame.has_key = true;
    frame.is_merge_key = is_merge_key;
    frame.key = text;
    frame.key_position = position(mark);
  }

  static bool has_member(const Frame& frame, std::string_view key) {
    return std::ranges::find(frame.members, key, &Node::Member::key) != frame.members.end();
  }

  void open(const YAML::Mark& mark, std::string_view tag, YAML::anchor_t anchor,
            std::string_view own_tag, bool is_map) {
    if (expects_key()) throw error(mark, "expected a key, found a list or map");
    const bool is_own = tag.starts_with(kTags) && tag.substr(kTags.size()) == own_tag;
    if (tag != kPlain && tag != kQuoted && !is_own)
      throw error(mark, fmt::format("unknown tag '{}'", tag));
    Frame frame;
    frame.mark = mark;
    frame.anchor = anchor;
    frame.is_map = is_map;
    frames_.push_back(std::move(frame));
  }

  Frame close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    return frame;
  }

  void add(Node node, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_.insert_or_assign(anchor, node);
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (!frame.is_map) {
      frame.items.push_back(std::move(node));
    } else if (frame.is_merge_key) {
      frame.merged = maps_to_merge(node, mark);
    } else {
      frame.members.push_back(
          {std::move(frame.key), std::move(node), std::move(frame.key_position)});
    }
    frame.has_key = false;
  }

  std::vector<Node> maps_to_merge(const Node& node, const YAML::Mark& mark) const {
    std::vector<Node> maps = node.is_list() ? node.items() : std::vector<Node>{node};
    if (maps.empty() || !std::ranges::all_of(maps, &Node::is_map)) {
      throw error(mark, "'<<' expects a map or a list of maps");
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
  std::map<YAML::anchor_t, Node> anchors_;
  Node root_;
};

}  // namespace

Node read_yaml(std::string_view text, const std::string& file) {
  std::istringstream in{std::string(text)};
  TreeBuilder builder(file);
  try {
    YAML::Parser parser(in);
    parser.HandleNextDocument(builder);
    Node root = builder.take_root();
    if (parser.HandleNextDocument(builder)) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("{}: expected one YAML document, found more", file));
    }
    return root;
  } catch (const YAML::Exception& exception) {
    throw builder.error(exception.mark, exception.msg);
  }
}

}  // namespace tidemark::config
