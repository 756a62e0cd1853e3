#include "tidemark/config/yaml_events.h"

#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "tidemark/base/error.h"

namespace tidemark::config {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Notes events down. yaml-cpp's own tree is not used: it resolves scalars by the rules of YAML 1.1,
// keeps one of two equal keys without a word, and does not know where things stand.
class Recorder final : public YAML::EventHandler {
 public:
  using Kind = YamlEvent::Kind;

  explicit Recorder(size_t skipped) : skipped_(skipped) {}

  std::vector<YamlEvent> take() { return std::move(events_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(Kind::kNull, mark).anchor = anchor;
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(Kind::kAlias, mark).anchor = anchor;
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    YamlEvent& event = add(Kind::kScalar, mark);
    event.tag = tag;
    event.anchor = anchor;
    event.text = text;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    YamlEvent& event = add(Kind::kListStart, mark);
    event.tag = tag;
    event.anchor = anchor;
  }
  void OnSequenceEnd() override { add(Kind::kListEnd, {}); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    YamlEvent& event = add(Kind::kMapStart, mark);
    event.tag = tag;
    event.anchor = anchor;
  }
  void OnMapEnd() override { add(Kind::kMapEnd, {}); }

 private:
  YamlEvent& add(Kind kind, const YAML::Mark& mark) {
    events_.push_back({.kind = kind,
                       .offset = static_cast<size_t>(mark.pos) + skipped_,
                       .line = mark.line + 1,
                       .column = mark.column + 1});
    return events_.back();
  }

  size_t skipped_;
  std::vector<YamlEvent> events_;
};

}  // namespace

std::vector<YamlEvent> read_yaml_events(std::string_view text, const std::string& file) {
  const size_t skipped = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  std::istringstream in{std::string(text.substr(skipped))};
  Recorder recorder(skipped);
  try {
    YAML::Parser parser(in);
    parser.HandleNextDocument(recorder);
    if (parser.HandleNextDocument(recorder)) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("{}: expected one YAML document, found more", file));
    }
    return recorder.take();
  } catch (const YAML::Exception& exception) {
    throw Error(ErrorCode::kInvalid, fmt::format("{}:{}:{}: {}", file, exception.mark.line + 1,
                                                 exception.mark.column + 1, exception.msg));
  }
}

}  // namespace tidemark::config
