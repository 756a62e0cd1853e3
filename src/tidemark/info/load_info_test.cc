#include "tidemark/info/load_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark::info {
namespace {

using ::testing::HasSubstr;

LoadPackageInfo package(const std::string& load_id, PackageState state) {
  LoadPackageInfo package;
  package.load_id = load_id;
  package.state = state;
  if (state == PackageState::kLoaded) package.completed_at = Time(std::chrono::seconds(9));
  return package;
}

LoadInfo info() {
  LoadInfo info;
  info.pipeline_name = "pipe_one";
  info.destination_type = "dlt.destinations.postgres";
  info.destination_name = "postgres";
  info.destination_displayable_credentials = "postgresql://postgres:***@127.0.0.1/dlt_data";
  info.dataset_name = "ds_one";
  info.loads_ids = {"1796038212.2672029"};
  info.load_packages = {package("1796038212.2672029", PackageState::kLoaded)};
  info.started_at = Time(std::chrono::microseconds(0));
  info.finished_at = Time(std::chrono::microseconds(260'000));
  return info;
}

LoadJobInfo job(JobState state, const std::string& file) {
  LoadJobInfo job;
  job.state = state;
  job.job_file_info = *JobFile::parse(file);
  if (state == JobState::kFailed) job.failed_message = "numeric field overflow";
  return job;
}

TEST(LoadInfo, PrintsAsDltDoes) {
  EXPECT_EQ(to_text(info(), 1),
            "Pipeline pipe_one load step finished in 0.26 seconds\n"
            "1 load package(s) were loaded to destination postgres and into dataset ds_one\n"
            "The postgres destination used postgresql://postgres:***@127.0.0.1/dlt_data location "
            "to store data\n"
            "Load package 1796038212.2672029 is LOADED and contains no failed jobs");
}

TEST(LoadInfo, SaysWhenThereWasNothingToLoad) {
  LoadInfo idle;
  idle.pipeline_name = "p";
  idle.destination_name = "duckdb";
  idle.destination_displayable_credentials = "duckdb:////d";
  EXPECT_EQ(to_text(idle, 1),
            "Pipeline p load step did not start\n"
            "0 load package(s) were loaded to destination duckdb and into dataset None\n"
            "The duckdb destination used duckdb:////d location to store data");
}

TEST(LoadInfo, CountsThePackagesThatWereNotLoaded) {
  LoadInfo half = info();
  half.loads_ids.push_back("1796038213.5");
  half.load_packages.push_back(package("1796038213.5", PackageState::kNormalized));
  half.load_packages.back().jobs = {job(JobState::kNew, "items.1.1.columns")};
  std::string text = to_text(half, 1);
  EXPECT_THAT(text, HasSubstr("1 of 2 load package(s) were loaded"));
  EXPECT_THAT(text, HasSubstr("Load package 1796038213.5 is NORMALIZED and NOT YET LOADED to the "
                              "destination and contains no failed jobs and 1 job(s) pending "
                              "retry"));
}

TEST(LoadInfo, ShowsFailedJobsWithTheirMessage) {
  LoadInfo failed = info();
  failed.load_packages[0].jobs = {job(JobState::kFailed, "bad.e27073f6cc.0.insert_values.gz")};
  EXPECT_TRUE(failed.has_failed_jobs());
  EXPECT_TRUE(to_text(failed, 1).ends_with(
      "is LOADED and contains 1 FAILED job(s)!\n"
      "\t[bad.e27073f6cc.insert_values.gz]: numeric field overflow\n"));
  EXPECT_TRUE(to_text(failed, 0).ends_with("1 FAILED job(s)!"));
  try {
    failed.raise_on_failed_jobs();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("bad.e27073f6cc.insert_values.gz: numeric field"));
  }
}

TEST(LoadInfo, WithoutFailedJobsRaisesNothing) {
  EXPECT_FALSE(info().has_failed_jobs());
  EXPECT_NO_THROW(info().raise_on_failed_jobs());
}

TEST(LoadInfo, RowsAndLossesFollowThePackages) {
  LoadInfo rich = info();
  rich.row_counts = {{"orders", 3}, {"orders__lines", 5}};
  rich.bytes = 1536;
  rich.losses.rounded_decimals = 1;
  rich.warnings = {"12,000 boundary values"};
  EXPECT_TRUE(
      to_text(rich, 1).ends_with("contains no failed jobs\n"
                                 "Loaded 8 row(s), 1.5K, into 2 table(s):\n"
                                 "- orders: 3 row(s)\n"
                                 "- orders__lines: 5 row(s)\n"
                                 "Lossy choices: 1 decimal(s) rounded\n"
                                 "WARNING: 12,000 boundary values"));
  EXPECT_THAT(to_text(rich, 0), HasSubstr("Lossy choices: 1 decimal(s) rounded"));
}

TEST(LoadInfo, IsReadBackFromItsJson) {
  LoadInfo written = info();
  written.load_packages[0].jobs = {job(JobState::kFailed, "bad.e27073f6cc.2.insert_values.gz")};
  written.environment = "prod";
  written.staging_name = "files";
  written.job_metrics = {{"1796038212.2672029",
                          "ds_one",
                          "bad.e27073f6cc.insert_values.gz",
                          "/p/bad.e27073f6cc.2.insert_values.gz",
                          "bad",
                          Time(std::chrono::seconds(3)),
                          Time(std::chrono::seconds(4)),
                          "failed",
                          std::nullopt,
                          2,
                          {"merge.1.sql"}}};
  written.row_counts = {{"orders", 3}};
  written.bytes = 10;
  written.losses.null_only_columns = 4;
  EXPECT_EQ(load_info_from_json(to_json(written)), written);
}

}  // namespace
}  // namespace tidemark::info
