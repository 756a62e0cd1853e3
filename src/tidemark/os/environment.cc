#include "tidemark/os/environment.h"

#include <unistd.h>

namespace tidemark::os {

Environment Environment::of_process() {
  Variables variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    // Of a name that is there twice getenv() gives the first.
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return Environment(std::move(variables));
}

const std::string* Environment::find(std::string_view name) const {
  const auto variable = variables_.find(name);
  return variable == variables_.end() ? nullptr : &variable->second;
}

const std::string* Environment::find_not_empty(std::string_view name) const {
  const std::string* value = find(name);
  return value != nullptr && !value->empty() ? value : nullptr;
}

}  // namespace tidemark::os
