#include "tidemark/info/load_package.h"

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"

namespace tidemark::info {
namespace {

constexpr Time kTime{std::chrono::microseconds(1'796'038'212'690'831)};

LoadPackageInfo package() {
  LoadPackageInfo info;
  info.load_id = "1796038212.2672029";
  info.package_path = "/p/load/loaded/1796038212.2672029";
  info.state = PackageState::kLoaded;
  info.schema_name = "mysrc";
  info.schema_hash = "abc=";
  info.completed_at = kTime;
  info.schema_update = json::read(R"({"items":{"name":"items","columns":{
      "id":{"name":"id","data_type":"bigint"}},"write_disposition":"append"}})")
                           .as_object();
  info.jobs = {{JobState::kNew, "/p/b.1.1.columns", 0, kTime, std::chrono::microseconds(0),
                *JobFile::parse("b.1.1.columns"), "was busy"},
               {JobState::kCompleted, "/p/items.284314e677.0.insert_values.gz", 248, kTime,
                std::chrono::milliseconds(280),
                *JobFile::parse("items.284314e677.0.insert_values.gz"), std::nullopt},
               {JobState::kFailed, "/p/bad.1.0.columns", 1536, kTime, std::chrono::seconds(1),
                *JobFile::parse("bad.1.0.columns"), "out of range"}};
  return info;
}

TEST(LoadPackageInfo, PrintsAsDltDoes) {
  EXPECT_EQ(to_text(package(), 0),
            "The package with load id 1796038212.2672029 for schema mysrc is in LOADED state. It "
            "updated schema for 1 tables. The package was LOADED at 2026-11-30 "
            "11:30:12.690831+00:00.\n"
            "Jobs details:\n"
            "Job: b.1.columns, table: b in new_jobs. File type: columns, size: 0B. Started on: "
            "2026-11-30 11:30:12.690831+00:00 and completed in ---.\n"
            "Job: items.284314e677.insert_values.gz, table: items in completed_jobs. File type: "
            "insert_values, size: 248B. Started on: 2026-11-30 11:30:12.690831+00:00 and completed "
            "in 0.28 seconds.\n"
            "Job: bad.1.columns, table: bad in failed_jobs. File type: columns, size: 1.5K. "
            "Started on: 2026-11-30 11:30:12.690831+00:00 and completed in 1 second.");
}

TEST(LoadPackageInfo, VerboseTextHasErrorsAndDroppedTables) {
  LoadPackageInfo info = package();
  info.refresh = "drop_sources";
  info.dropped_tables = {"a", "b"};
  std::string text = to_text(info, 1);
  EXPECT_NE(text.find("The package was extracted with refresh 'drop_sources'.\n"
                      "Dropped tables: a, b.\nJobs details:\n"),
            std::string::npos);
  EXPECT_TRUE(text.ends_with("completed in 1 second.\nout of range"));
  EXPECT_EQ(to_text(info, 0).find("Dropped"), std::string::npos);
}

TEST(LoadPackageInfo, NotYetLoadedSaysSo) {
  LoadPackageInfo info = package();
  info.state = PackageState::kNormalized;
  info.completed_at.reset();
  info.jobs.clear();
  EXPECT_TRUE(to_text(info, 0).ends_with(
      "The package is NOT YET LOADED to the destination.\nJobs details:\n"));
}

TEST(LoadPackageInfo, IsReadBackFromItsJson) {
  LoadPackageInfo info = package();
  info.truncated_tables = {"t"};
  info.has_pending_transitions = true;
  EXPECT_EQ(load_package_from_json(to_json(info)), info);
}

TEST(LoadPackageInfo, JsonFlattensTablesForLoading) {
  json::Value value = to_json(package());
  const json::Value& table = value.find("tables")->as_array().at(0);
  EXPECT_EQ(table.find("load_id")->as_string(), "1796038212.2672029");
  EXPECT_EQ(table.find("columns")->as_array().at(0).find("table_name")->as_string(), "items");
  EXPECT_TRUE(value.find("schema_migrated")->as_bool());
}

TEST(LoadPackageInfo, CountsJobs) {
  EXPECT_EQ(package().count_jobs(JobState::kFailed), 1u);
  EXPECT_EQ(package().count_retried_jobs(), 1u);
}

TEST(LoadPackageInfo, RefusesAnUnknownState) {
  try {
    load_package_from_json(json::read(R"({"state":"lost"})"));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
  }
}

}  // namespace
}  // namespace tidemark::info
