#include "tidemark/info/trace.h"

#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"

namespace tidemark::info {
namespace {

std::string golden(const std::string& name) {
  std::ifstream in(TIDEMARK_GOLDEN_DIR "/dlt/trace/" + name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

// The trace of a real run of dlt 1.31, in its dictionary form with the run step added.
Trace golden_trace() { return trace_from_json(json::read(golden("trace.json"))); }

StepTrace step(Step kind, int64_t start) {
  StepTrace trace;
  trace.step = kind;
  trace.started_at = Time(std::chrono::seconds(start));
  trace.finished_at = Time(std::chrono::seconds(start + 1));
  return trace;
}

TEST(Trace, PrintsAsDltDoes) {
  Trace trace = golden_trace();
  // dlt does not print what its resources gave.
  std::get<ExtractInfo>(trace.steps[0].step_info).resource_metrics.clear();
  for (int verbosity : {0, 1, 2}) {
    EXPECT_EQ(to_text(trace, verbosity), golden("trace." + std::to_string(verbosity) + ".txt"));
  }
}

TEST(Trace, IsReadBackFromItsJson) {
  Trace trace = golden_trace();
  trace.steps[2].exception_traces = {
      {"no space", "unavailable", true, "1.5", "shop", "items", "items.1.columns"}};
  trace.resolved_config_values.push_back(
      {"password", std::nullopt, true, {"destination"}, "secrets.toml", "Postgres", "secrets:3"});
  EXPECT_EQ(trace_from_json(to_json(trace)),
            trace_from_json(to_json(trace_from_json(to_json(trace)))));
  Trace read = trace_from_json(to_json(trace));
  EXPECT_EQ(read.steps[2].exception_traces, trace.steps[2].exception_traces);
  EXPECT_EQ(read.resolved_config_values, trace.resolved_config_values);
  EXPECT_EQ(read.steps[0], trace.steps[0]);
}

TEST(Trace, RunHasTheInfoOfItsLoad) {
  Trace trace = golden_trace();
  ASSERT_EQ(trace.steps.back().step, Step::kRun);
  ASSERT_NE(trace.last_load_info(), nullptr);
  EXPECT_EQ(std::get<LoadInfo>(trace.steps.back().step_info), *trace.last_load_info());
}

TEST(Trace, RunThatNeverLoadedHasNoInfo) {
  Trace trace;
  trace.steps = {step(Step::kLoad, 10), step(Step::kExtract, 21), step(Step::kRun, 20)};
  trace.steps[0].step_info = LoadInfo();
  Trace read = trace_from_json(to_json(trace));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(read.steps[2].step_info));
}

TEST(Trace, FindsTheNewestStepOfEachKind) {
  Trace trace = golden_trace();
  EXPECT_EQ(trace.last_normalize_info()->row_counts().size(), 4u);
  EXPECT_EQ(trace.last_extract_info()->pipeline_name, "tiny_pipeline");
  EXPECT_EQ(Trace().last_load_info(), nullptr);
}

TEST(Trace, SecretsShowNoValue) {
  Trace trace = golden_trace();
  trace.resolved_config_values = {
      {"password", "leaked", true, {"destination"}, "secrets.toml", "Postgres", ""}};
  EXPECT_THAT(to_text(trace, 1),
              ::testing::HasSubstr("`destination.password` = <secret> from `secrets.toml`"));
  json::Value json = to_json(trace);
  EXPECT_EQ(json.find("resolved_config_values")->as_array()[0].find("value"), nullptr);
}

TEST(Trace, FailedStepNamesItsCause) {
  StepTrace failed = step(Step::kLoad, 1);
  failed.step_exception = "no space";
  EXPECT_EQ(to_text(failed, 0), "Step load FAILED in 1 second.\nFailed due to: no space");
  Trace trace;
  trace.steps = {failed};
  EXPECT_THAT(to_text(trace, 0), ::testing::HasSubstr("and FAILED in --- with 1 steps."));
}

TEST(MergeTrace, SingleStepJoinsTheLastTrace) {
  Trace last;
  last.transaction_id = "a";
  last.steps = {step(Step::kExtract, 1)};
  Trace next;
  next.transaction_id = "b";
  next.steps = {step(Step::kLoad, 5)};
  next.finished_at = Time(std::chrono::seconds(6));
  Trace merged = merge(last, next);
  EXPECT_EQ(merged.transaction_id, "a");
  EXPECT_EQ(merged.steps.size(), 2u);
  EXPECT_EQ(merged.finished_at, next.finished_at);
}

TEST(MergeTrace, KeepsTheNewestHundredSteps) {
  Trace last;
  for (int i = 0; i < 100; ++i) last.steps.push_back(step(Step::kLoad, i));
  Trace next;
  next.steps = {step(Step::kLoad, 100)};
  Trace merged = merge(last, next);
  ASSERT_EQ(merged.steps.size(), 100u);
  EXPECT_EQ(merged.steps.front().started_at, Time(std::chrono::seconds(1)));
}

TEST(MergeTrace, RunReplacesTheLastTrace) {
  Trace next;
  next.transaction_id = "b";
  next.steps = {step(Step::kExtract, 1), step(Step::kRun, 0)};
  EXPECT_EQ(merge(golden_trace(), next), next);
  EXPECT_EQ(merge(std::nullopt, next), next);
}

TEST(Trace, RefusesANewerEngine) {
  try {
    trace_from_json(json::read(R"({"engine_version":3})"));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  }
}

TEST(Trace, NamesTheKeyThatIsWrong) {
  try {
    trace_from_json(json::read(R"({"engine_version":2,"started_at":5})"));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    EXPECT_THAT(error.message(), ::testing::HasSubstr("started_at"));
  }
}

}  // namespace
}  // namespace tidemark::info
