// Any text as a project file: refused by an Error, or each edit of one of its nodes is refused, or
// leaves every line in front of the node and behind it as it was, and a text that can be edited
// again. The first byte chooses the edit and the node.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tidemark/base/error.h"
#include "tidemark/config/yaml_edit.h"
#include "tidemark/config/yaml_spans.h"

namespace {

using tidemark::config::YamlPath;
using tidemark::config::YamlSpan;
namespace config = tidemark::config;
namespace json = tidemark::json;

constexpr const char* kFile = "fuzz.yml";

struct Target {
  YamlPath path;
  size_t begin = 0;
  size_t end = 0;
};

Target choose(const YamlSpan& root, unsigned choice) {
  Target target;
  for (const YamlSpan* span = &root; !span->entries.empty(); choice /= 3) {
    const size_t index = choice % span->entries.size();
    const YamlSpan::Entry& entry = span->entries[index];
    if (span->is_list()) {
      target.path.emplace_back(index);
    } else {
      target.path.emplace_back(entry.key);
    }
    target.begin = entry.begin;
    target.end = entry.end();
    span = &entry.value;
  }
  return target;
}

void check(bool holds) {
  if (!holds) std::abort();
}

void edit(const std::string& text, unsigned choice) {
  const Target target = choose(config::read_yaml_spans(text, kFile), choice / 3);
  if (target.path.empty()) return;
  std::string edited;
  if (choice % 3 == 0) {
    edited = config::set_in_yaml(text, kFile, target.path, "new: text");
    const std::string_view kept(text.data(), target.begin);
    const std::string_view behind =
        std::string_view(text).substr(config::line_end(text, target.end));
    check(edited.starts_with(kept) && edited.ends_with(behind));
  } else if (choice % 3 == 1) {
    edited = config::append_in_yaml(text, kFile, target.path, json::Object{{"a", 1}});
  } else {
    edited = config::remove_from_yaml(text, kFile, target.path);
  }
  config::read_yaml_spans(edited, kFile);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  try {
    edit(std::string(reinterpret_cast<const char*>(data + 1), size - 1), data[0]);
  } catch (const tidemark::Error&) {
    return 0;
  }
  return 0;
}
