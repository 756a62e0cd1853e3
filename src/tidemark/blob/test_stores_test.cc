#include "tidemark/blob/test_stores.h"

#include "tidemark/base/error.h"
#include "tidemark/blob/conformance.h"
#include "tidemark/blob/memory.h"

namespace tidemark::blob {
namespace {

class DistantStores : public testing::TestWithParam<Check> {};

TEST_P(DistantStores, Conform) {
  SystemClock clock;
  const auto inner = make_memory_store(clock);
  GetParam().run(
      [&] { return std::make_shared<DistantStore>(*inner, std::chrono::microseconds(100)); });
}

INSTANTIATE_TEST_SUITE_P(Blob, DistantStores, testing::ValuesIn(conformance_checks()),
                         name_of_check);

class FaultyStores : public testing::TestWithParam<Check> {};

TEST_P(FaultyStores, ConformWithoutAFault) {
  SystemClock clock;
  const auto inner = make_memory_store(clock);
  GetParam().run([&] {
    return std::make_shared<FaultyStore>(*inner, [](const Call&) { return Fault::kNone; });
  });
}

INSTANTIATE_TEST_SUITE_P(Blob, FaultyStores, testing::ValuesIn(conformance_checks()),
                         name_of_check);

TEST(FaultyStore, FailsTheCallItIsToldTo) {
  SystemClock clock;
  const auto inner = make_memory_store(clock);
  const auto code_of_second_put = [&](Fault fault) {
    FaultyStore store(*inner, fail_call(2, fault));
    store.put("a", "1", Always{});
    try {
      store.put("a", "2", Always{});
    } catch (const Error& error) {
      return error.code();
    }
    ADD_FAILURE() << "no error";
    return ErrorCode::kInternal;
  };
  EXPECT_EQ(code_of_second_put(Fault::kRefused), ErrorCode::kUnavailable);
  EXPECT_EQ(inner->get("a")->bytes, "1");
  EXPECT_EQ(code_of_second_put(Fault::kNoAnswer), ErrorCode::kTimeout);
  EXPECT_EQ(inner->get("a")->bytes, "1");
  EXPECT_EQ(code_of_second_put(Fault::kForbidden), ErrorCode::kUnauthorized);
  EXPECT_EQ(inner->get("a")->bytes, "1");
  EXPECT_EQ(code_of_second_put(Fault::kAnswerLost), ErrorCode::kUnavailable);
  EXPECT_EQ(inner->get("a")->bytes, "2");
  EXPECT_EQ(code_of_second_put(Fault::kAnswerLate), ErrorCode::kTimeout);
  EXPECT_EQ(inner->get("a")->bytes, "2");
}

TEST(FaultyStore, LosesAConditionThatHeld) {
  SystemClock clock;
  const auto inner = make_memory_store(clock);
  FaultyStore store(*inner, fail_call(1, Fault::kConditionLost));
  EXPECT_FALSE(store.put("a", "1", IfAbsent{}));
  EXPECT_FALSE(inner->get("a"));
  EXPECT_TRUE(store.put("a", "1", IfAbsent{}));
  EXPECT_EQ(store.calls(), 2u);
}

}  // namespace
}  // namespace tidemark::blob
