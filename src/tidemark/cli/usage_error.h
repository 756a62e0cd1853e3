#pragma once

#include <stdexcept>

namespace tidemark::cli {

// A command line that parses and still cannot be meant: options that need or exclude each other.
// Ends the program with kUsage.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tidemark::cli
