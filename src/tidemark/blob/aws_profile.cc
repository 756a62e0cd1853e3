#include "tidemark/blob/aws_profile.h"

#include <algorithm>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/os/files.h"
#include "tidemark/os/process.h"

namespace tidemark::blob {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trim(std::string_view text) {
  const size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

using Sections = std::map<std::string, AwsProfile, std::less<>>;

// `[section]`, `name = value`, indented `name = value` below a name with an empty value, and
// comments, which take a whole line.
class IniReader {
 public:
  explicit IniReader(const os::Path& file) : file_(file) {}

  Sections read(std::string_view text) && {
    for (size_t start = 0; start < text.size();) {
      const size_t end = std::min(text.find('\n', start), text.size());
      ++line_;
      read_line(text.substr(start, end - start));
      start = end + 1;
    }
    return std::move(sections_);
  }

 private:
  void read_line(std::string_view line) {
    const std::string_view content = trim(line);
    if (content.empty() || content.front() == '#' || content.front() == ';') return;
    if (content.front() == '[') {
      if (content.back() != ']') fail("a section has no ]");
      section_ = &sections_[std::string(trim(content.substr(1, content.size() - 2)))];
      parent_.clear();
      return;
    }
    const size_t equals = content.find('=');
    if (section_ == nullptr) fail("a setting outside of a section");
    if (equals == std::string_view::npos) fail("a line without =");
    const std::string name(trim(content.substr(0, equals)));
    const std::string value(trim(content.substr(equals + 1)));
    const bool is_nested = kBlanks.find(line.front()) != std::string_view::npos && !parent_.empty();
    if (!is_nested) parent_ = value.empty() ? name : "";
    (*section_)[is_nested ? parent_ + "." + name : name] = value;
  }

  // The line itself may hold a key.
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(ErrorCode::kInvalid, fmt::format("{}:{}: {}", file_.native(), line_, what));
  }

  const os::Path& file_;
  Sections sections_;
  AwsProfile* section_ = nullptr;
  std::string parent_;
  int line_ = 0;
};

Sections read_sections(const os::Environment& variables, std::string_view variable,
                       std::string_view name) {
  const std::string* given = variables.find_not_empty(variable);
  os::Path file =
      given != nullptr ? os::Path(*given) : os::home_directory(variables) / ".aws" / name;
  if (file.native().starts_with("~/")) {
    file = os::home_directory(variables) / file.native().substr(2);
  }
  return IniReader(file).read(os::read_file_if_exists(file).value_or(""));
}

std::string usual_name(const os::Environment& variables) {
  for (const std::string_view name : {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"}) {
    if (const std::string* value = variables.find_not_empty(name)) return *value;
  }
  return "default";
}

}  // namespace

AwsProfiles AwsProfiles::read(const os::Environment& variables, std::string_view chosen) {
  AwsProfiles profiles;
  profiles.is_chosen_ = !chosen.empty();
  profiles.active_name_ = profiles.is_chosen_ ? std::string(chosen) : usual_name(variables);
  profiles.profiles_ = read_sections(variables, "AWS_SHARED_CREDENTIALS_FILE", "credentials");
  constexpr std::string_view kProfile = "profile ";
  for (auto& [section, settings] : read_sections(variables, "AWS_CONFIG_FILE", "config")) {
    const bool is_named = section.starts_with(kProfile);
    if (!is_named && section != "default") continue;
    const std::string_view profile =
        is_named ? trim(std::string_view(section).substr(kProfile.size())) : section;
    profiles.profiles_[std::string(profile)].merge(settings);
  }
  if (profiles.is_chosen_ && !profiles.profiles_.contains(chosen)) {
    throw Error(ErrorCode::kInvalid, fmt::format("there is no profile '{}' in AWS's credentials "
                                                 "and config files",
                                                 chosen));
  }
  return profiles;
}

const AwsProfile& AwsProfiles::find(std::string_view name) const {
  static const AwsProfile none;
  const auto found = profiles_.find(name);
  return found != profiles_.end() ? found->second : none;
}

std::string setting_of(const AwsProfile& profile, std::string_view name) {
  const auto found = profile.find(name);
  return found != profile.end() ? found->second : std::string();
}

}  // namespace tidemark::blob
