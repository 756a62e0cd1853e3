#include "tidemark/cli/completion.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "tidemark/cli/option_target.h"

namespace tidemark::cli {
namespace {

bool takes_value(const OptionSpec& option) {
  return !std::holds_alternative<bool*>(option.target) &&
         !std::holds_alternative<int*>(option.target);
}

// Whether "-v,--verbose" has the name.
bool is_named(const OptionSpec& option, std::string_view name) {
  std::string_view names = option.names;
  while (!names.empty()) {
    const size_t comma = std::min(names.find(','), names.size());
    if (names.substr(0, comma) == name) return true;
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return false;
}

// Goes through the words in front of the last one.
class Walk {
 public:
  explicit Walk(const CommandSpec& program) : named_({&program}) {}

  void take(const std::string& word) {
    if (const OptionSpec* option = std::exchange(pending_, nullptr)) {
      note(*option, word);
    } else if (word.starts_with('-')) {
      take_option(word);
    } else if (const CommandSpec* command = find_command(word)) {
      named_.push_back(command);
      positionals_ = 0;
    } else {
      ++positionals_;
    }
  }

  Completion finish(const std::string& last) {
    completion_.begun = last;
    if (pending_ != nullptr) {
      add_values(*pending_);
    } else if (const size_t equals = last.find('=');
               last.starts_with("--") && equals != last.npos) {
      completion_.front = last.substr(0, equals + 1);
      completion_.begun = last.substr(equals + 1);
      if (const OptionSpec* option = find_option(last.substr(0, equals))) add_values(*option);
    } else if (last.starts_with('-')) {
      add_options();
    } else {
      add_commands();
    }
    std::erase_if(completion_.words,
                  [&](const std::string& word) { return !word.starts_with(completion_.begun); });
    return std::move(completion_);
  }

 private:
  void take_option(const std::string& word) {
    const size_t equals = word.find('=');
    const OptionSpec* option = find_option(word.substr(0, equals));
    if (option == nullptr || !takes_value(*option)) return;
    if (equals == std::string::npos) {
      pending_ = option;
    } else {
      note(*option, word.substr(equals + 1));
    }
  }

  void note(const OptionSpec& option, const std::string& value) {
    completion_.given.insert_or_assign(option.names.substr(option.names.find("--")), value);
  }

  // Options of the outer commands are taken behind the inner ones too.
  const OptionSpec* find_option(std::string_view name) const {
    for (const CommandSpec* command : named_) {
      for (const OptionSpec& option : command->options) {
        if (is_named(option, name)) return &option;
      }
    }
    return nullptr;
  }

  const CommandSpec* find_command(std::string_view name) const {
    const auto& commands = named_.back()->commands;
    const auto command = std::ranges::find(commands, name, &CommandSpec::name);
    return command == commands.end() ? nullptr : &*command;
  }

  void add_options() {
    completion_.words = {"--help"};
    for (const CommandSpec* command : named_) {
      for (const OptionSpec& option : command->options) {
        const size_t start = option.names.find("--");
        if (start != std::string::npos) completion_.words.push_back(option.names.substr(start));
      }
    }
    std::ranges::sort(completion_.words);
  }

  void add_commands() {
    for (const CommandSpec& command : named_.back()->commands) {
      if (!command.help.empty()) completion_.words.push_back(command.name);
    }
    size_t place = positionals_;
    for (const OptionSpec& option : named_.back()->options) {
      if (!is_positional(option)) continue;
      const bool takes_all = std::holds_alternative<AllThatFollow>(option.target);
      if (place-- == 0 || takes_all) return add_values(option);
    }
  }

  void add_values(const OptionSpec& option) {
    completion_.words.insert(completion_.words.end(), option.choices.begin(), option.choices.end());
    completion_.thing = option.thing;
  }

  std::vector<const CommandSpec*> named_;
  // The option whose value comes next.
  const OptionSpec* pending_ = nullptr;
  size_t positionals_ = 0;
  Completion completion_;
};

constexpr std::string_view kBash = R"(# tidemark completion bash >/etc/bash_completion.d/tidemark
_tidemark() {
  # COMP_WORDS is cut at the colons of state IDs.
  local line=${COMP_LINE:0:COMP_POINT} words i
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  mapfile -t COMPREPLY < <(timeout 3 "${1/#\~/$HOME}" complete -- "${words[@]:1}" 2>/dev/null)
  # What stands in front of the last of these stays as it is.
  local last=${words[-1]} front=
  [[ $COMP_WORDBREAKS == *[:=]* ]] && front=${last%"${last##*[:=]}"}
  for i in "${!COMPREPLY[@]}"; do
    printf -v "COMPREPLY[$i]" %q "${COMPREPLY[i]#"$front"}"
  done
}
complete -o default -F _tidemark tidemark
)";

constexpr std::string_view kZsh = R"(#compdef tidemark
# tidemark completion zsh >"${fpath[1]}/_tidemark"
_tidemark() {
  local -a found
  found=("${(@f)$(timeout 3 "${words[1]}" complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  found=("${(@)found:#}")
  if (( $#found )); then compadd -- "${(@)found}"; else _files; fi
}
compdef _tidemark tidemark
)";

constexpr std::string_view kFish =
    R"(# tidemark completion fish >~/.config/fish/completions/tidemark.fish
function __tidemark_complete
    set -l words (commandline -opc) (commandline -ct)
    timeout 3 $words[1] complete -- $words[2..] 2>/dev/null
end
complete -c tidemark -f -a '(__tidemark_complete)'
complete -c tidemark -n 'not __tidemark_complete | string length -q' -F
)";

}  // namespace

Completion complete(const CommandSpec& program, const std::vector<std::string>& words) {
  Walk walk(program);
  for (size_t i = 0; i + 1 < words.size(); ++i) walk.take(words[i]);
  return walk.finish(words.empty() ? std::string() : words.back());
}

std::string_view completion_script(std::string_view shell) {
  if (shell == "bash") return kBash;
  return shell == "zsh" ? kZsh : kFish;
}

}  // namespace tidemark::cli
