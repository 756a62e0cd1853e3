#pragma once

#include <string>
#include <string_view>

#include "tidemark/cli/arguments.h"
#include "tidemark/cli/context.h"

namespace tidemark::cli {

// What a command says: results on stdout, everything else on stderr, questions when somebody is
// there to answer. Colours only on a terminal and when nobody asked for none. No text takes control
// of a terminal; see terminal_text().
class Console {
 public:
  // Both must outlive the console.
  Console(const CliContext& context, const CommonOptions& options);

  const CliContext& context() const { return context_; }
  const CommonOptions& options() const { return options_; }
  int verbosity() const { return options_.verbosity; }
  bool is_json() const { return options_.json; }
  bool is_colored() const { return is_colored_; }

  // Text for stdout; a newline is added unless it ends with one.
  void result(std::string_view text) const;
  // Text as it is: a part of what result() would say at once.
  void result_part(std::string_view text) const;
  void error(std::string_view message) const { say("error", kRed, message); }
  void warning(std::string_view message) const { say("warning", kYellow, message); }
  void note(std::string_view message) const { say("", "", message); }

  // Returns after a yes: given by --yes or typed on a terminal. Everything else, also a terminal
  // that is not there, is Error kInvalid, which says which flag to pass; a signal is kCancelled.
  void confirm(std::string_view question) const;

 private:
  static constexpr std::string_view kRed = "\x1b[31m";
  static constexpr std::string_view kYellow = "\x1b[33m";

  void say(std::string_view level, std::string_view color, std::string_view message) const;

  const CliContext& context_;
  const CommonOptions& options_;
  bool is_colored_;
};

}  // namespace tidemark::cli
