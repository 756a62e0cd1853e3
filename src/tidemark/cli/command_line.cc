#include "tidemark/cli/command_line.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/option_target.h"
#include "tidemark/cli/word_reader.h"
#include "tidemark/config/nearest.h"

namespace tidemark::cli {
namespace {

using Words = std::vector<std::string>;

// "--verbose" of "-v,--verbose".
std::string long_name(const OptionSpec& option) {
  const size_t start = option.names.find("--");
  return start == std::string::npos ? "" : option.names.substr(start);
}

bool has_option(const CommandSpec& command, std::string_view name) {
  return std::ranges::any_of(command.options,
                             [&](const OptionSpec& option) { return long_name(option) == name; }) ||
         std::ranges::any_of(command.commands,
                             [&](const CommandSpec& below) { return has_option(below, name); });
}

// An option's name with hyphens where the user typed underscores; any other word as it is.
std::string with_hyphens(const CommandSpec& program, const std::string& word) {
  const size_t end = std::min(word.find('='), word.size());
  if (!word.starts_with("--") || word.find('_') >= end) {
    return word;
  }
  std::string name = word.substr(0, end);
  std::ranges::replace(name, '_', '-');
  return has_option(program, name) ? name + word.substr(end) : word;
}

Words with_hyphens(const CommandSpec& program, const Words& args) {
  Words words = args;
  for (auto word = words.begin(); word != words.end() && *word != "--"; ++word) {
    *word = with_hyphens(program, *word);
  }
  return words;
}

const OptionSpec* find_option(const std::vector<OptionSpec>& options, std::string_view name) {
  const auto found = std::ranges::find_if(options, [&](const OptionSpec& option) {
    const std::string_view names = option.names;
    const bool is_short = names.starts_with(name) && names.substr(name.size()).starts_with(',');
    return !name.empty() && (long_name(option) == name || is_short || names == name);
  });
  return found == options.end() ? nullptr : &*found;
}

bool takes_value(const OptionSpec& option) {
  return !std::holds_alternative<bool*>(option.target) &&
         !std::holds_alternative<int*>(option.target);
}

// How many words there are from `at` on before the first that is no option of these; values of
// options are part of them.
size_t skip_options(const Words& words, size_t at, const std::vector<OptionSpec>& options) {
  while (at < words.size() && words[at].starts_with('-')) {
    const size_t equals = words[at].find('=');
    const OptionSpec* option = find_option(options, words[at].substr(0, equals));
    const bool has_value_behind =
        equals == std::string::npos && option != nullptr && takes_value(*option);
    at += has_value_behind ? 2 : 1;
  }
  return at;
}

// With `--` behind the first word of a command that passes the others on.
Words with_end_of_options(const CommandSpec& program, Words words) {
  const CommandSpec* command = &program;
  std::vector<OptionSpec> options = program.options;
  size_t at = skip_options(words, 0, options);
  while (at < words.size() && !command->passes_words_on) {
    const auto below = std::ranges::find(command->commands, words[at], &CommandSpec::name);
    if (below == command->commands.end()) return words;
    command = &*below;
    options.insert(options.end(), command->options.begin(), command->options.end());
    at = skip_options(words, at + 1, options);
  }
  if (at < words.size()) words.insert(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, "--");
  return words;
}

// What the commands that were named would have taken.
Words known_words(const NamedCommands& named) {
  Words words = {"--help", "--version"};
  for (const CommandSpec* command : named) {
    for (const OptionSpec& option : command->options) {
      words.push_back(long_name(option));
    }
  }
  for (const CommandSpec& command : named.back()->commands) {
    if (!command.help.empty()) {
      words.push_back(command.name);
    }
  }
  return words;
}

std::string unexpected_text(const Reading& reading) {
  // The value of an unknown option is listed before or behind it.
  const auto option = std::ranges::find_if(
      reading.unexpected, [](const std::string& word) { return word.starts_with('-'); });
  const std::string& word =
      option == reading.unexpected.end() ? reading.unexpected.front() : *option;
  const Words names = known_words(reading.named);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto near = config::nearest(word.substr(0, word.find('=')), known);
  return fmt::format("unexpected {} {}{}", word.starts_with('-') ? "option" : "argument", word,
                     near ? fmt::format("; did you mean {}?", *near) : "");
}

Answer usage_error(const Reading& reading, std::string_view message) {
  return {fmt::format("error: {}\n'{} --help' says what there is\n", message, typed(reading.named)),
          true};
}

}  // namespace

Command parse_command_line(const CommandSpec& program, const std::vector<std::string>& args) {
  using Outcome = Reading::Outcome;
  const Reading reading =
      read_words(program, with_hyphens(program, with_end_of_options(program, args)));
  switch (reading.outcome) {
    case Outcome::kRead:
      try {
        return reading.named.back()->result();
      } catch (const Error& error) {
        return usage_error(reading, error.message());
      }
    case Outcome::kVersion:
      return Answer{program.name + " " TIDEMARK_VERSION "\n", false};
    case Outcome::kUnexpected:
      return usage_error(reading, unexpected_text(reading));
    case Outcome::kWrong:
      return usage_error(reading, reading.text);
    case Outcome::kHelp:
    case Outcome::kIncomplete:
      break;
  }
  return Answer{reading.text, reading.outcome == Outcome::kIncomplete};
}

}  // namespace tidemark::cli
