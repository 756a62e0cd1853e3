#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace tidemark::cli {

// Verbs of `logs`.
struct LogsListArguments {
  std::optional<uint64_t> limit;
  std::string format = "text";  // "text", "json"
};
struct LogsShowArguments {
  std::optional<std::string> run_id;  // the newest without one
  std::optional<uint64_t> tail;       // only so many lines
  std::string format = "text";
};
struct LogsDirectoryArguments {};
using LogsArguments = std::variant<LogsListArguments, LogsShowArguments, LogsDirectoryArguments>;

}  // namespace tidemark::cli
