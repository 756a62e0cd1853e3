#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/runner/chain.h"
#include "tidemark/runner/log.h"
#include "tidemark/runner/observation.h"
#include "tidemark/state/periodic.h"

namespace tidemark::runner {

// Counts what passes from each plugin of a chain to the next and says so in the log: every few
// seconds, and at the end by streams. At level debug it says each line.
class ObservedLinks {
 public:
  // Puts a look into each launch but the last: the chain that is made of them must be gone before
  // this is. The log is borrowed.
  ObservedLinks(std::vector<Launch>& launches, Log& log);
  ObservedLinks(const ObservedLinks&) = delete;
  ObservedLinks& operator=(const ObservedLinks&) = delete;

  // Says what has passed, when the chain has ended.
  void finish();

 private:
  struct Link {
    Link(std::string from, std::string to, Log& log);

    std::string name;  // `tap-x to target-y`
    Observation observation;
  };

  void say_progress();

  Log& log_;
  std::vector<std::unique_ptr<Link>> links_;
  std::optional<state::Periodic> progress_;
};

}  // namespace tidemark::runner
