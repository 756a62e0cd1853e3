#include <csignal>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/state/save.h"
#include "tidemark/state/service_fixture.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;
using blob::Call;
using blob::Fault;
using testing::ElementsAre;
using testing::HasSubstr;

// What a save leaves and says when its store fails, or its process ends.
class SaveFaults : public StateServiceTest {};

TEST_F(SaveFaults, ALostAnswerOfASaveIsReadBack) {
  service_.set("a", state(R"({"x": 1})"), {});
  for (const Fault fault :
       {Fault::kAnswerLost, Fault::kAnswerLate, Fault::kRefused, Fault::kNoAnswer}) {
    bool is_done = false;
    on_call_ = [&](const Call& call) {
      if (is_done || call.operation != "put" || call.key != "a/state.json") return Fault::kNone;
      is_done = true;
      return fault;
    };
    const std::string bookmarks = R"({"x": )" + std::to_string(static_cast<int>(fault) + 10) + "}";
    EXPECT_TRUE(is_saved(service_.set("a", state(bookmarks), {})));
    EXPECT_EQ(effective("a"), json::write(state(bookmarks)));
  }
  on_call_ = nullptr;
  EXPECT_EQ(service_.history("a").size(), 5U) << "each is entered once";
}

// A full disk, or a service that throttles for good: said as what it is, not as a lock that
// somebody holds or a change that nobody made, and without an endless wait.
TEST_F(SaveFaults, AStoreThatTakesNoWriteIsSaidSo) {
  service_.set("a", state(R"({"x": 1})"), {});
  for (const std::string key : {"a/lock", "a/state.json", ".tidemark/a/lease.json"}) {
    on_call_ = [&](const Call& call) {
      return call.operation == "put" && call.key == key ? Fault::kRefused : Fault::kNone;
    };
    const auto start = world_.clock.steady_now();
    try {
      service_.clear("a", false, {});
      ADD_FAILURE() << key;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnavailable) << key;
      EXPECT_THAT(error.message(), HasSubstr("a fault of the test")) << key;
    }
    EXPECT_LT(world_.clock.steady_now() - start, 10s) << key;
  }
  on_call_ = nullptr;
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":1}}})");
}

TEST_F(SaveFaults, AWriteThatComesLateIsOurs) {
  service_.set("a", state(R"({"x": 1})"), {});
  std::string late;
  on_call_ = [&](const Call& call) {
    if (call.operation == "put" && call.key == "a/state.json" && late.empty()) {
      late = R"({"completed": {"singer_state": {"bookmarks": {"x": 2}}}, "partial": {}})";
      return Fault::kNoAnswer;
    }
    return Fault::kNone;
  };
  world_.sleeper.meanwhile = [&] { write_foreign("a", late); };
  EXPECT_TRUE(is_saved(service_.set("a", state(R"({"x": 2})"), {})));
  EXPECT_EQ(stored("a"), late);
  EXPECT_EQ(service_.history("a").size(), 2U);
}

TEST_F(SaveFaults, AClearWhoseRemovalFailsIsDoneWithAWarningAndCanBeUndone) {
  write_foreign("a", R"({"completed": {"singer_state": {"m": 1}}, "partial": {}})");
  on_call_ = [](const Call& call) {
    const bool is_removal = call.operation == "remove" && call.key == "a/state.json";
    return is_removal ? Fault::kForbidden : Fault::kNone;
  };
  const auto result = service_.clear("a", false, {});
  ASSERT_TRUE(is_saved(result));
  EXPECT_THAT(std::get<Saved>(result).warnings, ElementsAre(HasSubstr("a fault of the test")));
  EXPECT_EQ(stored("a"), R"({"completed": {}, "partial": {}})");
  on_call_ = nullptr;
  EXPECT_TRUE(is_saved(service_.rollback("a", "1", {})));
  EXPECT_EQ(effective("a"), R"({"singer_state":{"m":1}})");
}

TEST_F(SaveFaults, AClearWhoseRemovalIsNotAnsweredSaysWhatBecameOfIt) {
  for (const auto& [fault, warnings] : {std::pair(Fault::kAnswerLost, 0), {Fault::kRefused, 1}}) {
    service_.set("a", state(R"({"x": 1})"), {});
    on_call_ = [&](const Call& call) {
      const bool is_removal = call.operation == "remove" && call.key == "a/state.json";
      return is_removal ? fault : Fault::kNone;
    };
    const auto result = service_.clear("a", false, {});
    ASSERT_TRUE(is_saved(result));
    EXPECT_THAT(std::get<Saved>(result).warnings, testing::SizeIs(warnings));
    on_call_ = nullptr;
  }
}

TEST_F(SaveFaults, WhatIsAboutToBeClearedIsInTheHistoryFirst) {
  const std::string foreign = R"({"completed": {"singer_state": {"m": 1}}, "partial": {}})";
  write_foreign("a", foreign);
  on_call_ = [](const Call& call) {
    if (call.operation == "remove" && call.key == "a/state.json") {
      throw std::runtime_error("the process ends here");
    }
    return Fault::kNone;
  };
  EXPECT_THROW(service_.clear("a", false, {}), std::runtime_error);
  on_call_ = nullptr;
  const auto entries = service_.history("a");
  ASSERT_FALSE(entries.empty());
  EXPECT_EQ(write_document(*entries.front().document), foreign);
}

TEST_F(SaveFaults, AHistoryThatFailsDoesNotUndoTheSave) {
  on_call_ = [](const Call& call) {
    const bool is_history = call.key == ".tidemark/a/history.jsonl" && call.operation == "put";
    return is_history ? Fault::kForbidden : Fault::kNone;
  };
  const auto result = service_.set("a", state(R"({"x": 1})"), {});
  ASSERT_TRUE(is_saved(result));
  EXPECT_EQ(std::get<Saved>(result).warnings.size(), 1U);
  EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"x":1}}})");
}

TEST_F(SaveFaults, ACorruptHistoryKeepsNobodyFromSaving) {
  objects_->put(".tidemark/a/history.jsonl", "x", blob::Always());
  const auto result = service_.set("a", state(R"({"x": 1})"), {});
  ASSERT_TRUE(is_saved(result));
  EXPECT_THAT(std::get<Saved>(result).warnings, ElementsAre(HasSubstr("line 1")));
}

// What is stopped in the middle leaves nothing that others would have to wait for.
TEST_F(SaveFaults, AStoppedWriterReleasesWhatItHolds) {
  service_.set("a", state(R"({"x": 1})"), {});
  on_call_ = [&](const Call& call) {
    if (call.operation == "put" && call.key == "b/state.json") world_.cancellation.cancel(SIGINT);
    world_.cancellation.throw_if_cancelled();
    return Fault::kNone;
  };
  EXPECT_THROW(service_.move("a", "b", {}), Error);
  EXPECT_FALSE(objects_->get("b/lock"));
  for (const char* id : {"a", "b"}) {
    EXPECT_EQ(find_lease(*objects_, id, world_.context), std::nullopt) << id;
  }
  EXPECT_EQ(stored("b"), "nothing");
}

// What each verb makes of a state with {"x": 1}; old or new, never anything else.
struct Verb {
  const char* name;
  WriteResult (*run)(StateService& service);
  const char* after;
};

class StoppedWriter : public StateServiceTest, public testing::WithParamInterface<Verb> {
 protected:
  void start() {
    objects_ = blob::make_memory_store(world_.clock);
    on_call_ = nullptr;
    open();
    ASSERT_TRUE(is_saved(service_.set("a", state(R"({"x": 1})"), {})));
    old_ = stored("a");
  }
  // An emptied state counts as removed.
  bool is_new() {
    const std::string now = stored("a");
    const bool is_emptied = now == R"({"completed": {}, "partial": {}})";
    return now == GetParam().after || (is_emptied && GetParam().after == std::string("nothing"));
  }
  bool is_old_or_new() { return stored("a") == old_ || is_new(); }

  std::string old_;
};

// The process dies before operation k, or after it took effect, for every k.
TEST_P(StoppedWriter, LeavesTheOldOrTheNewStateAndTheNextWriterGoesOn) {
  uint64_t calls = 1;
  for (uint64_t stop = 1; stop <= calls; ++stop) {
    for (const Fault last : {Fault::kNone, Fault::kAnswerLost, Fault::kRefused}) {
      start();
      uint64_t count = 0;
      on_call_ = [&](const Call&) {
        ++count;
        if (count > stop) throw Error(ErrorCode::kInternal, "stopped");
        return count == stop ? last : Fault::kNone;
      };
      try {
        GetParam().run(service_);
      } catch (const Error&) {
      }
      calls = std::max(calls, count);
      on_call_ = nullptr;
      EXPECT_TRUE(is_old_or_new()) << stop << stored("a");
      world_.clock.advance(66s);
      EXPECT_TRUE(is_saved(service_.set("a", state(R"({"next": 1})"), {}))) << stop;
      EXPECT_EQ(effective("a"), R"({"singer_state":{"bookmarks":{"next":1}}})");
    }
  }
  EXPECT_GT(calls, 6U);
}

// One call fails; what is acknowledged is there, and what is not, is old or new.
TEST_P(StoppedWriter, OneFailureNeverMakesALie) {
  for (const Fault fault : {Fault::kRefused, Fault::kNoAnswer, Fault::kAnswerLost,
                            Fault::kAnswerLate, Fault::kConditionLost, Fault::kForbidden}) {
    uint64_t calls = 1;
    for (uint64_t number = 1; number <= calls; ++number) {
      start();
      uint64_t count = 0;
      on_call_ = [&](const Call&) { return ++count == number ? fault : Fault::kNone; };
      std::optional<Saved> saved;
      try {
        const WriteResult result = GetParam().run(service_);
        if (const auto* done = std::get_if<Saved>(&result)) saved = *done;
      } catch (const Error&) {
      }
      calls = std::max(calls, count);
      if (saved) {
        EXPECT_TRUE(is_new()) << number << stored("a");
        EXPECT_TRUE(stored("a") == GetParam().after || !saved->warnings.empty()) << number;
      }
      EXPECT_TRUE(is_old_or_new()) << number << stored("a");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Verbs, StoppedWriter,
    testing::Values(
        Verb{"set", [](StateService& s) { return s.set("a", state(R"({"y": 2})"), {}); },
             R"({"completed": {"singer_state": {"bookmarks": {"y": 2}}}, "partial": {}})"},
        Verb{"merge", [](StateService& s) { return s.merge("a", state(R"({"y": 2})")); },
             R"({"completed": {"singer_state": {"bookmarks": {"x": 1}}}, )"
             R"("partial": {"singer_state": {"bookmarks": {"y": 2}}}})"},
        Verb{"clear", [](StateService& s) { return s.clear("a", false, {}); }, "nothing"},
        Verb{"move", [](StateService& s) { return s.move("a", "b", {}); }, "nothing"}),
    [](const auto& verb) { return verb.param.name; });

}  // namespace
}  // namespace tidemark::state
