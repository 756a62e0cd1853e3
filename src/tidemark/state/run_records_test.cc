#include "tidemark/state/run_records.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/state/test_database.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;
using db::SqlDialect;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

class RunRecordsTest : public testing::TestWithParam<SqlDialect> {
 protected:
  bool is_sqlite() const { return GetParam() == SqlDialect::kSqlite; }
  std::string column(const std::string& name) {
    return texts(*place_.connect(), "SELECT CAST(" + name + " AS VARCHAR) FROM runs").at(0);
  }

  TestDatabase place_{GetParam()};
  // 2026-11-30T12:47:07.408Z
  ManualClock clock_{Time(1'796'042'827'408ms)};
  Context context_{.clock = clock_,
                   .sleeper = place_.context().sleeper,
                   .random = place_.context().random,
                   .processes = place_.context().processes,
                   .cancellation = place_.context().cancellation};
  std::unique_ptr<SystemDatabase> database_ = place_.open();
  RunRecords records_{*database_, "cli", context_};
};
INSTANTIATE_TEST_SUITE_P(Databases, RunRecordsTest,
                         testing::Values(SqlDialect::kSqlite, SqlDialect::kPostgres),
                         name_of_dialect);

TEST_P(RunRecordsTest, AnEditIsRecordedAsMeltanoRecordsIt) {
  database_->write("make", [](db::SqlConnection&) {});
  const json::Value payload = json::read(R"({"singer_state": {"k": "é", "n": 1.0}})");
  EXPECT_TRUE(records_.insert_state_edit("dev:a-to-b", payload, PayloadFlags::kIncompleteState));
  EXPECT_EQ(column("id"), "1");
  EXPECT_EQ(column("job_name"), "dev:a-to-b");
  EXPECT_EQ(column("state"), "STATE_EDIT");
  const std::string when = is_sqlite() ? "2026-11-30 12:47:07.408000" : "2026-11-30 12:47:07.408";
  EXPECT_EQ(column("started_at"), when);
  EXPECT_EQ(column("ended_at"), when);
  EXPECT_EQ(column("payload"), R"({"singer_state": {"k": "\u00e9", "n": 1.0}})");
  EXPECT_EQ(column("payload_flags"), "2");
  EXPECT_EQ(column("trigger"), "cli");
  EXPECT_EQ(column("last_heartbeat_at"), "NULL");
  EXPECT_THAT(
      column("run_id"),
      MatchesRegex(is_sqlite() ? "01a22c7ea6907[0-9a-f]{19}"
                               : "01a22c7e-a690-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
}

TEST_P(RunRecordsTest, EachEditIsARowOfItsOwn) {
  database_->write("make", [](db::SqlConnection&) {});
  records_.insert_state_edit("a", json::Object{}, PayloadFlags::kState);
  records_.insert_state_edit("a", json::Object{}, PayloadFlags::kState);
  EXPECT_THAT(texts(*place_.connect(), "SELECT CAST(id AS VARCHAR) FROM runs ORDER BY id"),
              ElementsAre("1", "2"));
}

TEST_P(RunRecordsTest, WithoutASystemDatabaseNothingIsMade) {
  EXPECT_FALSE(records_.insert_state_edit("a", json::Object{}, PayloadFlags::kState));
  if (is_sqlite()) {
    EXPECT_FALSE(os::path_exists(place_.file()));
  }
  EXPECT_FALSE(records_.insert_state_edit("a", json::Object{}, PayloadFlags::kState));
}

TEST_P(RunRecordsTest, AFailureNamesTheIdAndTheDatabase) {
  database_->write("make", [](db::SqlConnection&) {});
  place_.connect()->run_script("DROP TABLE runs");
  const Error error =
      error_of([&] { records_.insert_state_edit("a", json::Object{}, PayloadFlags::kState); });
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_THAT(error.message(),
              HasSubstr("record the edit of 'a' in " + database_->describe() + ": "));
}

}  // namespace
}  // namespace tidemark::state
