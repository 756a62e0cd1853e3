#include "tidemark/cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

Completion completed(const std::vector<std::string>& words) {
  CommonOptions common;
  std::string log_format;
  return complete(program_spec(common, log_format), words);
}

TEST(Completion, KnowsTheCommands) {
  EXPECT_THAT(completed({""}).words, Contains("pipeline"));
  EXPECT_THAT(completed({""}).words, Not(Contains("complete"))) << "not listed";
  EXPECT_THAT(completed({"st"}).words, ElementsAre("state"));
  EXPECT_THAT(completed({"state", "mo"}).words, ElementsAre("move"));
  EXPECT_THAT(completed({"--json", "state", "rol"}).words, ElementsAre("rollback"));
  EXPECT_THAT(completed({"nonsense", "x"}).words, IsEmpty());
}

TEST(Completion, KnowsTheOptionsOfAllCommandsThatAreNamed) {
  EXPECT_THAT(completed({"state", "clear", "x", "--pur"}).words, ElementsAre("--purge"));
  EXPECT_THAT(completed({"state", "clear", "--state"}).words, ElementsAre("--state-backend-uri"));
  EXPECT_THAT(completed({"state", "clear", "--j"}).words, ElementsAre("--json"));
  EXPECT_THAT(completed({"--he"}).words, ElementsAre("--help"));
}

TEST(Completion, KnowsWhatAValueNames) {
  EXPECT_EQ(completed({"state", "get", ""}).thing, NamedThing::kStateId);
  EXPECT_EQ(completed({"state", "get", "a", ""}).thing, NamedThing::kNone) << "there is one ID";
  EXPECT_EQ(completed({"state", "--state-backend-uri", "u", "get", "a"}).thing,
            NamedThing::kStateId);
  EXPECT_EQ(completed({"state", "copy", "a", "b"}).thing, NamedThing::kNone);
  EXPECT_EQ(completed({"state", "merge", "a", "--from-state-id", ""}).thing, NamedThing::kStateId);
  EXPECT_EQ(completed({"pipeline", ""}).thing, NamedThing::kPipeline);
  EXPECT_EQ(completed({"config", "set", ""}).thing, NamedThing::kSettings);
  EXPECT_EQ(completed({"invoke", ""}).thing, NamedThing::kPlugin);
  EXPECT_EQ(completed({"el", "tap", ""}).thing, NamedThing::kPlugin);
  EXPECT_EQ(completed({"el", "tap", "target", "--state-id", ""}).thing, NamedThing::kStateId);
  EXPECT_EQ(completed({"job", "remove", ""}).thing, NamedThing::kJob);
  EXPECT_EQ(completed({"schedule", "run", ""}).thing, NamedThing::kSchedule);
  EXPECT_EQ(completed({"run", ""}).thing, NamedThing::kBlock);
  EXPECT_EQ(completed({"run", "tap", ""}).thing, NamedThing::kBlock) << "there may be several";
  EXPECT_EQ(completed({"--environment", ""}).thing, NamedThing::kEnvironment);
  EXPECT_EQ(completed({"state", "get", "--fo"}).thing, NamedThing::kNone);
}

TEST(Completion, KnowsTheChoicesOfAnOption) {
  EXPECT_THAT(completed({"state", "get", "x", "--format", ""}).words,
              UnorderedElementsAre("json", "pretty"));
  const Completion joined = completed({"state", "get", "x", "--format=pr"});
  EXPECT_THAT(joined.words, ElementsAre("pretty"));
  EXPECT_EQ(joined.front, "--format=");
  EXPECT_EQ(completed({"state", "merge", "a", "--from-state-id=ab"}).begun, "ab");
}

TEST(Completion, TakesNoValueForACommand) {
  EXPECT_THAT(completed({"--environment", "state", "stat"}).words, ElementsAre("state"));
  EXPECT_THAT(completed({"--environment", "dev", "--env-file=x", ""}).given,
              UnorderedElementsAre(Pair("--environment", "dev"), Pair("--env-file", "x")));
}

TEST(Completion, HasAScriptForEachShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_NE(completion_script(shell).find("complete --"), std::string_view::npos) << shell;
  }
}

}  // namespace
}  // namespace tidemark::cli
