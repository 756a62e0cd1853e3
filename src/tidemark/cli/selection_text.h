#pragma once

#include <string>
#include <vector>

#include "tidemark/json/value.h"
#include "tidemark/singer/catalog.h"

namespace tidemark::cli {

// What `select --list` shows: the patterns that count, then each property with its selection;
// without `all` only those that are extracted.
std::string selection_text(const std::vector<std::string>& patterns,
                           const std::vector<singer::PropertySelection>& selections, bool all);
json::Value selection_json(const std::vector<std::string>& patterns,
                           const std::vector<singer::PropertySelection>& selections, bool all);

}  // namespace tidemark::cli
