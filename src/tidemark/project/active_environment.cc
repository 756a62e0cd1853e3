#include "tidemark/project/active_environment.h"

#include <array>
#include <string_view>

#include "tidemark/base/ascii.h"

namespace tidemark::project {
namespace {

constexpr std::array<std::string_view, 2> kVariables{"TIDEMARK_ENVIRONMENT", "MELTANO_ENVIRONMENT"};

const std::string* find_variable(const os::Environment& environment) {
  for (std::string_view variable : kVariables) {
    if (const std::string* value = environment.find(variable)) return value;
  }
  return nullptr;
}

// Empty is no choice.
std::string asked_for(const EnvironmentChoice& choice, const os::Environment& process,
                      const os::Environment& dotenv) {
  if (choice.flag) return *choice.flag;
  const std::string* value = find_variable(process);
  if (value == nullptr) value = find_variable(dotenv);
  return value == nullptr ? std::string() : *value;
}

}  // namespace

std::optional<std::string> choose_environment(const EnvironmentChoice& choice,
                                              const os::Environment& process,
                                              const os::Environment& dotenv,
                                              const std::string& default_environment) {
  if (choice.use == EnvironmentUse::kNone) return std::nullopt;
  std::string name = asked_for(choice, process, dotenv);
  if (name.empty() && !choice.flag && choice.use == EnvironmentUse::kExplicitOrDefault) {
    name = default_environment;
  }
  if (name.empty() || equals_ignoring_case(name, "null")) return std::nullopt;
  return name;
}

}  // namespace tidemark::project
