#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/workdir/testing.h"
#include "tidemark/workdir/working_directory.h"

// Directories that dlt 1.31 left behind. Empty folders are missing, as after a checkout.

namespace tidemark::workdir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DltDirectory : public ::testing::Test {
 protected:
  std::unique_ptr<WorkingDirectory> open(const std::string& scenario, const std::string& pipeline) {
    std::filesystem::copy(os::Path(TIDEMARK_GOLDEN_DIR "/dlt") / scenario / "pipelines",
                          directory_.path(), std::filesystem::copy_options::recursive);
    root_ = directory_ / pipeline;
    return WorkingDirectory::open(directory_.path(), pipeline, WorkingDirectory::Access::kWrite,
                                  clock_, random_);
  }

  os::TempDirectory directory_;
  os::Path root_;
  ManualClock clock_{testing::kNow};
  SystemRandom random_;
};

TEST_F(DltDirectory, OfACompletedRunIsRead) {
  auto directory = open("tiny_takeover", "tiny_pipeline");
  std::optional<state::PipelineState> state = directory->read_state();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->version(), 1);
  EXPECT_EQ(state->content_hash(), state->version_hash());
  EXPECT_EQ(state->cursors().at(0).path, "ts");
  EXPECT_TRUE(directory->read_schema("tiny"));
  ASSERT_THAT(directory->packages(PackageStage::kLoaded), ElementsAre("1796042286.432571"));
  info::LoadPackageInfo info = directory->package_info("1796042286.432571");
  EXPECT_EQ(info.state, info::PackageState::kLoaded);
  EXPECT_EQ(info.schema_name, "tiny");
  EXPECT_EQ(info.schema_update.size(), 6u);
  EXPECT_EQ(info.count_jobs(info::JobState::kCompleted), 4u);
  EXPECT_EQ(info.jobs[0].file_size, 616u);
}

TEST_F(DltDirectory, IsLeftAsItWasByOpening) {
  auto directory = open("tiny_takeover", "tiny_pipeline");
  std::set<std::string> names = testing::tree(root_);
  std::erase_if(names, [](const std::string& name) { return name.starts_with(".tidemark"); });
  EXPECT_EQ(names, testing::tree(TIDEMARK_GOLDEN_DIR "/dlt/tiny_takeover/pipelines/tiny_pipeline"));
}

TEST_F(DltDirectory, StateAndSchemaAreWrittenByteForByte) {
  auto directory = open("tiny_takeover", "tiny_pipeline");
  std::string state = os::read_file(root_ / "state.json");
  std::string schema = os::read_file(root_ / "schemas/tiny.schema.json");
  directory->write_state(*directory->read_state());
  directory->write_schema(*directory->read_schema("tiny"));
  EXPECT_EQ(os::read_file(root_ / "state.json"), state);
  EXPECT_EQ(os::read_file(root_ / "schemas/tiny.schema.json"), schema);
}

TEST_F(DltDirectory, PendingPackageIsReadForLoading) {
  auto directory = open("stages_pending", "stages_pipeline");
  ASSERT_THAT(directory->packages(PackageStage::kNormalized), ElementsAre("1796042233.6052744"));
  ASSERT_THAT(directory->packages(PackageStage::kExtracted), ElementsAre("1796042234.6448498"));
  SealedPackage sealed = directory->read_sealed("1796042233.6052744");
  ASSERT_EQ(sealed.jobs.size(), 2u);
  EXPECT_EQ(sealed.jobs[0].table, "_dlt_pipeline_state");
  EXPECT_EQ(sealed.jobs[1].format, "insert_values");
  EXPECT_GT(sealed.jobs[1].bytes, 0u);
  EXPECT_THAT(sealed.content.parts, IsEmpty());
  EXPECT_TRUE(sealed.content.pipeline_state);
  EXPECT_EQ(sealed.content.schema.name(), "stages");
}

TEST_F(DltDirectory, CompletedJobsOfAPackageAreLeftOut) {
  auto directory = open("stages_pending", "stages_pipeline");
  os::Path package = root_ / "load/normalized/1796042233.6052744";
  std::string done = "_dlt_pipeline_state.8e1f96da0f.0.insert_values.gz";
  std::string noted = "orders.774c89a657.0.insert_values.gz";
  os::make_directories(package / "completed_jobs");
  os::make_directories(package / "started_jobs");
  os::make_directories(package / ".pending_transitions");
  os::move_file(package / "new_jobs" / done, package / "completed_jobs" / done);
  os::move_file(package / "new_jobs" / noted, package / "started_jobs" / noted);
  EXPECT_EQ(directory->read_sealed("1796042233.6052744").jobs.size(), 1u);
  os::write_new_file(package / ".pending_transitions" / noted,
                     R"({"state":"completed","failed_message":null})");
  EXPECT_THAT(directory->read_sealed("1796042233.6052744").jobs, IsEmpty());
}

TEST_F(DltDirectory, AbortDoesWhatDltsAbortDoes) {
  auto directory = open("stages_pending", "stages_pipeline");
  os::Path package = root_ / "load/normalized/1796042233.6052744";
  std::string before = os::read_file(package / ".restore/state.json");
  EXPECT_TRUE(directory->abort_package("1796042233.6052744"));
  EXPECT_EQ(os::read_file(root_ / "state.json"), before);
  EXPECT_THAT(directory->packages(PackageStage::kExtracted), IsEmpty());
  EXPECT_THAT(directory->packages(PackageStage::kNormalized), IsEmpty());
  info::LoadPackageInfo info = directory->package_info("1796042233.6052744");
  EXPECT_EQ(info.state, info::PackageState::kAborted);
  // Jobs that were never tried stay where they are.
  EXPECT_EQ(info.count_jobs(info::JobState::kNew), 2u);
}

TEST_F(DltDirectory, ExtractedPackageIsGivenUpWithoutARecord) {
  auto directory = open("stages_pending", "stages_pipeline");
  os::Path package = root_ / "normalize/extracted/1796042234.6448498";
  std::string before = os::read_file(package / ".restore/state.json");
  EXPECT_TRUE(directory->abort_package("1796042234.6448498"));
  EXPECT_EQ(os::read_file(root_ / "state.json"), before);
  EXPECT_THAT(directory->packages(PackageStage::kNormalized), ElementsAre("1796042233.6052744"));
  EXPECT_THAT(directory->packages(PackageStage::kExtracted), IsEmpty());
}

TEST_F(DltDirectory, CrashesOfDltAreRepaired) {
  auto directory = open("stages_pending", "stages_pipeline");
  // Renamed to normalized, the extracted package not yet removed: dlt is stuck here.
  std::filesystem::copy(root_ / "load/normalized/1796042233.6052744",
                        root_ / "normalize/extracted/1796042233.6052744",
                        std::filesystem::copy_options::recursive);
  // Marked as loaded, not yet moved: dlt is stuck here too.
  os::write_new_file(root_ / "load/normalized/1796042233.6052744/package_completed.json", "loaded");
  os::make_directories(root_ / "normalize/0123456789abcdef");
  directory.reset();
  directory = WorkingDirectory::open(directory_.path(), "stages_pipeline",
                                     WorkingDirectory::Access::kWrite, clock_, random_);
  EXPECT_THAT(directory->packages(PackageStage::kLoaded), ElementsAre("1796042233.6052744"));
  EXPECT_THAT(directory->packages(PackageStage::kNormalized), IsEmpty());
  EXPECT_THAT(directory->packages(PackageStage::kExtracted), ElementsAre("1796042234.6448498"));
  EXPECT_TRUE(os::path_exists(root_ / "normalize/0123456789abcdef"));
}

}  // namespace
}  // namespace tidemark::workdir
