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

constexpr const char* kRunId = "01a22c7e-4c01-799f-ba5d-adcff525d3d8";

TEST_P(RunRecordsTest, ARunIsRecordedAsMeltanoRecordsIt) {
  const auto run = records_.start("dev:a-to-b", kRunId);
  EXPECT_EQ(column("state"), "RUNNING");
  EXPECT_EQ(column("run_id"), is_sqlite() ? "01a22c7e4c01799fba5dadcff525d3d8" : kRunId);
  EXPECT_EQ(column("payload"), "{}");
  EXPECT_EQ(column("payload_flags"), "0");
  EXPECT_EQ(column("started_at"), column("last_heartbeat_at"));
  EXPECT_EQ(column("ended_at"), "NULL");
  EXPECT_EQ(column("trigger"), "cli");

  clock_.advance(1s);
  run->beat();
  EXPECT_THAT(column("last_heartbeat_at"), HasSubstr("12:47:08.408"));
  run->note_state(json::read(R"({"bookmarks": {"users": {"id": 1.0}}})"),
                  PayloadFlags::kIncompleteState);
  run->note_state(json::read(R"({"bookmarks": {"users": {"id": 2.0}}})"), PayloadFlags::kState);
  EXPECT_EQ(column("payload"), R"({"singer_state": {"bookmarks": {"users": {"id": 2.0}}}})");
  EXPECT_EQ(column("payload_flags"), "2") << "they only grow";

  clock_.advance(1s);
  run->succeed();
  EXPECT_EQ(column("state"), "SUCCESS");
  EXPECT_THAT(column("ended_at"), HasSubstr("12:47:09.408"));
  EXPECT_EQ(column("payload"), R"({"singer_state": {"bookmarks": {"users": {"id": 2.0}}}})");
}

TEST_P(RunRecordsTest, AFailedRunKeepsItsStateAndSaysWhy) {
  const auto run = records_.start("dev:a-to-b", kRunId);
  run->note_state(json::read(R"({"bookmarks": {"users": {"id": 4}}})"), PayloadFlags::kState);
  run->fail("The process was terminated");
  EXPECT_EQ(column("state"), "FAIL");
  EXPECT_EQ(column("payload"), R"({"singer_state": {"bookmarks": {"users": {"id": 4}}}, )"
                               R"("error": "The process was terminated"})");
}

TEST_P(RunRecordsTest, ARunWithoutHeartbeatIsFailedAfterMeltanosTimes) {
  const auto beating = records_.start("a", kRunId);
  const auto silent = records_.start("a", "01a22c7e-4c01-799f-ba5d-adcff525d3d9");
  place_.connect()->run_script("UPDATE runs SET last_heartbeat_at = NULL WHERE id = 2");
  const Time start = clock_.now();
  clock_.advance(5min - 1s);
  EXPECT_THAT(records_.fail_stale("a", {}), ElementsAre());
  clock_.advance(1s);
  EXPECT_THAT(records_.fail_stale("b", {}), ElementsAre()) << "another ID";
  EXPECT_THAT(records_.fail_stale("a", {}),
              ElementsAre(StaleRun{start,
                                   "No heartbeat recorded for 5 minutes. The process was likely "
                                   "killed unceremoniously."}));
  clock_.advance(24h);
  EXPECT_THAT(records_.fail_stale("a", {}),
              ElementsAre(StaleRun{start,
                                   "Still running after 24 hours. The process was likely killed "
                                   "unceremoniously."}));
  EXPECT_THAT(texts(*place_.connect(), "SELECT state FROM runs"), ElementsAre("FAIL", "FAIL"));
  EXPECT_EQ(column("payload"),
            R"({"error": "No heartbeat recorded for 5 minutes. The process was likely killed )"
            R"(unceremoniously."})");
}

TEST_P(RunRecordsTest, ARunWhoseLeaseWasLeftBehindIsFailedAtOnce) {
  const auto killed = records_.start("a", kRunId);
  const auto other = records_.start("a", "01a22c7e-4c01-799f-ba5d-adcff525d3d9");
  const auto stale = records_.fail_stale("a", {"", kRunId});
  ASSERT_EQ(stale.size(), 1U);
  EXPECT_THAT(stale.front().error, HasSubstr("left its lease behind"));
  EXPECT_EQ(records_.find_running("a")->run_id, "01a22c7e-4c01-799f-ba5d-adcff525d3d9");
}

TEST_P(RunRecordsTest, TheNewestRunThatIsRunningIsFound) {
  EXPECT_EQ(records_.find_running("a"), std::nullopt);
  EXPECT_THAT(records_.fail_stale("a", {}), ElementsAre());
  if (is_sqlite()) {
    EXPECT_FALSE(os::path_exists(place_.file())) << "looking makes nothing";
  }
  const auto first = records_.start("a", kRunId);
  clock_.advance(1s);
  const auto second = records_.start("a", "01a22c7e-4c01-799f-ba5d-adcff525d3d9");
  const auto running = records_.find_running("a");
  ASSERT_TRUE(running);
  EXPECT_EQ(*running, (RunningRow{.run_id = "01a22c7e-4c01-799f-ba5d-adcff525d3d9",
                                  .started_at = clock_.now(),
                                  .last_heartbeat_at = clock_.now()}));
  EXPECT_EQ(running->stale_at(), clock_.now() + 5min);
  second->succeed();
  EXPECT_EQ(records_.find_running("a")->run_id, kRunId);
}

}  // namespace
}  // namespace tidemark::state
