#include "tidemark/runner/chain.h"

#include <algorithm>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>

namespace tidemark::runner {
namespace {

using std::chrono::milliseconds;
using Lines = std::vector<std::string>;

class ChainTest : public testing::Test {
 protected:
  static Launch shell(const std::string& name, const std::string& script) {
    return {name, "/bin/sh", {"-c", script}, os::Environment{{"PATH", "/usr/bin:/bin"}}};
  }

  // A tap, whatever is between, and a target, by their scripts.
  std::vector<PluginEnd> run(const Lines& scripts) {
    std::vector<Launch> launches;
    launches.reserve(scripts.size());
    for (size_t i = 0; i < scripts.size(); ++i) {
      launches.push_back(shell("plugin" + std::to_string(i), scripts[i]));
    }
    Chain chain(std::move(launches), grace_);
    return chain.wait({.log_line =
                           [&](size_t plugin, std::string_view line) {
                             log_.push_back(std::to_string(plugin) + " " + std::string(line));
                           },
                       .output = [&](std::string_view bytes) { output_ += bytes; },
                       .ask = [&] { return stop_ ? stop_() : Stop::kNo; }});
  }

  // Short where a test waits for it, long where it must not run out on a busy machine.
  GracePeriods grace_{.to_notice = milliseconds(300),
                      .to_end = milliseconds(20'000),
                      .to_drain = milliseconds(20'000),
                      .to_close = milliseconds(300)};
  std::function<Stop()> stop_;
  Lines log_;
  std::string output_;
};

TEST_F(ChainTest, PassesTheBytesOnAndReadsWhatTheLastOneSays) {
  const auto ends = run({"printf 'a\\nb\\n'; echo first >&2", "tr a-z A-Z", "cat; echo last >&2"});
  EXPECT_EQ(output_, "A\nB\n");
  std::ranges::sort(log_);
  EXPECT_EQ(log_, (Lines{"0 first", "2 last"}));
  ASSERT_EQ(ends.size(), 3);
  for (const PluginEnd& end : ends) EXPECT_FALSE(end.has_failed());
}

TEST_F(ChainTest, ReadsALastLineThatNothingEnds) {
  run({"printf x", "cat; printf 'no end' >&2"});
  EXPECT_EQ(output_, "x");
  EXPECT_EQ(log_, Lines{"1 no end"});
}

TEST_F(ChainTest, ShowsWhatPassesToWhoWantsToLookAtIt) {
  std::string seen;
  {
    std::vector<Launch> launches{shell("tap", "printf 'a\\n\\377b'"), shell("mapper", "tr a-z A-Z"),
                                 shell("target", "cat")};
    launches[0].look = [&](std::string_view bytes) { seen += bytes; };
    Chain chain(std::move(launches), grace_);
    chain.wait({.log_line = [](size_t, std::string_view) {},
                .output = [&](std::string_view bytes) { output_ += bytes; }});
  }
  EXPECT_EQ(seen, "a\n\377b");
  EXPECT_EQ(output_, "A\n\377B");
}

TEST_F(ChainTest, FindsTheSameCauseWhenSomebodyLooks) {
  for (const bool is_well : {false, true}) {
    std::vector<Launch> launches{shell("tap", "exec yes"),
                                 shell("target", is_well ? "exit 0" : "exit 4")};
    launches[0].look = [](std::string_view) {};
    Chain chain(std::move(launches), grace_);
    const auto ends = chain.wait(
        {.log_line = [](size_t, std::string_view) {}, .output = [](std::string_view) {}});
    EXPECT_FALSE(ends[0].has_failed()) << describe(ends[0].end);
    EXPECT_TRUE(ends[1].has_failed());
    EXPECT_EQ(ends[1].ended_early, is_well);
  }
}

TEST_F(ChainTest, LetsTheTargetFinishWhenTheTapFails) {
  const auto ends = run({"echo a; echo oops >&2; exit 3", "sleep 0.3; cat; exit 0"});
  EXPECT_EQ(output_, "a\n");
  EXPECT_TRUE(ends[0].has_failed());
  EXPECT_EQ(ends[0].end.exit_code, 3);
  EXPECT_EQ(ends[0].last_lines, Lines{"oops"});
  EXPECT_FALSE(ends[1].has_failed());
}

TEST_F(ChainTest, ATargetThatDiesIsTheCauseAndEndsTheTap) {
  for (const char* tap : {"exec yes", "while echo x; do :; done", "echo x; exec sleep 1000"}) {
    const auto ends = run({tap, "head -c 1 >/dev/null; exit 4"});
    EXPECT_FALSE(ends[0].has_failed()) << tap << ": " << describe(ends[0].end);
    EXPECT_TRUE(ends[1].has_failed());
  }
}

TEST_F(ChainTest, ATapThatFailsOnItsOwnBesideATargetThatFailsHasFailedToo) {
  grace_.to_notice = milliseconds(20'000);
  const auto ends = run({"sleep 0.1; echo 'my own fault' >&2; exit 3", "exit 4"});
  EXPECT_TRUE(ends[0].has_failed());
  EXPECT_TRUE(ends[1].has_failed());
}

TEST_F(ChainTest, ATargetThatEndsWellTooEarlyHasFailed) {
  for (const char* tap : {"exec yes", "sleep 1000"}) {
    const auto ends = run({tap, "exit 0"});
    EXPECT_FALSE(ends[0].has_failed());
    EXPECT_TRUE(ends[0].lost_its_consumer) << tap;
    EXPECT_TRUE(ends[1].ended_early) << tap;
  }
}

TEST_F(ChainTest, ATapThatStaysWhenAllIsWrittenIsEndedAndHasNotFailed) {
  const auto ends = run({"echo a; exec >&-; exec sleep 1000", "cat"});
  EXPECT_EQ(output_, "a\n");
  EXPECT_TRUE(ends[0].was_stopped);
  EXPECT_FALSE(ends[0].has_failed());
  EXPECT_FALSE(ends[1].has_failed());
}

TEST_F(ChainTest, ABrokenPipeOfTheTapsOwnIsItsFailure) {
  const auto ends = run({"echo 'database: Broken pipe' >&2; exit 1", "cat"});
  EXPECT_TRUE(ends[0].has_failed());
  EXPECT_FALSE(ends[1].has_failed());
}

TEST_F(ChainTest, StopsTheTapAndLetsTheOthersFinish) {
  stop_ = [this] { return output_.empty() ? Stop::kNo : Stop::kDrain; };
  const auto ends = run({"trap 'echo end; exit 143' TERM; echo a; while :; do sleep 0.05; done",
                         "cat; echo finished"});
  EXPECT_EQ(output_, "a\nend\nfinished\n");
  EXPECT_TRUE(ends[0].was_stopped);
  EXPECT_FALSE(ends[1].was_stopped);
  EXPECT_TRUE(ends[1].end.is_success());
}

TEST_F(ChainTest, KillsThoseWhoDoNotListen) {
  grace_.to_end = milliseconds(200);
  grace_.to_drain = milliseconds(200);
  stop_ = [this] { return log_.size() < 2 ? Stop::kNo : Stop::kDrain; };
  const std::string deaf = "trap '' TERM; echo ready >&2; while :; do sleep 0.05; done";
  const auto ends = run({deaf, deaf});
  EXPECT_EQ(ends[0].end.signal, SIGKILL);
  EXPECT_EQ(ends[1].end.signal, SIGKILL);
}

TEST_F(ChainTest, KillsAllAtOnceWhenTold) {
  grace_ = {};
  stop_ = [] { return Stop::kKill; };
  const auto ends = run({"sleep 1000", "trap '' TERM; sleep 1000"});
  EXPECT_EQ(ends[0].end.signal, SIGKILL);
  EXPECT_EQ(ends[1].end.signal, SIGKILL);
}

TEST_F(ChainTest, DoesNotWaitForWhatAPluginLeftBehind) {
  const auto ends = run({"true", "sleep 1000 & cat"});
  EXPECT_TRUE(ends[1].end.is_success());
}

TEST_F(ChainTest, ThrowsWhatCannotBeStartedAndWhatAnEventThrows) {
  EXPECT_THROW(Chain({shell("tap", "true"), {"target", "/no/such/file", {}, {}}}, grace_), Error);
  Chain chain({shell("tap", "echo a; exec sleep 1000"), shell("target", "exec cat")}, grace_);
  const int64_t tap = chain.processes()[0].pid;
  EXPECT_TRUE(os::SystemProcesses().start_ticks(tap));
  EXPECT_THROW(chain.wait({.log_line = [](size_t, std::string_view) {},
                           .output =
                               [](std::string_view) {
                                 throw Error(ErrorCode::kInvalid, "not these bytes");
                               }}),
               Error);
}

}  // namespace
}  // namespace tidemark::runner
