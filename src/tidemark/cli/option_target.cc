#include "tidemark/cli/option_target.h"

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/error.h"

namespace tidemark::cli {
namespace {

using Words = std::vector<std::string>;

[[noreturn]] void refuse(const OptionSpec& option, const std::string& why) {
  throw Error(ErrorCode::kInvalid, fmt::format("{}: {}", option.names, why));
}

std::string choice(const OptionSpec& option, const std::string& word) {
  if (option.choices.empty()) {
    return word;
  }
  for (const std::string& known : option.choices) {
    if (equals_ignoring_case(known, word)) {
      return known;
    }
  }
  refuse(option, fmt::format("{} is not one of {}", word, fmt::join(option.choices, ", ")));
}

uint64_t number(const OptionSpec& option, const std::string& word) {
  uint64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || rest != end) {
    refuse(option, fmt::format("{} is not a whole number", word));
  }
  return value;
}

struct Filler {
  const OptionSpec& option;
  const Words& words;

  void operator()(bool* flag) const { *flag = true; }
  void operator()(int* count) const { ++*count; }
  void operator()(std::string* text) const { *text = choice(option, words.front()); }
  void operator()(std::optional<std::string>* text) const { *text = choice(option, words.front()); }
  void operator()(std::optional<uint64_t>* value) const { *value = number(option, words.front()); }
  void operator()(CommaSeparated to) const { *to.list = words; }
  void operator()(Repeated to) const { *to.list = words; }
  void operator()(AllThatFollow to) const { *to.list = words; }
};

}  // namespace

void fill(const OptionSpec& option, const Words& words) {
  std::visit(Filler{option, words}, option.target);
}

std::string value_name(const OptionSpec& option) {
  if (!option.choices.empty()) {
    return fmt::format("{}", fmt::join(option.choices, "|"));
  }
  if (is_positional(option)) {
    return "";
  }
  return std::holds_alternative<std::optional<uint64_t>*>(option.target) ? "N" : "TEXT";
}

bool is_positional(const OptionSpec& option) { return !option.names.starts_with('-'); }

}  // namespace tidemark::cli
