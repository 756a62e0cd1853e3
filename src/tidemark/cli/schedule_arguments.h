#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tidemark::cli {

// Verbs of `job`.
struct JobListArguments {
  std::optional<std::string> name;
  std::string format = "text";  // "text", "json"
};
struct JobWriteArguments {
  std::string name;
  std::string tasks;  // YAML
  bool is_new = false;
};
struct JobRemoveArguments {
  std::string name;
};
using JobArguments = std::variant<JobListArguments, JobWriteArguments, JobRemoveArguments>;

// Verbs of `schedule`.
struct ScheduleListArguments {
  std::string format = "text";  // "text", "json", "cron"
};
struct ScheduleAddArguments {
  std::string name;
  std::string interval;
  std::optional<std::string> job;  // or the other two
  std::optional<std::string> extractor;
  std::optional<std::string> loader;
  std::optional<std::string> transform;  // "skip", "run", "only"
};
struct ScheduleSetArguments {
  std::string name;
  std::optional<std::string> interval;
  std::optional<std::string> job;
  std::optional<std::string> extractor;
  std::optional<std::string> loader;
  std::optional<std::string> transform;
};
struct ScheduleRemoveArguments {
  std::string name;
};
struct ScheduleRunArguments {
  std::string name;
  std::vector<std::string> words;  // for `run` or `el`
};
struct ScheduleExportArguments {
  std::string directory;
};
using ScheduleArguments =
    std::variant<ScheduleListArguments, ScheduleAddArguments, ScheduleSetArguments,
                 ScheduleRemoveArguments, ScheduleRunArguments, ScheduleExportArguments>;

}  // namespace tidemark::cli
