#include "tidemark/cli/state_outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/exit_code.h"
#include "tidemark/cli/test_world.h"

namespace tidemark::cli {
namespace {

using testing::HasSubstr;

state::HeldLease lease() {
  state::HeldLease held{.id = "dev:shop"};
  held.record.author = {.who = "ada@laptop", .operation = "run tap-shop", .run_id = "0192"};
  held.record.process.pid = 12;
  held.record.since = Time(std::chrono::seconds(1'800'000'000));
  return held;
}

Error refused(const state::WriteResult& result) {
  TestWorld world;
  const CommonOptions options;
  const Console console(world.context, options);
  try {
    expect_saved(console, result);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "taken for saved";
  return Error(ErrorCode::kInternal, "");
}

TEST(HolderText, IsOneLineWhateverItsRecordSays) {
  state::HeldLease held = lease();
  held.record.author.who = "ada\x1b[2J\nerror: gone";
  EXPECT_THAT(holder_text(held), HasSubstr(R"(ada\u001b[2J\u000aerror: gone)"));
  EXPECT_THAT(author_text({.author = held.record.author}), HasSubstr(R"(\u000a)"));
  EXPECT_THAT(refused(state::Locked{.id = "x", .lease = {}, .lock = "1\x1b\n2"}).message(),
              HasSubstr(R"((its lock says 1\u001b\u000a2))"));
}

TEST(ExpectSaved, ShowsTheWarningsOfWhatWasWritten) {
  TestWorld world;
  const CommonOptions options;
  const Console console(world.context, options);
  const state::WriteResult result = state::Saved{.warnings = {"history of x: disk full"}};
  expect_saved(console, result);
  EXPECT_EQ(world.err.text, "warning: history of x: disk full\n");
}

TEST(ExpectSaved, NamesTheHolderOfALeaseAndTheWayOn) {
  const Error error = refused(state::Locked{.id = "dev:shop", .lease = lease()});
  EXPECT_EQ(exit_code(error.code(), 0), kLockedByAnother);
  EXPECT_THAT(error.message(), HasSubstr("state dev:shop is held by ada@laptop (pid 12, run "
                                         "tap-shop, run 0192) since 2027-01-15 08:00:00+0000"));
  EXPECT_THAT(error.message(), HasSubstr("tidemark state unlock dev:shop"));
}

TEST(ExpectSaved, TellsTheTextOfALockThatAnotherToolLeft) {
  const Error error = refused(state::Locked{.id = "dev:shop", .lock = "1796038497.58559"});
  EXPECT_EQ(error.code(), ErrorCode::kLocked);
  EXPECT_THAT(error.message(), HasSubstr("1796038497.58559"));
}

TEST(ExpectSaved, ShowsWhatChangedMeanwhile) {
  const Error error =
      refused(state::Conflict{"x",
                              {{"completed.a", json::Value(1), json::Value(2)},
                               {"completed.b", json::Value("é"), std::nullopt},
                               {"partial.c", std::nullopt, json::Value(json::Object{})}}});
  EXPECT_EQ(error.code(), ErrorCode::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("\n- completed.a: 1\n+ completed.a: 2\n"
                                         "- completed.b: \"\\u00e9\"\n+ partial.c: {}\n"));
  EXPECT_THAT(error.message(), HasSubstr("--force"));
}

TEST(ExpectSaved, KeepsTheCodesOfTheRest) {
  EXPECT_EQ(refused(state::NotFound{"state x"}).code(), ErrorCode::kNotFound);
  EXPECT_EQ(refused(state::Invalid{"no"}).code(), ErrorCode::kInvalid);
  EXPECT_EQ(refused(state::Invalid{"no"}).message(), "no");
}

TEST(TimeText, IsThatOfMeltanosMessages) {
  EXPECT_EQ(time_text(Time(std::chrono::microseconds(1'800'000'000'999'999))),
            "2027-01-15 08:00:00+0000");
}

TEST(AuthorText, SaysWhenAnotherToolWrote) {
  state::HistoryEntry entry;
  entry.document = state::Document{};
  EXPECT_EQ(author_text(entry), "another tool");
  entry.author = {.who = "ada@laptop", .operation = "state set"};
  EXPECT_EQ(author_text(entry), "ada@laptop: state set");
}

}  // namespace
}  // namespace tidemark::cli
