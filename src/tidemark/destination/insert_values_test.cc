#include "tidemark/destination/insert_values.h"

#include <algorithm>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark::destination {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Hands out a few bytes at a time, so that lines cross the borders of reads.
class Drops final : public source::ByteStream {
 public:
  explicit Drops(std::string text) : text_(std::move(text)) {}
  size_t read(char* data, size_t size) override {
    const size_t count = std::min({size, text_.size() - at_, size_t{7}});
    std::memcpy(data, text_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  size_t at_ = 0;
};

InsertValues values_of(std::string text) {
  return {std::make_unique<Drops>(std::move(text)), "t.0.insert_values"};
}

std::vector<std::string> batches(InsertValues values, size_t max_bytes) {
  std::vector<std::string> batches;
  for (auto batch = values.next(max_bytes); !batch.empty(); batch = values.next(max_bytes)) {
    batches.push_back(batch);
  }
  return batches;
}

std::string refusal(std::string text) {
  try {
    batches(values_of(std::move(text)), 100);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    return error.message();
  }
  return "taken";
}

constexpr const char* kTwo = "INSERT INTO {}(\"id\",\"a\"\",b\")\nVALUES\n(1,E'x),'),\n(22,NULL);";

TEST(InsertValues, ColumnsLoseTheirQuotes) {
  EXPECT_THAT(values_of(kTwo).columns(), ElementsAre("id", "a\",b"));
}

TEST(InsertValues, TuplesComeInBatchesOfSoManyBytes) {
  EXPECT_THAT(batches(values_of(kTwo), 100), ElementsAre("(1,E'x),'),(22,NULL)"));
  EXPECT_THAT(batches(values_of(kTwo), 12), ElementsAre("(1,E'x),')", "(22,NULL)"));
  EXPECT_THAT(batches(values_of(kTwo), 1), ElementsAre("(1,E'x),')", "(22,NULL)"));
}

TEST(InsertValues, AFileMayHoldNoRows) {
  EXPECT_THAT(batches(values_of("INSERT INTO {}(\"id\")\nVALUES\n"), 100), ElementsAre());
}

TEST(InsertValues, WhatIsNoSuchFileIsRefusedWithItsLine) {
  EXPECT_THAT(refusal(""), HasSubstr("t.0.insert_values: line 0: expected INSERT INTO"));
  EXPECT_THAT(refusal("DELETE FROM t\nVALUES\n(1);"), HasSubstr("line 1"));
  EXPECT_THAT(refusal("INSERT INTO {}(\"id\nVALUES\n(1);"), HasSubstr("quoted columns"));
  EXPECT_THAT(refusal("INSERT INTO {}(\"id\") SELECT 1\nVALUES\n(1);"),
              HasSubstr("quoted columns"));
  EXPECT_THAT(refusal("INSERT INTO {}(\"id\")\nSELECT 1;"), HasSubstr("expected VALUES"));
  EXPECT_THAT(refusal("INSERT INTO {}(\"id\")\nVALUES\n(1),\nDROP TABLE t;"),
              HasSubstr("line 4: expected a tuple"));
}

}  // namespace
}  // namespace tidemark::destination
