#include "tidemark/state/run_state.h"

#include <future>

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/os/temp_directory.h"
#include "tidemark/state/golden_cases.h"
#include "tidemark/state/service_fixture.h"
#include "tidemark/state/unsaved.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;
using blob::Fault;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kId = "dev:a-to-b";
constexpr const char* kKey = "dev:a-to-b/state.json";

// A run on an ID, beside others.
class RunStateTest : public StateServiceTest {
 protected:
  RunStateTest() {
    author_ = {.who = "me@host", .operation = "run tap-a target-b", .run_id = "r1"};
    take_lease();
  }

  void take_lease() {
    lease_.reset();
    auto taken =
        Lease::acquire(*backend_.objects, {.ids = {kId}, .author = author_}, world_.context);
    lease_ = std::get<std::unique_ptr<Lease>>(std::move(taken));
  }
  RunState& begin(StateStrategy strategy = StateStrategy::kAuto, bool is_full_refresh = false) {
    run_ = std::make_unique<RunState>(
        backend_, *lease_,
        RunStateOptions{.id = kId,
                        .author = author_,
                        .strategy = strategy,
                        .is_full_refresh = is_full_refresh,
                        .unsaved_directory = unsaved_directory(folder_.path()),
                        .saved = [this](const RunSave& save) { saves_.push_back(save); }},
        world_.context);
    return *run_;
  }
  void store(std::string_view bookmarks) {
    ASSERT_TRUE(is_saved(service_.set(kId, state(bookmarks), {.is_forced = true})));
    // As if it were long ago.
    world_.clock.advance(48h);
    take_lease();
  }
  static std::string line(std::string_view bookmarks) {
    return R"({"bookmarks": )" + std::string(bookmarks) + "}\n";
  }
  void fail_always(std::string_view key, Fault fault) {
    on_call_ = [=](const blob::Call& call) {
      return call.key == key && call.operation == "put" ? fault : Fault::kNone;
    };
  }
  std::vector<UnsavedFile> unsaved() {
    return list_unsaved(unsaved_directory(folder_.path())).found;
  }
  std::vector<HistoryEntry> history() { return History(*objects_).load(kId).entries; }

  os::TempDirectory folder_;
  std::unique_ptr<Lease> lease_;
  std::vector<RunSave> saves_;
  std::unique_ptr<RunState> run_;
};

bool is_all_saved(const RunStateEnd& end) { return std::holds_alternative<AllSaved>(end); }

TEST_F(RunStateTest, DoesToTheDocumentWhatMeltanoDoes) {
  const json::Value golden = read_golden("run_states.json");
  std::string scenario;
  for (const json::Value& run : golden.find("runs")->as_array()) {
    SCOPED_TRACE(run.find("scenario")->as_string() + " " + run.find("after")->as_string());
    if (std::exchange(scenario, run.find("scenario")->as_string()) != scenario) {
      objects_->remove(kKey, blob::Always());
    }
    const std::string& name = run.find("strategy")->as_string();
    RunState& state = begin(name == "auto"    ? StateStrategy::kAuto
                            : name == "merge" ? StateStrategy::kMerge
                                              : StateStrategy::kOverwrite,
                            run.find("full_refresh")->as_bool());
    const json::Value* start = run.find("start");
    EXPECT_EQ(state.start(),
              start->is_null() ? std::nullopt : std::optional(json::read(start->as_string())));
    const json::Value payload = json::read(run.find("payload")->as_string());
    EXPECT_EQ(state.accept(json::write(*payload.find("singer_state"))), StateLine::kAccepted);
    EXPECT_TRUE(is_all_saved(state.finish()));
    EXPECT_EQ(stored(kId), R"({"completed": )" + run.find("completed")->as_string() +
                               R"(, "partial": )" + run.find("partial")->as_string() + "}");
    EXPECT_EQ(saves_.back().state, *payload.find("singer_state"));
    EXPECT_EQ(static_cast<int>(saves_.back().flags), run.find("flags")->as_int64());
  }
}

TEST_F(RunStateTest, TakesTheLinesThatMeltanoTakesIfTheyAreStates) {
  const json::Value golden = read_golden("run_states.json");
  for (const json::Value& row : golden.find("lines")->as_array()) {
    const std::string& line = row.find("line")->as_string();
    SCOPED_TRACE(line);
    objects_->remove(kKey, blob::Always());
    RunState& state = begin();
    const StateLine result = state.accept(line);
    EXPECT_TRUE(is_all_saved(state.finish()));
    const json::Value* warning = row.find("warning");
    if (warning->is_string()) {
      EXPECT_EQ(result, warning->as_string().find("empty") == std::string::npos
                            ? StateLine::kNoJson
                            : StateLine::kEmpty);
      EXPECT_EQ(stored(kId), "nothing");
    } else if (line == "1" || line == "\"x\"" || line == "[1]") {
      EXPECT_EQ(result, StateLine::kNoObject) << "no tap could start from it";
    } else if (is_empty_state(json::read_python(line))) {
      EXPECT_EQ(result, StateLine::kEmpty) << "it would erase what is there";
    } else {
      EXPECT_EQ(result, StateLine::kAccepted);
      const std::string expected =
          line.find("1e5") == std::string::npos
              ? row.find("completed")->as_string()
              : R"({"singer_state": {"b": 1e5, "c": 1E-7, "d": 12345678901234567890123, "e": 1.0, )"
                R"("f": -0.0, "g": 1e400, "h": NaN, "i": 0.1e1}})";
      EXPECT_EQ(stored(kId), R"({"completed": )" + expected + R"(, "partial": {}})");
    }
  }
}

TEST_F(RunStateTest, StartsFromTheBeginningWhereThereIsNoState) {
  EXPECT_EQ(begin().start(), std::nullopt);
  write_foreign(kId, R"({"completed": {"singer_state": {"bookmarks": {}}}, "partial": {}})");
  EXPECT_EQ(begin().start(), std::nullopt) << "nothing is in it";
}

TEST_F(RunStateTest, AnEmptyStateErasesNothing) {
  store(R"({"a": 5})");
  RunState& state = begin();
  for (const char* empty : {"{}", "null", "[[{}]]", R"({"bookmarks": {}})",
                            R"({"bookmarks": {"a": [null, {}]}})", R"({"a": 6, "a": null})"}) {
    EXPECT_EQ(state.accept(empty), StateLine::kEmpty);
  }
  calls_.clear();
  EXPECT_TRUE(state.save_if_due());
  EXPECT_TRUE(is_all_saved(state.finish()));
  EXPECT_THAT(calls_, IsEmpty());
  EXPECT_EQ(effective(kId), R"({"singer_state":{"bookmarks":{"a":5}}})");
}

TEST_F(RunStateTest, SavesTheFirstStateAtOnceAndThenGathersThem) {
  RunState& state = begin();
  EXPECT_TRUE(state.save_if_due());
  state.accept(line(R"({"a": 1})"));
  EXPECT_TRUE(state.save_if_due());
  EXPECT_THAT(saves_, SizeIs(1));
  state.accept(line(R"({"a": 2})"));
  state.accept(line(R"({"a": 3})"));
  EXPECT_TRUE(state.save_if_due());
  world_.clock.advance(RunState::kSavePause - 1ms);
  EXPECT_TRUE(state.save_if_due());
  EXPECT_THAT(saves_, SizeIs(1));
  world_.clock.advance(1ms);
  EXPECT_TRUE(state.save_if_due());
  EXPECT_THAT(saves_, SizeIs(2));
  EXPECT_EQ(effective(kId), R"({"singer_state":{"bookmarks":{"a":3}}})");
  state.accept(line(R"({"a": 4})"));
  EXPECT_TRUE(is_all_saved(state.finish()));
  EXPECT_EQ(effective(kId), R"({"singer_state":{"bookmarks":{"a":4}}})") << "the last one always";
}

TEST_F(RunStateTest, ManyBytesAreSavedSooner) {
  RunState& state = begin();
  state.accept(line(R"({"a": 1})"));
  state.save_if_due();
  state.accept(line(R"({"a": ")" + std::string(RunState::kManyBytes, 'x') + "\"}"));
  world_.clock.advance(RunState::kShortestPause);
  state.save_if_due();
  EXPECT_THAT(saves_, SizeIs(2));
}

TEST_F(RunStateTest, PartialStatesGatherByMerging) {
  store(R"({"a": 1, "b": 1})");
  RunState& state = begin(StateStrategy::kMerge);
  state.accept(line(R"({"b": {"x": 1}, "c": 1})"));
  state.accept(line(R"({"b": {"y": 2}})"));
  EXPECT_TRUE(is_all_saved(state.finish()));
  EXPECT_EQ(stored(kId),
            R"({"completed": {"singer_state": {"bookmarks": {"a": 1, "b": 1}}}, "partial": )"
            R"({"singer_state": {"bookmarks": {"b": {"x": 1, "y": 2}, "c": 1}}}})");
  EXPECT_EQ(saves_.back().state, json::read(R"({"bookmarks": {"b": {"y": 2}}})"))
      << "the row of the run has the last line, as in Meltano";
}

TEST_F(RunStateTest, TheSavesOfARunAreOneEntryOfTheHistory) {
  store(R"({"a": 1})");
  RunState& state = begin();
  for (int i = 2; i < 5; ++i) {
    state.accept(line(R"({"a": )" + std::to_string(i) + "}"));
    state.save_if_due();
    world_.clock.advance(RunState::kSavePause);
  }
  const auto entries = history();
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[1].sequence, 2);
  EXPECT_EQ(entries[1].parent, entries[0].hash);
  EXPECT_EQ(entries[1].author, author_);
  EXPECT_EQ(json::write_python(entries[1].document->completed),
            R"({"singer_state": {"bookmarks": {"a": 4}}})");
}

TEST_F(RunStateTest, WhatOthersChangedMeanwhileIsKeptAndSaid) {
  store(R"({"a": 5, "b": 9})");
  RunState& state = begin();
  ASSERT_TRUE(
      is_saved(service_.merge(kId, json::read(R"({"singer_state": {"bookmarks": {"a": 3}}})"))));
  state.accept(line(R"({"a": 5, "b": 10})"));
  EXPECT_TRUE(state.save_if_due());
  EXPECT_EQ(stored(kId), R"({"completed": {"singer_state": {"bookmarks": {"a": 3, "b": 10}}}, )"
                         R"("partial": {}})");
  EXPECT_THAT(saves_.back().warnings,
              ElementsAre(HasSubstr("state dev:a-to-b: the bookmark of a")));
  state.accept(line(R"({"a": 5, "b": 11})"));
  EXPECT_TRUE(is_all_saved(state.finish()));
  EXPECT_EQ(effective(kId), R"({"singer_state":{"bookmarks":{"a":3,"b":11}}})");
  EXPECT_THAT(saves_.back().warnings, IsEmpty());
}

TEST_F(RunStateTest, AnotherWriteInTheMidstOfASaveIsMerged) {
  store(R"({"a": 5, "b": 9})");
  RunState& state = begin();
  state.accept(line(R"({"a": 5, "b": 10})"));
  before("put", kKey, [&] {
    write_foreign(kId, R"({"completed": {"singer_state": {"bookmarks": {"a": 3, "b": 9}}}})");
  });
  EXPECT_TRUE(is_all_saved(state.finish()));
  EXPECT_EQ(effective(kId), R"({"singer_state":{"bookmarks":{"a":3,"b":10}}})");
}

TEST_F(RunStateTest, AnAnswerThatGotLostIsNoChangeByOthers) {
  store(R"({"a": 5})");
  RunState& state = begin();
  state.accept(line(R"({"a": 6})"));
  // It took effect, and nothing answers afterwards.
  bool is_down = false;
  on_call_ = [&](const blob::Call& call) {
    if (is_down) return Fault::kNoAnswer;
    is_down = call.operation == "put" && call.key == kKey;
    return is_down ? Fault::kAnswerLate : Fault::kNone;
  };
  EXPECT_FALSE(state.save_if_due());
  on_call_ = nullptr;
  state.accept(line(R"({"a": 7})"));
  EXPECT_TRUE(is_all_saved(state.finish()));
  EXPECT_THAT(saves_.back().warnings, IsEmpty());
  EXPECT_EQ(effective(kId), R"({"singer_state":{"bookmarks":{"a":7}}})");
}

TEST_F(RunStateTest, AStoreThatDoesNotAnswerIsTriedAgain) {
  RunState& state = begin();
  state.accept(line(R"({"a": 1})"));
  fail_always(kKey, Fault::kNoAnswer);
  EXPECT_FALSE(state.save_if_due());
  calls_.clear();
  EXPECT_TRUE(state.save_if_due()) << "not before its time";
  EXPECT_THAT(calls_, IsEmpty());
  on_call_ = nullptr;
  EXPECT_TRUE(is_all_saved(state.finish()));
  EXPECT_EQ(effective(kId), R"({"singer_state":{"bookmarks":{"a":1}}})");
}

TEST_F(RunStateTest, OthersThatWriteEachTimeDoNotStopTheRun) {
  const std::string theirs = R"({"completed": {"singer_state": {"bookmarks": {"m": 1}}}})";
  write_foreign(kId, theirs);
  RunState& state = begin();
  state.accept(line(R"({"a": 1})"));
  world_.sleeper.meanwhile = [&] { write_foreign(kId, theirs); };
  EXPECT_FALSE(state.save_if_due());
  world_.sleeper.meanwhile = nullptr;
  EXPECT_TRUE(is_all_saved(state.finish()));
  EXPECT_EQ(effective(kId), R"({"singer_state":{"bookmarks":{"a":1,"m":1}}})");
}

TEST_F(RunStateTest, AStoreThatOthersKeepBusyDoesNotStopTheRun) {
  RunState& state = begin();
  state.accept(line(R"({"a": 1})"));
  on_call_ = [](const blob::Call& call) {
    if (call.operation == "put" && call.key == kKey) throw Error(ErrorCode::kLocked, "busy");
    return Fault::kNone;
  };
  EXPECT_FALSE(state.save_if_due());
  on_call_ = nullptr;
  EXPECT_TRUE(is_all_saved(state.finish()));
  EXPECT_EQ(effective(kId), R"({"singer_state":{"bookmarks":{"a":1}}})");
}

TEST_F(RunStateTest, WhatWillNotPassIsThrown) {
  RunState& state = begin();
  state.accept(line(R"({"a": 1})"));
  fail_always(kKey, Fault::kForbidden);
  EXPECT_THROW(state.save_if_due(), Error);
  const auto end = state.finish();
  EXPECT_EQ(std::get<Kept>(end).error.code(), ErrorCode::kUnauthorized);
}

TEST_F(RunStateTest, WhatNoStoreTakesIsKeptWithItsBase) {
  store(R"({"a": 5})");
  RunState& state = begin();
  state.accept(line(R"({"a": 6})"));
  ASSERT_TRUE(state.save_if_due());
  on_call_ = [](const blob::Call&) { return Fault::kNoAnswer; };
  state.accept(line(R"({"a": 7})"));
  world_.clock.advance(kLeaseTime);
  ASSERT_FALSE(lease_->may_save());
  const auto end = state.finish();
  on_call_ = nullptr;
  const auto found = unsaved();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(std::get<Kept>(end).file, found[0].file);
  EXPECT_EQ(std::get<Kept>(end).error.code(), ErrorCode::kTimeout);
  EXPECT_EQ(found[0].unsaved,
            (UnsavedState{.id = kId,
                          .author = author_,
                          .time = found[0].unsaved.time,
                          .store = backend_.states->describe(),
                          .strategy = StateStrategy::kAuto,
                          .state = json::read(R"({"bookmarks": {"a": 7}})"),
                          .view = {.base = Document{.completed = json::Value(
                                                        tidemark::state::state(R"({"a": 6})"))},
                                   .seen = json::read(R"({"bookmarks": {"a": 6}})")}}));
}

TEST_F(RunStateTest, AnExpiredLeaseThatNobodyTookIsRenewedForTheLastSave) {
  RunState& state = begin();
  state.accept(line(R"({"a": 1})"));
  world_.clock.advance(2h);
  EXPECT_TRUE(is_all_saved(state.finish()));
  EXPECT_EQ(effective(kId), R"({"singer_state":{"bookmarks":{"a":1}}})");
}

TEST_F(RunStateTest, AfterTheLeaseIsTakenOverNothingIsWritten) {
  RunState& state = begin();
  state.accept(line(R"({"a": 1})"));
  auto taken = Lease::acquire(
      *objects_, {.ids = {kId}, .author = {.who = "x@y"}, .is_forced = true}, world_.context);
  EXPECT_FALSE(lease_->renew());
  calls_.clear();
  EXPECT_FALSE(state.save_if_due());
  const auto end = state.finish();
  EXPECT_EQ(std::get<TakenOver>(end).taker.record.author.who, "x@y");
  EXPECT_THAT(calls_, IsEmpty());
  EXPECT_EQ(stored(kId), "nothing");
  EXPECT_THAT(unsaved(), IsEmpty());
}

TEST_F(RunStateTest, ALeaseThatWasTakenOverUnseenIsSeenBeforeTheLastSave) {
  RunState& state = begin();
  state.accept(line(R"({"a": 1})"));
  auto taken = Lease::acquire(
      *objects_, {.ids = {kId}, .author = {.who = "x@y"}, .is_forced = true}, world_.context);
  world_.clock.advance(kLeaseTime);
  EXPECT_TRUE(std::holds_alternative<TakenOver>(state.finish()));
  EXPECT_EQ(stored(kId), "nothing");
}

TEST_F(RunStateTest, AStateOfWhichNothingIsDefinedFailsTheRun) {
  RunState& state = begin(StateStrategy::kMerge);
  state.accept(line(R"({"a": 1})"));
  EXPECT_THROW(state.accept(line(R"({"a": {"x": 1}})")), Error);
}

TEST_F(RunStateTest, AStoreThatCannotBeReadKeepsTheRunFromBeginning) {
  on_call_ = [](const blob::Call& call) {
    return call.key == kKey ? Fault::kNoAnswer : Fault::kNone;
  };
  EXPECT_THROW(begin(), Error);
}

TEST_F(RunStateTest, ASaverSavesInTheBackground) {
  RunState& state = begin();
  state.accept(line(R"({"a": 1})"));
  {
    const RunStateSaver saver(state, [](const Error&) { ADD_FAILURE(); });
    while (stored(kId) == "nothing") std::this_thread::yield();
  }
  EXPECT_EQ(effective(kId), R"({"singer_state":{"bookmarks":{"a":1}}})");
}

TEST_F(RunStateTest, ASaverSaysOnceWhatWillNotPass) {
  RunState& state = begin();
  state.accept(line(R"({"a": 1})"));
  fail_always(kKey, Fault::kForbidden);
  std::promise<ErrorCode> failed;
  const RunStateSaver saver(state, [&](const Error& error) { failed.set_value(error.code()); });
  EXPECT_EQ(failed.get_future().get(), ErrorCode::kUnauthorized);
}

}  // namespace
}  // namespace tidemark::state
