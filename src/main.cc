#include <unistd.h>

#include "tidemark/cli/run_cli.h"
#include "tidemark/os/signals.h"

int main(int argc, char** argv) {
  tidemark::cli::FileInput in(STDIN_FILENO);
  tidemark::cli::FileOutput out(STDOUT_FILENO);
  tidemark::cli::FileOutput err(STDERR_FILENO);
  tidemark::SystemClock clock;
  tidemark::SystemRandom random;
  tidemark::SystemSleeper sleeper;
  tidemark::os::SystemProcesses processes;
  tidemark::Cancellation cancellation;
  const tidemark::os::SignalCancellation signals(cancellation);
  const auto environment = tidemark::os::Environment::of_process();
  return tidemark::cli::run_cli(
      {argv + 1, argv + argc}, {.in = &in,
                                .out = &out,
                                .err = &err,
                                .environment = &environment,
                                .surroundings = tidemark::os::Surroundings::of_process(environment),
                                .clock = &clock,
                                .random = &random,
                                .sleeper = &sleeper,
                                .processes = &processes,
                                .cancellation = &cancellation});
}
