#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "tidemark/json/read.h"
#include "tidemark/json/value.h"

namespace tidemark::state {

// For tests: a file that Meltano 4.4.1 made the answers of.
inline json::Value read_golden(const std::string& name) {
  std::ifstream file(TIDEMARK_GOLDEN_DIR "/meltano/" + name);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return json::read(text);
}

}  // namespace tidemark::state
