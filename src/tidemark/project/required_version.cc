#include "tidemark/project/required_version.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/error.h"

namespace tidemark::project {
namespace {

// What comes before or after the release of these numbers.
enum class Stage { kBefore = -1, kRelease = 0, kAfter = 1 };

struct Version {
  int64_t epoch = 0;
  std::vector<int64_t> release;
  Stage stage = Stage::kRelease;
  bool is_local = false;  // `+` and what somebody built it from
};

Error no_specifier(std::string_view text) {
  return {ErrorCode::kInvalid,
          fmt::format("'{}' is no version specifier; one looks like >=3.5,<5", text)};
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool take_number(std::string_view& text, int64_t& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || text.starts_with('-')) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

// `rc1`, `.post2`, `-dev`: the words in any order, as PEP 440 allows more than it writes.
Stage take_stage(std::string_view& text) {
  constexpr std::array<std::string_view, 8> kBefore = {"alpha", "beta", "preview", "pre",
                                                       "rc",    "a",    "b",       "c"};
  Stage stage = Stage::kRelease;
  while (!text.empty() && text[0] != '+') {
    while (take(text, ".") || take(text, "-") || take(text, "_")) {
    }
    int64_t number = 0;
    if (std::ranges::any_of(kBefore, [&](std::string_view word) { return take(text, word); })) {
      stage = Stage::kBefore;
    } else if (take(text, "post") || take(text, "rev") || take(text, "r") ||
               (!text.empty() && take_number(text, number))) {
      if (stage == Stage::kRelease) stage = Stage::kAfter;
    } else if (take(text, "dev")) {
      if (stage == Stage::kRelease) stage = Stage::kBefore;
    } else {
      break;
    }
    take_number(text, number);
  }
  return stage;
}

Version read_version(std::string_view specifier, std::string_view text) {
  const std::string lower = ascii_lower(text);
  std::string_view rest = lower;
  take(rest, "v");
  Version version;
  int64_t number = 0;
  if (!take_number(rest, number)) throw no_specifier(specifier);
  if (take(rest, "!")) {
    version.epoch = number;
    if (!take_number(rest, number)) throw no_specifier(specifier);
  }
  version.release.push_back(number);
  for (std::string_view next = rest; take(next, ".") && take_number(next, number);) {
    version.release.push_back(number);
    rest = next;
  }
  version.stage = take_stage(rest);
  version.is_local = take(rest, "+");
  if (!version.is_local && !rest.empty()) throw no_specifier(specifier);
  return version;
}

int64_t part(const Version& version, size_t index) {
  return index < version.release.size() ? version.release[index] : 0;
}

// Below zero, zero or above.
int64_t compare(const Version& a, const Version& b) {
  if (a.epoch != b.epoch) return a.epoch - b.epoch;
  for (size_t i = 0; i < std::max(a.release.size(), b.release.size()); ++i) {
    if (part(a, i) != part(b, i)) return part(a, i) - part(b, i);
  }
  return static_cast<int64_t>(a.stage) - static_cast<int64_t>(b.stage);
}

bool has_prefix(const Version& version, const Version& prefix, size_t count) {
  if (version.epoch != prefix.epoch) return false;
  for (size_t i = 0; i < count; ++i) {
    if (part(version, i) != part(prefix, i)) return false;
  }
  return true;
}

bool is_equal(const Version& version, std::string_view specifier, std::string_view wanted) {
  if (wanted.ends_with(".*")) {
    wanted.remove_suffix(2);
    const Version prefix = read_version(specifier, wanted);
    return has_prefix(version, prefix, prefix.release.size());
  }
  const Version other = read_version(specifier, wanted);
  return !other.is_local && compare(version, other) == 0;
}

bool is_compatible(const Version& version, std::string_view specifier, std::string_view wanted) {
  const Version least = read_version(specifier, wanted);
  if (least.release.size() < 2) throw no_specifier(specifier);
  return compare(version, least) >= 0 && has_prefix(version, least, least.release.size() - 1);
}

bool allows_one(std::string_view specifier, std::string_view version_text) {
  const Version version = read_version(version_text, version_text);
  std::string_view wanted = specifier;
  const auto follows = [&](std::string_view sign) {
    if (!take(wanted, sign)) return false;
    wanted = trimmed(wanted);
    return true;
  };
  if (follows("===")) return wanted == version_text;
  if (follows("==")) return is_equal(version, specifier, wanted);
  if (follows("!=")) return !is_equal(version, specifier, wanted);
  if (follows("~=")) return is_compatible(version, specifier, wanted);
  if (follows("<=")) return compare(version, read_version(specifier, wanted)) <= 0;
  if (follows(">=")) return compare(version, read_version(specifier, wanted)) >= 0;
  if (follows("<")) return compare(version, read_version(specifier, wanted)) < 0;
  if (follows(">")) return compare(version, read_version(specifier, wanted)) > 0;
  throw no_specifier(specifier);
}

}  // namespace

bool allows_version(std::string_view specifiers, std::string_view version) {
  bool is_allowed = true;
  while (!specifiers.empty()) {
    const size_t comma = std::min(specifiers.find(','), specifiers.size());
    const std::string_view specifier = trimmed(specifiers.substr(0, comma));
    if (!specifier.empty() && !allows_one(specifier, version)) is_allowed = false;
    specifiers.remove_prefix(std::min(comma + 1, specifiers.size()));
  }
  return is_allowed;
}

}  // namespace tidemark::project
