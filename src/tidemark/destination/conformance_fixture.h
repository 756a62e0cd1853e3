#pragma once

// For tests: what the conformance suites of destinations share.

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tidemark/base/clock.h"
#include "tidemark/destination/test_destinations.h"
#include "tidemark/destination/test_package.h"

namespace tidemark::destination {

inline constexpr Time kNow{std::chrono::microseconds(1'704'164'645'678'900)};

inline constexpr std::string_view kItems = R"([{"name": "items", "columns": {
    "id": {"name": "id", "data_type": "bigint", "nullable": false},
    "name": {"name": "name", "data_type": "text"}}}])";

// A new dataset in one of the destinations.
class Conformance : public testing::TestWithParam<Candidate> {
 protected:
  std::vector<std::string> ask(std::string_view sql) { return dataset_.ask(sql); }

  TestDataset dataset_{GetParam().make};
};

}  // namespace tidemark::destination
