#pragma once

#include <deque>
#include <optional>
#include <string>

#include "tidemark/cli/context.h"

namespace tidemark::cli {

class StringOutput final : public Output {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  bool is_terminal() const override { return terminal; }
  size_t width() const override { return columns; }

  std::string text;
  bool terminal = false;
  size_t columns = 80;
};

class ScriptedInput final : public Input {
 public:
  std::optional<std::string> read_line() override {
    if (lines.empty()) {
      return std::nullopt;
    }
    std::string line = std::move(lines.front());
    lines.pop_front();
    return line;
  }
  bool is_terminal() const override { return terminal; }

  std::deque<std::string> lines;
  bool terminal = false;
};

// A world for one test: no terminal, no environment, a clock that stands still.
struct TestWorld {
  ScriptedInput in;
  StringOutput out;
  StringOutput err;
  os::Environment environment;
  ManualClock clock{Time(std::chrono::seconds(1'800'000'000))};
  SystemRandom random;
  SystemSleeper sleeper;
  os::SystemProcesses processes;
  Cancellation cancellation;
  CliContext context{.in = &in,
                     .out = &out,
                     .err = &err,
                     .environment = &environment,
                     .surroundings = {.current_directory = "/home/ada"},
                     .clock = &clock,
                     .random = &random,
                     .sleeper = &sleeper,
                     .processes = &processes,
                     .cancellation = &cancellation};
};

}  // namespace tidemark::cli
