#include "tidemark/cli/who.h"

#include <string_view>

#include <fmt/format.h>

#include "tidemark/os/process.h"

namespace tidemark::cli {
namespace {

std::string user_name(const os::Environment& environment) {
  for (const std::string_view name : {"USER", "LOGNAME"}) {
    if (const std::string* value = environment.find_not_empty(name)) return *value;
  }
  return "unknown";
}

}  // namespace

std::string who_works(const CliContext& context) {
  return fmt::format("{}@{}", user_name(*context.environment), os::host_name());
}

std::string job_trigger(const CliContext& context) {
  for (const std::string_view name : {"TIDEMARK_JOB_TRIGGER", "MELTANO_JOB_TRIGGER"}) {
    if (const std::string* value = context.environment->find_not_empty(name)) return *value;
  }
  return "cli";
}

}  // namespace tidemark::cli
