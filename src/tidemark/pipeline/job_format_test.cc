// Packages in the job formats of dlt.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/pipeline/pipeline_fixture.h"

namespace tidemark::pipeline {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class JobFormatTest : public PipelineTest {};

// As dlt does: the package does not bring its state along.
TEST_F(JobFormatTest, TheStateIsThatAfterThePackageOnceItIsSealed) {
  job_format_ = workdir::JobFormat::kInsertValues;
  destination_->fail_at = FaultyDestination::Point::kLoad;
  EXPECT_THROW(run(service(kDay1)), Error);
  EXPECT_EQ(cursor(), "9");
  EXPECT_TRUE(look()->read_schema("orders")->find_table("orders__tags"));
  Pipeline(options(), runtime()).abort_packages();
  EXPECT_EQ(cursor(), "none");
  EXPECT_FALSE(look()->read_schema("orders"));
}

TEST_F(JobFormatTest, LosesAndDoublesNothingWhereverALoadStops) {
  for (const auto format : {workdir::JobFormat::kInsertValues, workdir::JobFormat::kJsonLines}) {
    job_format_ = format;
    for (const FaultyDestination::Point point : FaultyDestination::kPoints) {
      std::filesystem::remove_all(disk_ / "pipelines");
      std::filesystem::remove(disk_ / "data.duckdb");
      run(service(kDay1));
      destination_->fail_at = point;
      EXPECT_THROW(run(service(kDay2)), Error) << static_cast<int>(point);
      destination_->fail_at = FaultyDestination::Point::kNowhere;
      run(service(kDay2));
      EXPECT_THAT(ask("select id, ts from orders order by id"), ElementsAre("1|12", "2|9", "3|11"));
      EXPECT_THAT(ask("select value from orders__tags order by 1"), ElementsAre("c", "z"));
      EXPECT_THAT(ask("select count(*), count(distinct load_id) from _dlt_loads"),
                  ElementsAre("2|2"));
      EXPECT_EQ(cursor(), "12");
      EXPECT_THAT(look()->packages(workdir::PackageStage::kNormalized), IsEmpty());
    }
  }
}

TEST_F(JobFormatTest, EmptiesAReplacedTableWhenNothingComes) {
  job_format_ = workdir::JobFormat::kJsonLines;
  ResourceOptions replace = merge_options();
  replace.write_disposition = WriteDisposition::kReplace;
  run(service(kDay1, replace));
  run(service({}, replace));
  EXPECT_THAT(ask("select count(*) from orders"), ElementsAre("0"));
  EXPECT_THAT(ask("select count(*) from orders__tags"), ElementsAre("0"));
}

// dlt may extract before the package is loaded.
TEST_F(JobFormatTest, KeepsAStateThatIsFurtherThanThePackage) {
  job_format_ = workdir::JobFormat::kInsertValues;
  destination_->fail_at = FaultyDestination::Point::kLoad;
  EXPECT_THROW(run(service(kDay1)), Error);
  destination_->fail_at = FaultyDestination::Point::kNowhere;
  auto state = *look()->read_state();
  state.source_state("another") = json::Object{{"key", 1}};
  state.bump();
  os::replace_file(work() / "state.json", state.write(), disk_.path(), random_);
  Pipeline(options(), runtime()).retry();
  EXPECT_NE(look()->read_state()->find_source_state("another"), nullptr);
  EXPECT_EQ(cursor(), "9");
}

// A crash right behind the seal: the state before it is still in state.json.
TEST_F(JobFormatTest, TakesTheStateOfAPackageThatItIsNotFurtherThan) {
  job_format_ = workdir::JobFormat::kInsertValues;
  run(service(kDay1));
  const std::string before = os::read_file(work() / "state.json");
  destination_->fail_at = FaultyDestination::Point::kLoad;
  EXPECT_THROW(run(service(kDay2)), Error);
  destination_->fail_at = FaultyDestination::Point::kNowhere;
  os::replace_file(work() / "state.json", before, disk_.path(), random_);
  Pipeline(options(), runtime()).retry();
  EXPECT_EQ(cursor(), "12");
}

// dlt empties only what the package state names.
TEST_F(JobFormatTest, NamesWhatIsReplacedByNothing) {
  job_format_ = workdir::JobFormat::kInsertValues;
  ResourceOptions replace = merge_options();
  replace.write_disposition = WriteDisposition::kReplace;
  run(service(kDay1, replace));
  destination_->fail_at = FaultyDestination::Point::kLoad;
  EXPECT_THROW(run(service({}, replace)), Error);
  const auto packages = look()->packages(workdir::PackageStage::kNormalized);
  ASSERT_EQ(packages.size(), 1U);
  const json::Value state = json::read(
      os::read_file(work() / "load" / "normalized" / packages.front() / "load_package_state.json"));
  std::vector<std::string> names;
  for (const json::Value& table : state.find("truncated_tables")->as_array()) {
    names.push_back(table.find("name")->as_string());
  }
  EXPECT_THAT(names, ElementsAre("orders__tags", "orders"));
}

}  // namespace
}  // namespace tidemark::pipeline
