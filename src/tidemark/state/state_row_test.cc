#include "tidemark/state/state_row.h"

#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark::state {
namespace {

// A row that dlt 1.31 wrote.
constexpr std::string_view kDltRow =
    "eNp9UV1rwjAU/S95rtIWB7Owh+HDZGMymdvQISG2VxNM06y5V1fE/76k6hAFIQ8355z7ce7dMe5QIPAN1E5VhmVJ"
    "dILArJQ5Y3oRs8qCDqARJbCMrRRKWvATzCLmcgmlaHnHsu+jgs0jVggUDvAiNaA+rYClII38LP1f09IOlRHo5+DY"
    "2MAVGrtnsOsWlK+LS/GhkCGtva2jEy6Fk74CNTR7stPGfFWfcuRGMlk8N+V62n+0luKXfCx/J9WWtlh8PARnFdV5"
    "MLU7zeWjGq5gbn239q9MXkMJBoUOX7LeLBRc4IFUqITmG6Ep+EnjtNdJ0k6cTOI4a9/Md9XC4ZUmSSfJfXbXz+J+"
    "0JBRPwStrcPSB2+vg95gMR6+r4dh9f6eNd7utN9HrCYT0pN5iMFWXJllFWZ1AP7+WBMEWTuS8+ZuFNv/AVXfyxY=";

ErrorCode code_of_decoding(std::string_view text) {
  try {
    decode_state(text);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::kInternal;
}

TEST(StateRow, ReadsWhatDltWrote) {
  PipelineState state = decode_state(kDltRow);
  EXPECT_EQ(state.pipeline_name(), "github_pipeline");
  EXPECT_EQ(state.version(), 1);
  EXPECT_EQ(state.version_hash(), "uyuZGpYynWoVhNsNh1bJymkY9Appu0KcQhxTowuwtdU=");
  EXPECT_EQ(state.content_hash(), state.version_hash());
}

TEST(StateRow, IsReadBackWithoutTheLocalPart) {
  PipelineState state = PipelineState::create("p", "/here");
  state.resource_state("s", "r").set("n", 1);
  state.bump();
  std::string text = encode_state(state);
  EXPECT_EQ(text.substr(0, 2), "eN");
  PipelineState read = decode_state(text);
  EXPECT_TRUE(read.local().is_null());
  EXPECT_EQ(read.document(), state.synchronised_part());
}

TEST(StateRow, GrowsWithHighlyCompressibleState) {
  PipelineState state = PipelineState::create("p", "/here");
  state.source_state("s").set("k", std::string(1'000'000, 'x'));
  EXPECT_EQ(decode_state(encode_state(state)).document(), state.synchronised_part());
}

TEST(StateRow, TakesPlainJson) {
  EXPECT_EQ(decode_state(R"({"_state_version":2,"_state_engine_version":4})").version(), 2);
}

TEST(StateRow, RefusesWhatIsNeither) {
  EXPECT_EQ(code_of_decoding("not json"), ErrorCode::kCorrupt);
  EXPECT_EQ(code_of_decoding("AAAA"), ErrorCode::kCorrupt);
  EXPECT_EQ(code_of_decoding(kDltRow.substr(0, 100)), ErrorCode::kCorrupt);
  EXPECT_EQ(code_of_decoding(""), ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace tidemark::state
