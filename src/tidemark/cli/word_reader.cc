#include "tidemark/cli/word_reader.h"

#include <algorithm>
#include <map>

#include "tidemark/base/error.h"
#include "tidemark/cli/option_target.h"
#include <CLI/CLI.hpp>

namespace tidemark::cli {
namespace {

using Words = std::vector<std::string>;

// Which App was made from which spec.
using Specs = std::map<const CLI::App*, const CommandSpec*>;

bool is_flag(const OptionSpec& option) {
  return std::holds_alternative<bool*>(option.target) ||
         std::holds_alternative<int*>(option.target);
}

CLI::Option& add_flag(CLI::App& app, const OptionSpec& option) {
  return *app.add_flag_function(
      option.names,
      [&option](int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          fill(option, {});
        }
      },
      option.help);
}

// CLI11 marks a lone {} as an empty list.
Words unmarked(Words words) {
  if (words.size() == 2 && words[0] == "{}" && words[1] == "%%") {
    words.pop_back();
  }
  return words;
}

CLI::Option& add_value(CLI::App& app, const OptionSpec& option) {
  CLI::Option& added = *app.add_option(
      option.names,
      [&option](const Words& words) {
        fill(option, unmarked(words));
        return true;
      },
      option.help);
  added.type_name(value_name(option));
  if (std::holds_alternative<CommaSeparated>(option.target)) {
    added.delimiter(',')->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  } else if (std::holds_alternative<Repeated>(option.target)) {
    added.multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  } else if (std::holds_alternative<AllThatFollow>(option.target)) {
    added.expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
  }
  return added;
}

// Commands that no word names stay names with a help: to describe all takes longer than to get a
// state.
void describe(CLI::App& app, const CommandSpec& spec, const Words& words, Specs& specs) {
  specs[&app] = &spec;
  for (const OptionSpec& option : spec.options) {
    CLI::Option& added = is_flag(option) ? add_flag(app, option) : add_value(app, option);
    added.required(option.is_required);
    if (!option.excludes.empty()) {
      added.excludes(app.get_option(option.excludes));
    }
  }
  for (const CommandSpec& command : spec.commands) {
    CLI::App& added = *app.add_subcommand(command.name, command.help);
    if (command.help.empty()) {
      added.group("");
    }
    if (std::ranges::find(words, command.name) != words.end()) {
      describe(added, command, words, specs);
    }
  }
  app.require_subcommand(0, 1);
}

// The help of the innermost command that was named.
std::string help_text(const CLI::App& app, const NamedCommands& named) {
  if (named.size() == 1) {
    return app.help();
  }
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
  }
  // CLI11 puts the command's own name behind it.
  std::string front = typed(named);
  front.resize(front.size() - named.back()->name.size() - 1);
  std::string text = command->help(front, CLI::AppFormatMode::Normal);
  text.erase(text.find_last_not_of('\n') + 1);
  return text + "\n\n'" + app.get_name() +
         " --help' lists the options of every command: --json, -v, --yes, --pipelines-dir ...\n";
}

NamedCommands named_commands(const CLI::App& app, const Specs& specs) {
  NamedCommands named = {specs.at(&app)};
  for (auto below = app.get_subcommands(); !below.empty();
       below = below.front()->get_subcommands()) {
    named.push_back(specs.at(below.front()));
  }
  return named;
}

}  // namespace

std::string typed(const NamedCommands& named) {
  std::string text = named.front()->name;
  for (size_t i = 1; i < named.size(); ++i) {
    for (const OptionSpec& option : named[i - 1]->options) {
      text += is_positional(option) ? " " + option.names : "";
    }
    text += " " + named[i]->name;
  }
  return text;
}

Reading read_words(const CommandSpec& program, const std::vector<std::string>& args) {
  using Outcome = Reading::Outcome;
  CLI::App app(program.help, program.name);
  app.set_version_flag("--version", program.name, "Print the version");
  app.fallthrough();
  Specs specs;
  describe(app, program, args, specs);
  Reading reading;
  try {
    // CLI11 takes the arguments in reverse.
    app.parse(Words(args.rbegin(), args.rend()));
    reading.outcome =
        named_commands(app, specs).back()->result ? Outcome::kRead : Outcome::kIncomplete;
  } catch (const CLI::CallForVersion&) {
    reading.outcome = Outcome::kVersion;
  } catch (const CLI::CallForHelp&) {
    reading.outcome = Outcome::kHelp;
  } catch (const CLI::ExtrasError&) {
    reading.outcome = Outcome::kUnexpected;
    reading.unexpected = app.remaining(true);
  } catch (const CLI::ParseError& error) {
    reading.outcome = Outcome::kWrong;
    reading.text = error.what();
  } catch (const Error& error) {
    reading.outcome = Outcome::kWrong;
    reading.text = error.message();
  }
  reading.named = named_commands(app, specs);
  if (reading.outcome == Outcome::kHelp || reading.outcome == Outcome::kIncomplete) {
    reading.text = help_text(app, reading.named);
  }
  return reading;
}

}  // namespace tidemark::cli
