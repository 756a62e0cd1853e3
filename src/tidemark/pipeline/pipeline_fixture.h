#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/destination/duckdb.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/os/files.h"
#include "tidemark/os/temp_directory.h"
#include "tidemark/pipeline/faulty_destination.h"
#include "tidemark/pipeline/pipeline.h"
#include "tidemark/workdir/working_directory.h"

// What the tests of pipelines share.
namespace tidemark::pipeline::testing {

using source::Extraction;
using source::IncrementalOptions;
using source::Resource;
using source::ResourceOptions;
using source::Source;
using source::WriteDisposition;

class NoWaiting final : public Sleeper {
 public:
  void sleep(std::chrono::milliseconds, const Cancellation& cancellation) override {
    cancellation.throw_if_cancelled();
  }
};

// A database, a machine and what a service holds.
class PipelineTest : public ::testing::Test {
 protected:
  PipelineTest() {
    inner_ = destination::make_duckdb({.path = disk_ / "data.duckdb"});
    destination_ = std::make_shared<FaultyDestination>(*inner_);
  }

  PipelineOptions options(const std::string& name = "orders_pipeline") {
    PipelineOptions result;
    result.name = name;
    result.pipelines_dir = disk_ / "pipelines";
    result.destination = destination_;
    result.dataset = "data";
    result.job_format = job_format_;
    return result;
  }
  Runtime runtime() {
    Runtime result;
    result.clock = &clock_;
    result.random = &random_;
    result.cancellation = &cancellation_;
    result.sleeper = &sleeper_;
    result.run_dir = disk_.path().string();
    return result;
  }
  // Rows of the service, one resource with a cursor.
  Source service(std::vector<std::string> rows, ResourceOptions options = merge_options()) {
    options.incremental = {"ts", IncrementalOptions{}};
    return Source(
        "orders", {Resource(std::move(options), [rows](Extraction& x) {
          std::string text;
          std::vector<json::TextSpan> spans;
          for (const std::string& row : rows) {
            spans.push_back({text.size(), row.size(), spans.size() + 1});
            text += row + "\n";
          }
          x.yield(json::Page::texts(std::make_shared<const json::Buffer>(text), spans, "service"));
        })});
  }
  static ResourceOptions merge_options() {
    return {.name = "orders", .primary_key = {"id"}, .write_disposition = WriteDisposition::kMerge};
  }
  static ResourceOptions append_options() { return {.name = "orders", .primary_key = {"id"}}; }

  std::vector<info::LoadInfo> run(const Source& source) {
    return Pipeline(options(), runtime()).run(source);
  }
  // A line a row, values separated by |.
  std::vector<std::string> ask(const std::string& sql) { return ask_in(*inner_, "data", sql); }
  std::filesystem::path work() const { return disk_ / "pipelines" / "orders_pipeline"; }
  std::unique_ptr<workdir::WorkingDirectory> look(const std::string& name = "orders_pipeline") {
    return workdir::WorkingDirectory::open(
        disk_ / "pipelines", name, workdir::WorkingDirectory::Access::kRead, clock_, random_);
  }
  std::string cursor(const std::string& name = "orders_pipeline") {
    const auto state = look(name)->read_state();
    const auto cursors = state->cursors();
    return cursors.empty() ? "none" : json::write(cursors.front().last_value);
  }

  os::TempDirectory disk_;
  SystemClock clock_;
  SystemRandom random_;
  NoWaiting sleeper_;
  Cancellation cancellation_;
  std::unique_ptr<destination::Destination> inner_;
  std::shared_ptr<FaultyDestination> destination_;
  workdir::JobFormat job_format_ = workdir::JobFormat::kColumns;
};

inline const std::vector<std::string> kDay1 = {R"({"id":1,"ts":5,"tags":["a","b"]})",
                                               R"({"id":2,"ts":9,"tags":["c"]})"};
inline const std::vector<std::string> kDay2 = {
    R"({"id":1,"ts":12,"tags":["z"]})", R"({"id":2,"ts":9,"tags":["c"]})", R"({"id":3,"ts":11})"};

}  // namespace tidemark::pipeline::testing
