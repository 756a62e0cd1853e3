#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace tidemark::os {

// Environment variables as they were at one moment; passed to whatever reads them.
class Environment {
 public:
  using Variables = std::map<std::string, std::string, std::less<>>;

  Environment() = default;
  explicit Environment(Variables variables) : variables_(std::move(variables)) {}
  Environment(std::initializer_list<Variables::value_type> variables) : variables_(variables) {}
  // Those of this process. Not while another thread changes them.
  static Environment of_process();

  // nullptr when it is not set; an empty one is set.
  const std::string* find(std::string_view name) const;
  // nullptr also when it is empty.
  const std::string* find_not_empty(std::string_view name) const;
  const Variables& variables() const { return variables_; }

 private:
  Variables variables_;
};

}  // namespace tidemark::os
