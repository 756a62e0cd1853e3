#pragma once

#include <map>
#include <string>
#include <vector>

#include "tidemark/json/value.h"
#include "tidemark/normalize/part.h"

// For tests: what a part holds, as rows again.
namespace tidemark::normalize {

// Rows by table, each with its columns in the part's order and without nulls. Timestamps, dates and
// times are ISO texts, decimals texts, json columns their values.
std::map<std::string, std::vector<json::Object>> rows_of(const Part& part);

}  // namespace tidemark::normalize
