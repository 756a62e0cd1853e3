#include "tidemark/pipeline/pipeline.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/os/files.h"
#include "tidemark/pipeline/pipeline_fixture.h"

namespace tidemark::pipeline {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using destination::Access;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(PipelineTest, LoadsRowsStateAndSchemaTogether) {
  const auto loads = run(service(kDay1));
  ASSERT_EQ(loads.size(), 1U);
  EXPECT_EQ(info::total(loads[0].row_counts), 6U);  // 2 orders, 3 tags, 1 state
  EXPECT_TRUE(loads[0].first_run);
  EXPECT_THAT(ask("select id, ts from orders order by id"), ElementsAre("1|5", "2|9"));
  EXPECT_THAT(ask("select value from orders__tags order by 1"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(ask("select status, schema_name from _dlt_loads"), ElementsAre("0|orders"));
  EXPECT_THAT(ask("select version, pipeline_name from _dlt_pipeline_state"),
              ElementsAre("1|orders_pipeline"));
  EXPECT_THAT(ask("select count(*) from _dlt_version"), ElementsAre("1"));
  EXPECT_EQ(cursor(), "9");
  EXPECT_EQ(look()->packages(workdir::PackageStage::kLoaded).size(), 1U);
}

TEST_F(PipelineTest, LeavesEverythingAsItIsWhenNothingIsNew) {
  run(service(kDay1));
  const auto before = json::write(look()->read_state()->synchronised_part());
  for (int i = 0; i < 3; ++i) {
    const auto loads = run(service(kDay1));
    EXPECT_TRUE(loads.back().is_empty());
  }
  EXPECT_EQ(json::write(look()->read_state()->synchronised_part()), before);
  EXPECT_THAT(ask("select count(*) from _dlt_pipeline_state"), ElementsAre("1"));
  EXPECT_THAT(ask("select count(*) from _dlt_version"), ElementsAre("1"));
  EXPECT_THAT(ask("select count(*) from _dlt_loads"), ElementsAre("1"));
  EXPECT_EQ(look()->packages(workdir::PackageStage::kLoaded).size(), 1U);
}

TEST_F(PipelineTest, RefusesASchemaWhoseContractItWouldBreak) {
  run(service(kDay1));
  {
    const auto directory =
        workdir::WorkingDirectory::open(disk_ / "pipelines", "orders_pipeline",
                                        workdir::WorkingDirectory::Access::kWrite, clock_, random_);
    json::Object document = directory->read_schema("orders")->document();
    document.find("settings")
        ->as_object()
        .set("schema_contract", json::Object{{"columns", "freeze"}});
    directory->write_schema(schema::Schema::from_json(std::move(document), false));
  }
  try {
    run(service(kDay2));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(error.message(), HasSubstr("schema orders has a schema contract"));
  }
  EXPECT_THAT(ask("select id, ts from orders order by id"), ElementsAre("1|5", "2|9"));
}

TEST_F(PipelineTest, MergesWhatChangedWithItsChildren) {
  run(service(kDay1));
  run(service(kDay2));
  EXPECT_THAT(ask("select id, ts from orders order by id"), ElementsAre("1|12", "2|9", "3|11"));
  EXPECT_THAT(ask("select o.id, t.value from orders o join orders__tags t "
                  "on t._dlt_parent_id = o._dlt_id order by 1"),
              ElementsAre("1|z", "2|c"));
  EXPECT_EQ(cursor(), "12");
}

TEST_F(PipelineTest, CarriesOnFromTheDestinationOnAnEmptyDisk) {
  run(service(kDay1, append_options()));
  std::filesystem::remove_all(work());
  const auto loads = run(service(kDay2, append_options()));
  EXPECT_FALSE(loads.back().is_empty());
  // The row at the boundary was read again and left out.
  EXPECT_THAT(ask("select id, ts from orders order by id, ts"),
              ElementsAre("1|5", "1|12", "2|9", "3|11"));
  EXPECT_THAT(ask("select count(distinct version_hash) from _dlt_version"), ElementsAre("1"));
  EXPECT_EQ(cursor(), "12");
}

TEST_F(PipelineTest, KeepsThePackageAndTheOldCursorWhenALoadFails) {
  run(service(kDay1, append_options()));
  destination_->fail_at = FaultyDestination::Point::kLoad;
  EXPECT_THROW(run(service(kDay2, append_options())), Error);
  EXPECT_EQ(cursor(), "9");
  EXPECT_EQ(look()->packages(workdir::PackageStage::kNormalized).size(), 1U);
  EXPECT_THAT(ask("select count(*) from orders"), ElementsAre("2"));

  destination_->fail_at = FaultyDestination::Point::kNowhere;
  const auto loads = run(service({R"({"id":4,"ts":20})", R"({"id":1,"ts":12})"}, append_options()));
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_THAT(ask("select id, ts from orders order by id, ts"),
              ElementsAre("1|5", "1|12", "2|9", "3|11", "4|20"));
  EXPECT_EQ(cursor(), "20");
}

TEST_F(PipelineTest, TriesAgainWhatFailsForAWhile) {
  destination_->fail_at = FaultyDestination::Point::kLoad;
  destination_->code = ErrorCode::kUnavailable;
  destination_->max_failures = 2;
  run(service(kDay1, append_options()));
  EXPECT_EQ(destination_->failures, 2);
  EXPECT_THAT(ask("select count(*) from orders"), ElementsAre("2"));
}

TEST_F(PipelineTest, WhatGoesOnFailingIsPutOffAndNotedAsTransient) {
  destination_->fail_at = FaultyDestination::Point::kLoad;
  destination_->code = ErrorCode::kTimeout;
  PipelineOptions patient = options();
  patient.raise_on_failed_jobs = false;
  EXPECT_THROW(Pipeline(patient, runtime()).run(service(kDay1, append_options())), Error);
  EXPECT_EQ(destination_->failures, 5);
  const auto pending = look()->packages(workdir::PackageStage::kNormalized);
  ASSERT_EQ(pending.size(), 1U);
  EXPECT_EQ(look()->package_info(pending[0]).count_retried_jobs(), 1U);
  const auto package = work() / "load/normalized" / pending[0];
  size_t notes = 0;
  for (const auto& note : std::filesystem::directory_iterator(package / ".exceptions")) {
    EXPECT_THAT(os::read_file(note.path()), ::testing::StartsWith("retry: transient\n"));
    ++notes;
  }
  EXPECT_EQ(notes, 1U);

  destination_->fail_at = FaultyDestination::Point::kNowhere;
  Pipeline(patient, runtime()).retry();
  EXPECT_THAT(ask("select count(*) from orders"), ElementsAre("2"));
}

// Stopped at every point of a load, the next run ends with each row once and the cursor at the last
// of them.
TEST_F(PipelineTest, LosesAndDoublesNothingWhereverALoadStops) {
  for (const FaultyDestination::Point point : FaultyDestination::kPoints) {
    std::filesystem::remove_all(disk_ / "pipelines");
    std::filesystem::remove(disk_ / "data.duckdb");
    run(service(kDay1, append_options()));
    destination_->fail_at = point;
    EXPECT_THROW(run(service(kDay2, append_options())), Error) << static_cast<int>(point);
    destination_->fail_at = FaultyDestination::Point::kNowhere;
    run(service(kDay2, append_options()));
    EXPECT_THAT(ask("select id, ts from orders order by id, ts"),
                ElementsAre("1|5", "1|12", "2|9", "3|11"))
        << static_cast<int>(point);
    EXPECT_THAT(ask("select count(*), count(distinct load_id) from _dlt_loads"), ElementsAre("2|2"))
        << static_cast<int>(point);
    EXPECT_EQ(cursor(), "12");
    EXPECT_THAT(look()->packages(workdir::PackageStage::kNormalized), IsEmpty());
  }
}

TEST_F(PipelineTest, PutsTheCursorBackWhenPackagesAreGivenUp) {
  run(service(kDay1, append_options()));
  destination_->fail_at = FaultyDestination::Point::kLoad;
  EXPECT_THROW(run(service(kDay2, append_options())), Error);
  destination_->fail_at = FaultyDestination::Point::kNowhere;
  EXPECT_EQ(Pipeline(options(), runtime()).abort_packages().size(), 1U);
  EXPECT_EQ(cursor(), "9");
  EXPECT_THAT(look()->packages(workdir::PackageStage::kNormalized), IsEmpty());
  run(service(kDay2, append_options()));
  EXPECT_THAT(ask("select id, ts from orders order by id, ts"),
              ElementsAre("1|5", "1|12", "2|9", "3|11"));
}

TEST_F(PipelineTest, AWindowIsReadAgainAndMovesNoCursor) {
  run(service(kDay1, append_options()));
  const std::vector<std::string> rows = {R"({"id":5,"ts":4})", R"({"id":6,"ts":5})",
                                         R"({"id":7,"ts":8})", R"({"id":8,"ts":9})",
                                         R"({"id":9,"ts":20})"};
  const RunOptions window{.window = source::CursorWindow{"5", "9"}};
  const auto loads = Pipeline(options(), runtime()).run(service(rows, append_options()), window);
  EXPECT_THAT(ask("select id from orders order by id"), ElementsAre("1", "2", "6", "7"));
  EXPECT_EQ(cursor(), "9");
  // Rows only: the state is the one that is there.
  EXPECT_THAT(ask("select count(*) from _dlt_pipeline_state"), ElementsAre("1"));
  run(service(rows, append_options()));
  EXPECT_THAT(ask("select id from orders order by id"), ElementsAre("1", "2", "6", "7", "8", "9"));
  EXPECT_EQ(cursor(), "20");
}

TEST_F(PipelineTest, AWindowNeedsACursor) {
  run(service(kDay1));
  const Source without("orders", {Resource(append_options(), [](Extraction& x) {
                         const std::string row = R"({"id":1})";
                         x.yield(json::Page::texts(std::make_shared<const json::Buffer>(row),
                                                   {{0, row.size(), 1}}, "service"));
                       })});
  try {
    Pipeline(options(), runtime()).run(without, {.window = source::CursorWindow{"5", "9"}});
    FAIL() << "the resource was read as a whole";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("orders: it has no cursor"));
  }
  EXPECT_THAT(ask("select count(*) from orders"), ElementsAre("2"));
}

TEST_F(PipelineTest, ChangesNothingWhenAResourceFails) {
  run(service(kDay1));
  const Source failing("orders", {Resource(merge_options(), [](Extraction& x) {
                         x.resource_state().set("mark", 1);
                         throw Error(ErrorCode::kUnavailable, "service is down");
                       })});
  try {
    run(failing);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("step extract: resource orders: service is down"));
  }
  EXPECT_EQ(cursor(), "9");
  EXPECT_THAT(look()->packages(workdir::PackageStage::kNormalized), IsEmpty());
  EXPECT_THAT(look()->packages(workdir::PackageStage::kNew), IsEmpty());
}

TEST_F(PipelineTest, EmptiesAReplacedTableWhenNothingComes) {
  ResourceOptions replace = merge_options();
  replace.write_disposition = WriteDisposition::kReplace;
  run(service(kDay1, replace));
  EXPECT_THAT(ask("select count(*) from orders__tags"), ElementsAre("3"));
  run(service({}, replace));
  EXPECT_THAT(ask("select count(*) from orders"), ElementsAre("0"));
  EXPECT_THAT(ask("select count(*) from orders__tags"), ElementsAre("0"));
}

TEST_F(PipelineTest, SaysThatAMergeWithoutKeysAppended) {
  const auto loads =
      run(service(kDay1, {.name = "orders", .write_disposition = WriteDisposition::kMerge}));
  EXPECT_THAT(loads.back().warnings, ElementsAre(HasSubstr("table orders: it has neither")));
}

TEST_F(PipelineTest, CountsDecimalsThatWereRounded) {
  ResourceOptions orders = append_options();
  orders.columns.set("price", json::Object{{"data_type", "decimal"}, {"scale", 2}});
  const auto loads = run(service({R"({"id":1,"ts":5,"price":1.2345})"}, orders));
  EXPECT_EQ(loads.back().losses.rounded_decimals, 1U);
}

TEST_F(PipelineTest, KeepsTwoPipelinesOfOneDatasetApart) {
  Pipeline(options("p1"), runtime()).run(service({R"({"id":1,"ts":1})"}));
  Pipeline(options("p2"), runtime()).run(service({R"({"id":2,"ts":7})"}));
  std::filesystem::remove_all(disk_ / "pipelines");
  Pipeline(options("p1"), runtime()).sync();
  Pipeline(options("p2"), runtime()).sync();
  EXPECT_EQ(cursor("p1"), "1");
  EXPECT_EQ(cursor("p2"), "7");
}

TEST_F(PipelineTest, LetsAnExplicitDatasetWinOverTheRestoredOne) {
  run(service(kDay1));
  PipelineOptions other = options();
  other.dataset = "other";
  Pipeline(other, runtime()).run(service(kDay1));
  EXPECT_THAT(ask("select count(*) from orders"), ElementsAre("2"));
  EXPECT_THAT(ask_in(*inner_, "other", "select count(*) from orders"), ElementsAre("2"));
}

TEST_F(PipelineTest, IsRunByOneAtATime) {
  Pipeline holder(options(), runtime());
  try {
    Pipeline second(options(), runtime());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kLocked);
  }
}

TEST_F(PipelineTest, RefusesAnotherDatabaseThanTheOneItLoadedTo) {
  run(service(kDay1));
  ASSERT_TRUE(Pipeline(options(), runtime()).sync());
  PipelineOptions moved = options();
  moved.destination = destination::make_duckdb({.path = disk_ / "elsewhere.duckdb"});
  try {
    Pipeline pipeline(moved, runtime());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_THAT(error.message(), HasSubstr("elsewhere.duckdb"));
  }
}

TEST_F(PipelineTest, WritesDownWhatEachStepDid) {
  run(service(kDay1));
  const auto trace = look()->read_trace();
  ASSERT_TRUE(trace);
  std::vector<std::string> steps;
  for (const info::StepTrace& step : trace->steps) steps.emplace_back(to_string(step.step));
  EXPECT_THAT(steps, ElementsAre("sync", "extract", "normalize", "load", "run"));
  ASSERT_NE(trace->last_normalize_info(), nullptr);
  EXPECT_EQ(info::total(trace->last_normalize_info()->row_counts()), 6U);
}

TEST_F(PipelineTest, DropsAResourceWithItsTablesAndCursor) {
  run(service(kDay1));
  Pipeline pipeline(options(), runtime());
  DropSelection selection;
  selection.resources = {"orders"};
  EXPECT_FALSE(pipeline.drop(selection, "", [](const DropPlan&) { return false; }));
  EXPECT_THAT(ask("select count(*) from orders"), ElementsAre("2"));
  EXPECT_TRUE(pipeline.drop(selection, "", [](const DropPlan&) { return true; }));
  EXPECT_EQ(cursor(), "none");
  EXPECT_THAT(ask("select count(*) from information_schema.tables where table_schema = 'data' and "
                  "table_name like 'orders%'"),
              ElementsAre("0"));
  pipeline.run(service(kDay1));
  EXPECT_THAT(ask("select count(*) from orders"), ElementsAre("2"));
}

TEST_F(PipelineTest, StartsTheSelectedResourcesAnewUnderARefresh) {
  run(service(kDay1, append_options()));
  for (const Refresh refresh :
       {Refresh::kDropData, Refresh::kDropResources, Refresh::kDropSources}) {
    Pipeline(options(), runtime()).run(service(kDay1, append_options()), {.refresh = refresh});
    EXPECT_THAT(ask("select id, ts from orders order by id"), ElementsAre("1|5", "2|9"))
        << static_cast<int>(refresh);
    EXPECT_EQ(cursor(), "9");
  }
}

}  // namespace
}  // namespace tidemark::pipeline
