#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "tidemark/json/read.h"
#include "tidemark/json/value.h"

namespace tidemark::schema {

// For tests: the cases of a file that dlt 1.31 made the answers of.
inline json::Array read_golden(const std::string& name) {
  std::ifstream file(TIDEMARK_GOLDEN_DIR "/dlt/" + name);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return json::read(text).as_array();
}

}  // namespace tidemark::schema
