#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemark/blob/blob_store.h"

// For tests.
namespace tidemark::blob {

// Opens a store on one place, which is empty at first; each call is another client of it.
using OpenStore = std::function<std::shared_ptr<BlobStore>()>;

// One thing that every BlobStore does. It uses GoogleTest's assertions:
//
//   class FtpStore : public testing::TestWithParam<Check> {};
//   TEST_P(FtpStore, Conforms) { GetParam().run(open_on_a_new_place()); }
//   INSTANTIATE_TEST_SUITE_P(Blob, FtpStore, testing::ValuesIn(conformance_checks()),
//   name_of_check);
struct Check {
  const char* name;
  void (*run)(const OpenStore& open);
};

// What they expect of what a store may leave out comes from its capabilities().
std::vector<Check> conformance_checks();
std::string name_of_check(const testing::TestParamInfo<Check>& info);

}  // namespace tidemark::blob
