#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/config/yaml.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/os/files.h"

// For tests: the steps that Meltano was taken through in a project (tests/golden/meltano/verbs),
// and what its files said in front of each and behind.
namespace tidemark::cli {

inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.emplace_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// What a unified diff without context makes of a text.
inline std::string patched(std::string_view text, std::string_view diff) {
  const std::vector<std::string> old = lines_of(text);
  std::string out;
  size_t next = 0;
  for (const std::string& line : lines_of(diff)) {
    if (line.starts_with("@@ -")) {
      const size_t comma = line.find_first_of(", ", 4);
      const bool is_added_only = line.substr(comma, 3) == ",0 ";
      const size_t start = std::stoul(line.substr(4)) - (is_added_only ? 0 : 1);
      for (; next < start && next < old.size(); ++next) out += old[next];
    } else if (line.starts_with('-')) {
      ++next;
    } else if (!line.starts_with('\\')) {  // of which it says that nothing ends it
      out += line.substr(1);
    }
  }
  for (; next < old.size(); ++next) out += old[next];
  return out;
}

// By their paths; nothing for a file that is not there.
using MeltanoFiles = std::map<std::string, std::optional<std::string>>;

class MeltanoSteps {
 public:
  using Visit = std::function<void(const json::Value& step, const MeltanoFiles& before,
                                   const MeltanoFiles& after)>;

  explicit MeltanoSteps(Visit visit) : visit_(std::move(visit)) {}

  void follow(const json::Value& step) {
    if (step.find("project") != nullptr) {
      files_.clear();
      for (const auto& [file, text] : step.find("files")->as_object()) {
        const bool is_beside = text.as_string().starts_with("(meltano.yml");
        files_[file] = is_beside ? golden("meltano.yml") : text.as_string();
      }
      start_ = files_["meltano.yml"].value_or("");
    } else if (step.find("reset") != nullptr) {
      reset(step);
    } else if (const json::Value* file = step.find("wrote")) {
      std::optional<std::string>& text = files_[file->as_string()];
      const json::Value* diff = step.find("diff");
      text = diff == nullptr ? step.find("text")->as_string() : patched(*text, diff->as_string());
    } else {
      const MeltanoFiles before = files_;
      take_changes(step);
      visit_(step, before, files_);
    }
  }

  static std::string golden(const std::string& name) {
    return os::read_file(TIDEMARK_GOLDEN_DIR "/meltano/verbs/" + name);
  }

 private:
  void reset(const json::Value& step) {
    const json::Value* text = step.find("text");
    const json::Value* diff = step.find("diff from the start");
    files_["meltano.yml"] = text != nullptr ? text->as_string() : start_;
    if (diff != nullptr) files_["meltano.yml"] = patched(start_, diff->as_string());
    files_.erase(".env");
  }

  void take_changes(const json::Value& step) {
    if (const json::Value* changed = step.find("changed")) {
      for (const auto& [file, text] : changed->as_object()) {
        files_[file] = text.is_null() ? std::nullopt : std::optional(text.as_string());
      }
    }
    if (const json::Value* diffs = step.find("diff")) {
      for (const auto& [file, diff] : diffs->as_object()) {
        files_[file] = patched(files_[file].value_or(""), diff.as_string());
      }
    }
  }

  Visit visit_;
  std::string start_;
  MeltanoFiles files_;
};

// Visits each command of `<name>.json`.
inline void follow_meltano(const std::string& name, MeltanoSteps::Visit visit) {
  MeltanoSteps steps(std::move(visit));
  const json::Value all = json::read(MeltanoSteps::golden(name + ".json"));
  for (const json::Value& step : all.as_array()) steps.follow(step);
}

// What a step typed.
inline std::deque<std::string> answers_of(const json::Value& step) {
  std::deque<std::string> answers;
  const json::Value* input = step.find("stdin");
  if (input == nullptr) return answers;
  for (std::string& line : lines_of(input->as_string())) {
    if (line.ends_with('\n')) line.pop_back();
    answers.push_back(std::move(line));
  }
  return answers;
}

// What a project file says, in whichever form; without the definitions of settings, which Meltano
// rewrites as it goes.
inline std::string said_by(const std::string& text) {
  json::Value document = config::read_yaml(text, "meltano.yml").to_json();
  json::Value* all = document.find("plugins");
  if (all == nullptr) return json::write_orjson(document, true);
  for (auto& [type, plugins] : all->as_object()) {
    for (json::Value& plugin : plugins.as_array()) plugin.as_object().erase("settings");
  }
  return json::write_orjson(document, true);
}

}  // namespace tidemark::cli
