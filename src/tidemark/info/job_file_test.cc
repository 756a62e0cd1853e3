#include "tidemark/info/job_file.h"

#include <gtest/gtest.h>

namespace tidemark::info {
namespace {

TEST(JobFile, ReadsItsName) {
  auto file = JobFile::parse("orders__lines.b2a1e753ef.2.insert_values.gz");
  ASSERT_TRUE(file);
  EXPECT_EQ(*file, (JobFile{"orders__lines", "b2a1e753ef", 2, "insert_values", true}));
  EXPECT_EQ(file->file_name(), "orders__lines.b2a1e753ef.2.insert_values.gz");
}

TEST(JobFile, JobIdIsTheSameOverAllTries) {
  JobFile file = *JobFile::parse("orders.b2a1e753ef.0.columns");
  EXPECT_EQ(file.job_id(), "orders.b2a1e753ef.columns");
  EXPECT_EQ(file.next_try().job_id(), file.job_id());
  EXPECT_EQ(file.next_try().file_name(), "orders.b2a1e753ef.1.columns");
  EXPECT_EQ(file.exception_file_name(), "orders.b2a1e753ef.0.exception");
}

TEST(JobFile, OtherNamesAreNone) {
  for (const char* name : {"", "orders", "orders.b2a1e753ef.columns", "orders.b2a1e753ef.x.columns",
                           "orders.b2a1e753ef.-1.columns", "orders.b2a1e753ef.0.columns.zst",
                           "orders.b2a1e753ef.2.insert_values.gz.exception"}) {
    EXPECT_FALSE(JobFile::parse(name)) << name;
  }
}

}  // namespace
}  // namespace tidemark::info
