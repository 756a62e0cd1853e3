#include "tidemark/workdir/working_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/workdir/testing.h"

namespace tidemark::workdir {
namespace {

using ::testing::ElementsAre;
using testing::fresh_state;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::seal_package;
using testing::Shop;
using testing::shop_schema;
using testing::tree;

template <typename Call>
ErrorCode code_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::kInternal;
}

class WorkingDirectoryTest : public ::testing::Test {
 protected:
  WorkingDirectoryTest() : directory_(shop_.open()) { directory_->write_state(fresh_state()); }

  os::Path package(PackageStage stage, const std::string& id) const {
    const char* folder = stage == PackageStage::kLoaded ? "load/loaded" : "load/normalized";
    return shop_.root() / folder / id;
  }

  Shop shop_;
  std::unique_ptr<WorkingDirectory> directory_;
};

TEST_F(WorkingDirectoryTest, SecondWriterIsToldWhoHoldsIt) {
  try {
    shop_.open();
    ADD_FAILURE() << "was opened twice";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kLocked);
    EXPECT_THAT(error.message(), HasSubstr("pid"));
    EXPECT_THAT(error.message(), HasSubstr("since 2026-11-30T11:30:12"));
  }
  EXPECT_NO_THROW(shop_.open(WorkingDirectory::Access::kRead));
  directory_.reset();
  EXPECT_NO_THROW(shop_.open());
}

TEST_F(WorkingDirectoryTest, ReadingWhatIsMissingMakesNothing) {
  os::TempDirectory empty;
  EXPECT_EQ(code_of([&] {
              WorkingDirectory::open(empty.path(), "shop", WorkingDirectory::Access::kRead,
                                     shop_.clock, shop_.random);
            }),
            ErrorCode::kNotFound);
  EXPECT_THAT(tree(empty.path()), IsEmpty());
}

TEST_F(WorkingDirectoryTest, RefusesNamesThatDltRefuses) {
  for (const char* name : {"", "a.b", "a/b", "..", "a%b", "a{b}", "a:b", "a\nb"}) {
    EXPECT_EQ(code_of([&] {
                WorkingDirectory::open(shop_.directory.path(), name,
                                       WorkingDirectory::Access::kWrite, shop_.clock, shop_.random);
              }),
              ErrorCode::kInvalid)
        << name;
  }
}

TEST_F(WorkingDirectoryTest, KeepsStateAndSchemas) {
  state::PipelineState state = fresh_state();
  state.resource_state("shop", "orders").set("n", 1);
  directory_->write_state(state);
  directory_->write_schema(shop_schema());
  EXPECT_EQ(directory_->read_state(), state);
  EXPECT_EQ(directory_->read_schema("shop"), shop_schema());
  EXPECT_EQ(directory_->read_schema("other"), std::nullopt);
  EXPECT_THAT(tree(shop_.root() / "schemas"), ElementsAre("shop.schema.json"));
}

TEST_F(WorkingDirectoryTest, RefusesASchemaThatWasEditedByHand) {
  json::Object edited = shop_schema().document();
  edited.set("name", "shop");
  edited["tables"].as_object().erase("orders");
  os::make_directories(shop_.root() / "schemas");
  os::write_new_file(shop_.root() / "schemas/shop.schema.json", json::write(edited));
  EXPECT_EQ(code_of([&] { directory_->read_schema("shop"); }), ErrorCode::kCorrupt);
}

TEST_F(WorkingDirectoryTest, TraceReplacesThatOfDlt) {
  os::write_new_file(shop_.root() / "trace.pickle", "old");
  EXPECT_EQ(directory_->read_trace(), std::nullopt);
  info::Trace trace;
  trace.transaction_id = "abc";
  directory_->write_trace(trace);
  EXPECT_EQ(directory_->read_trace(), trace);
  EXPECT_FALSE(os::path_exists(shop_.root() / "trace.pickle"));
}

TEST_F(WorkingDirectoryTest, LoadIdsRiseAboveEveryOneKnown) {
  std::string first = directory_->new_load_id(std::nullopt);
  std::string second = directory_->new_load_id(std::nullopt);
  EXPECT_LT(first, second);
  EXPECT_LT("1796038999.5", directory_->new_load_id("1796038999.5"));
  std::filesystem::create_directories(shop_.root() / "load/loaded/1796039999.25");
  EXPECT_LT("1796039999.25", directory_->new_load_id("no id"));
}

TEST_F(WorkingDirectoryTest, NoPackageWithoutAState) {
  os::remove_file(shop_.root() / "state.json");
  EXPECT_THROW(directory_->begin_package("1.5"), Error);
}

TEST_F(WorkingDirectoryTest, SealedPackageHasTheFilesOfDlts) {
  state::PipelineState state = fresh_state();
  state.add_schema_name("shop");
  directory_->write_state(state);
  directory_->write_schema(shop_schema());
  std::string id = seal_package(*directory_);
  EXPECT_THAT(tree(package(PackageStage::kNormalized, id)),
              ElementsAre(".exceptions/", ".pending_transitions/", ".restore/", ".restore/schemas/",
                          ".restore/schemas/shop.schema.json", ".restore/state.json",
                          "completed_jobs/", "failed_jobs/", "load_package_state.json", "new_jobs/",
                          "new_jobs/orders.0123456789.0.columns", "schema.json",
                          "schema_updates.json", "started_jobs/"));
  EXPECT_EQ(os::read_file(shop_.root() / "load/.version"), "1.0.0");
  EXPECT_THAT(directory_->packages(PackageStage::kNormalized), ElementsAre(id));
  EXPECT_THAT(directory_->packages(PackageStage::kNew), IsEmpty());
}

TEST_F(WorkingDirectoryTest, PackageStateIsVersionedAsDltDoesIt) {
  std::string id = seal_package(*directory_);
  json::Value state =
      json::read(os::read_file(package(PackageStage::kNormalized, id) / "load_package_state.json"));
  EXPECT_EQ(state.find("_state_version")->as_int64(), 1);
  EXPECT_EQ(state.find("_state_engine_version")->as_int64(), 1);
  EXPECT_EQ(state.find("created_at")->as_string(),
            "\xEF\x80\xA7"
            "2026-11-30T11:30:12.267203+00:00");
  EXPECT_EQ(json::write(*state.find("pipeline_state")), R"({"version":1,"state":"e30="})");
}

TEST_F(WorkingDirectoryTest, SealedPackageIsReadBack) {
  std::string id = seal_package(*directory_, {"orders", "orders__lines"});
  SealedPackage sealed = directory_->read_sealed(id);
  EXPECT_EQ(sealed.content.schema, shop_schema());
  EXPECT_EQ(sealed.content.losses.variant_columns, 1u);
  EXPECT_EQ(sealed.content.state, (json::Object{{"pipeline_name", "shop"}}));
  EXPECT_TRUE(sealed.content.schema_updates.contains("orders"));
  ASSERT_EQ(sealed.jobs.size(), 2u);
  EXPECT_EQ(sealed.jobs[0].table, "orders");
  EXPECT_EQ(sealed.jobs[0].format, kPartFormat);
  EXPECT_EQ(sealed.jobs[0].rows, 3u);
  EXPECT_EQ(sealed.jobs[1].bytes, std::filesystem::file_size(sealed.jobs[1].file));
}

TEST_F(WorkingDirectoryTest, NoticesPartsThatAreNotTheSealedOnes) {
  std::string id = seal_package(*directory_);
  os::Path jobs = package(PackageStage::kNormalized, id) / "new_jobs";
  os::remove_file(jobs / "orders.0123456789.0.columns");
  EXPECT_EQ(code_of([&] { directory_->read_sealed(id); }), ErrorCode::kCorrupt);
  testing::write_part(jobs, "orders", 4);
  EXPECT_EQ(code_of([&] { directory_->read_sealed(id); }), ErrorCode::kCorrupt);
}

TEST_F(WorkingDirectoryTest, PackageThatIsNotSealedGoesAway) {
  {
    auto package = directory_->begin_package("1.5");
    testing::write_part(package->job_directory(), "orders", 3);
    EXPECT_THAT(directory_->packages(PackageStage::kNew), ElementsAre("1.5"));
  }
  EXPECT_THAT(directory_->packages(PackageStage::kNew), IsEmpty());
}

TEST_F(WorkingDirectoryTest, CompletedPackageKeepsTheNamesOfItsJobs) {
  std::string id = seal_package(*directory_);
  CompletedLoad load;
  load.applied_schema_updates = {{"orders", json::Object()}};
  load.load_metrics = {{"orders.0123456789.columns", json::Object()}};
  directory_->complete_package(id, load);
  os::Path path = package(PackageStage::kLoaded, id);
  EXPECT_THAT(tree(path),
              ElementsAre(".exceptions/", ".pending_transitions/", ".restore/",
                          ".restore/state.json", "applied_schema_updates.json", "completed_jobs/",
                          "completed_jobs/orders.0123456789.0.columns", "failed_jobs/",
                          "load_package_state.json", "new_jobs/", "package_completed.json",
                          "schema.json", "started_jobs/"));
  EXPECT_EQ(os::read_file(path / "package_completed.json"), "loaded");
  EXPECT_EQ(std::filesystem::file_size(path / "completed_jobs/orders.0123456789.0.columns"), 0u);
  EXPECT_THAT(directory_->packages(PackageStage::kNormalized), IsEmpty());
}

TEST_F(WorkingDirectoryTest, InfoOfALoadedPackageKnowsTheSizesOfItsParts) {
  std::string id = seal_package(*directory_);
  uint64_t bytes = directory_->read_sealed(id).jobs[0].bytes;
  EXPECT_EQ(directory_->package_info(id).state, info::PackageState::kNormalized);
  directory_->complete_package(id, {});
  info::LoadPackageInfo info = directory_->package_info(id);
  EXPECT_EQ(info.state, info::PackageState::kLoaded);
  EXPECT_EQ(info.schema_name, "shop");
  EXPECT_EQ(info.schema_hash, shop_schema().version_hash());
  EXPECT_TRUE(info.completed_at);
  ASSERT_EQ(info.jobs.size(), 1u);
  EXPECT_EQ(info.jobs[0].file_size, bytes);
  EXPECT_EQ(code_of([&] { directory_->package_info("7.5"); }), ErrorCode::kNotFound);
}

TEST_F(WorkingDirectoryTest, KeepsTheNewestLoadedPackages) {
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(seal_package(*directory_));
    directory_->complete_package(ids.back(), {}, {.loaded = 2});
  }
  EXPECT_THAT(directory_->packages(PackageStage::kLoaded), ElementsAre(ids[2], ids[3]));
  EXPECT_EQ(os::list_directory(shop_.root() / ".tidemark/packages").size(), 2u);
}

TEST_F(WorkingDirectoryTest, FailedTablesKeepTheirFilesAndTheirText) {
  std::string id = seal_package(*directory_, {"bad", "good"});
  CompletedLoad load;
  load.failed_tables = {{"bad", "out of range"}};
  directory_->complete_package(id, load);
  info::LoadPackageInfo info = directory_->package_info(id);
  ASSERT_EQ(info.count_jobs(info::JobState::kFailed), 1u);
  EXPECT_EQ(info.jobs[1].failed_message, "out of range");
  EXPECT_GT(std::filesystem::file_size(info.jobs[1].file_path), 0u);
}

TEST_F(WorkingDirectoryTest, RowsOfFailedPackagesGoByNumberAndAgeTheirCursorsStay) {
  CompletedLoad load;
  load.failed_tables = {{"bad", "out of range"}};
  std::vector<std::string> ids;
  const auto size_of = [&](const std::string& id, const char* job) {
    return std::filesystem::file_size(package(PackageStage::kLoaded, id) / job);
  };
  const auto fail_one = [&](const Retention& retention) {
    ids.push_back(seal_package(*directory_, {"bad", "good"}));
    directory_->complete_package(ids.back(), load, retention);
  };
  for (int i = 0; i < 3; ++i) fail_one({.loaded = 1, .failed = 2});
  EXPECT_EQ(size_of(ids[0], "failed_jobs/bad.0123456789.0.columns"), 0u);
  EXPECT_EQ(size_of(ids[0], "completed_jobs/good.0123456789.0.columns"), 0u);
  EXPECT_GT(size_of(ids[1], "failed_jobs/bad.0123456789.0.columns"), 0u);

  shop_.clock.advance(std::chrono::hours(49));
  fail_one({.failed_age = std::chrono::hours(48)});
  EXPECT_EQ(size_of(ids[2], "failed_jobs/bad.0123456789.0.columns"), 0u);
  EXPECT_GT(size_of(ids[3], "failed_jobs/bad.0123456789.0.columns"), 0u);

  ids.push_back(seal_package(*directory_));
  directory_->complete_package(ids.back(), {}, {.loaded = 1});
  EXPECT_EQ(directory_->packages(PackageStage::kLoaded), ids);
  for (const std::string& id : ids) {
    EXPECT_TRUE(os::path_exists(package(PackageStage::kLoaded, id) / ".restore/state.json"));
    EXPECT_EQ(directory_->package_info(id).schema_name, "shop");
  }
}

TEST_F(WorkingDirectoryTest, NotedFailureCountsTheTries) {
  std::string id = seal_package(*directory_, {"bad", "good"});
  directory_->note_failure(id, "bad", FailureKind::kTerminal, "out of range\nrow 3");
  directory_->note_failure(id, "bad", FailureKind::kTransient, "busy");
  os::Path path = package(PackageStage::kNormalized, id);
  EXPECT_EQ(os::read_file(path / ".exceptions/bad.0123456789.0.exception"),
            "retry: terminal\nout of range\nrow 3");
  EXPECT_TRUE(os::path_exists(path / "new_jobs/bad.0123456789.2.columns"));
  EXPECT_TRUE(os::path_exists(path / "new_jobs/good.0123456789.0.columns"));
  info::LoadPackageInfo info = directory_->package_info(id);
  EXPECT_EQ(info.count_retried_jobs(), 1u);
  EXPECT_EQ(info.jobs[0].failed_message, "busy");
  EXPECT_EQ(directory_->read_sealed(id).jobs.size(), 2u);
}

TEST_F(WorkingDirectoryTest, TableNamesMayBeLongerThanFileNames) {
  std::string table = std::string(400, 'a');
  std::string id = seal_package(*directory_, {table});
  EXPECT_EQ(directory_->read_sealed(id).jobs.at(0).table, table);
  directory_->note_failure(id, table, FailureKind::kTransient, "busy");
  EXPECT_EQ(directory_->package_info(id).count_retried_jobs(), 1u);
  CompletedLoad load;
  load.failed_tables = {{table, "out of range"}};
  directory_->complete_package(id, load);
  EXPECT_EQ(directory_->package_info(id).count_jobs(info::JobState::kFailed), 1u);
}

TEST_F(WorkingDirectoryTest, AbortPutsStateAndSchemasBack) {
  state::PipelineState before = fresh_state();
  directory_->write_state(before);
  std::string older = seal_package(*directory_);
  std::string id = seal_package(*directory_);
  std::string newer = seal_package(*directory_);
  state::PipelineState after = before;
  after.source_state("shop").set("n", 1);
  directory_->write_state(after);
  directory_->write_schema(shop_schema());
  directory_->note_failure(id, "orders", FailureKind::kTerminal, "out of range");

  EXPECT_TRUE(directory_->abort_package(id));
  EXPECT_EQ(directory_->read_state(), before);
  EXPECT_EQ(directory_->read_schema("shop"), std::nullopt);
  EXPECT_THAT(directory_->packages(PackageStage::kNormalized), ElementsAre(older));
  info::LoadPackageInfo info = directory_->package_info(id);
  EXPECT_EQ(info.state, info::PackageState::kAborted);
  EXPECT_EQ(info.jobs.at(0).state, info::JobState::kFailed);
  EXPECT_EQ(info.jobs.at(0).failed_message, "out of range");
  json::Value state =
      json::read(os::read_file(package(PackageStage::kLoaded, id) / "load_package_state.json"));
  EXPECT_TRUE(state.find("abort_requested")->as_bool());
}

TEST_F(WorkingDirectoryTest, AbortWithoutARestorePointKeepsTheState) {
  std::string id = seal_package(*directory_);
  os::remove_tree(package(PackageStage::kNormalized, id) / ".restore");
  EXPECT_FALSE(directory_->abort_package(id));
  EXPECT_EQ(directory_->read_state(), fresh_state());
}

TEST_F(WorkingDirectoryTest, WipeLeavesOnlyWhatIsTidemarks) {
  seal_package(*directory_);
  directory_->write_schema(shop_schema());
  directory_->wipe();
  EXPECT_THAT(tree(shop_.root()),
              ElementsAre(".tidemark/", ".tidemark/lock", ".tidemark/packages/", ".tidemark/tmp/"));
}

TEST_F(WorkingDirectoryTest, RefusesTheDirectoryOfANewerDlt) {
  directory_.reset();
  os::make_directories(shop_.root() / "load");
  os::write_new_file(shop_.root() / "load/.version", "1.1.0");
  EXPECT_EQ(code_of([&] { shop_.open(); }), ErrorCode::kUnsupported);
}

TEST(ListPipelines, NewestRunFirst) {
  Shop shop;
  shop.open()->write_trace({});
  std::filesystem::create_directories(shop.directory / "never");
  os::write_new_file(shop.directory / "file", "");
  std::vector<PipelineEntry> pipelines = list_pipelines(shop.directory.path());
  ASSERT_EQ(pipelines.size(), 2u);
  EXPECT_EQ(pipelines[0].name, "shop");
  EXPECT_TRUE(pipelines[0].last_run);
  EXPECT_EQ(pipelines[1].name, "never");
  EXPECT_FALSE(pipelines[1].last_run);
  EXPECT_THAT(list_pipelines("/no/such/directory"), IsEmpty());
}

}  // namespace
}  // namespace tidemark::workdir
