#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "tidemark/config/node.h"
#include "tidemark/os/environment.h"

namespace tidemark::project {

// Variables, and where those stand that a file sets.
struct Variables {
  os::Environment values = {};
  std::map<std::string, config::Position, std::less<>> places = {};

  // The variable as a node that knows where it comes from; it is set.
  config::Node node(std::string_view name) const;
};

// Values of an `env:` map as Meltano makes texts of them; null is left out.
Variables variables_of(const config::Node& env);

// Everything of both; a variable of over hides that of under.
Variables overlay(const Variables& under, const Variables& over);
os::Environment overlay(const os::Environment& under, const os::Environment& over);

// Meltano's name of a setting's variable: the prefix, `_` and the name in capitals, with `_` in the
// place of whatever is neither letter nor digit of ASCII.
std::string variable_name(std::string_view prefix, std::string_view setting);

}  // namespace tidemark::project
