#include "tidemark/json/value.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark::json {
namespace {

double to_double(const char* text) { return Number::from_text(text).to_double(); }

TEST(Number, IsTextAndEqualByText) {
  EXPECT_EQ(Number(int64_t{-5}).text(), "-5");
  EXPECT_EQ(Number(std::numeric_limits<uint64_t>::max()).text(), "18446744073709551615");
  EXPECT_EQ(Number(1.5).text(), "1.5");
  EXPECT_EQ(Number::from_text("1.50"), Number::from_text("1.50"));
  EXPECT_NE(Number::from_text("1.50"), Number(1.5));
}

TEST(Number, GivesAnIntegerOnlyWhenItIsOneThatFits) {
  EXPECT_EQ(Number::from_text("9223372036854775807").to_int64(), INT64_MAX);
  EXPECT_EQ(Number::from_text("-9223372036854775808").to_int64(), INT64_MIN);
  EXPECT_EQ(Number::from_text("9223372036854775808").to_int64(), std::nullopt);
  EXPECT_EQ(Number::from_text("1.0").to_int64(), std::nullopt);
  EXPECT_EQ(Number::from_text("1e2").to_int64(), std::nullopt);
  EXPECT_FALSE(Number::from_text("1E2").is_integer());
}

TEST(Number, BeyondTheRangeOfDoubleIsInfiniteOrZero) {
  EXPECT_EQ(to_double("1e400"), HUGE_VAL);
  EXPECT_EQ(to_double("-1e400"), -HUGE_VAL);
  EXPECT_EQ(to_double("1e-400"), 0.0);
  EXPECT_TRUE(std::signbit(to_double("-1e-400")));
  EXPECT_EQ(to_double((std::string(400, '9')).c_str()), HUGE_VAL);
  EXPECT_EQ(to_double(("0." + std::string(400, '0') + "1").c_str()), 0.0);
  EXPECT_EQ(to_double("1e99999999999999999999"), HUGE_VAL);
  EXPECT_EQ(to_double("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(to_double((std::string(400, '9') + "e-399").c_str()), 10.0);
}

TEST(Number, RefusesNaN) { EXPECT_THROW(Number(std::nan("")), Error); }

TEST(Object, KeepsThePlaceOfAKeyThatIsSetAgain) {
  Object object{{"a", 1}, {"b", 2}, {"a", 3}};
  ASSERT_EQ(object.size(), 2u);
  EXPECT_EQ(object.begin()->first, "a");
  EXPECT_EQ(object.find("a")->as_int64(), 3);
}

// The same steps below and above the size where a hash takes over.
class ObjectOfSize : public testing::TestWithParam<int> {};

TEST_P(ObjectOfSize, FindsErasesAndCopies) {
  Object object;
  for (int i = 0; i < GetParam(); ++i) object.set("key" + std::to_string(i), i);
  Object copy = object;
  EXPECT_EQ(copy, object);
  EXPECT_TRUE(object.erase("key1"));
  EXPECT_FALSE(object.erase("key1"));
  EXPECT_EQ(copy.size(), static_cast<size_t>(GetParam()));
  EXPECT_EQ(object.find("key1"), nullptr);
  for (int i = 2; i < GetParam(); ++i) {
    ASSERT_NE(object.find("key" + std::to_string(i)), nullptr);
    EXPECT_EQ(object.find("key" + std::to_string(i))->as_int64(), i);
    EXPECT_EQ(copy.find("key" + std::to_string(i))->as_int64(), i);
  }
  object["key1"] = "back";
  EXPECT_EQ((object.end() - 1)->first, "key1");
  const Object moved = std::move(object);
  EXPECT_EQ(moved.find("key1")->as_string(), "back");
}

INSTANTIATE_TEST_SUITE_P(Sizes, ObjectOfSize, testing::Values(3, 16, 17, 18, 200));

TEST(Object, OrderCountsForEquality) {
  EXPECT_NE((Object{{"a", 1}, {"b", 2}}), (Object{{"b", 2}, {"a", 1}}));
}

TEST(Value, NamesBothKindsWhenItIsNotTheExpectedOne) {
  try {
    Value("text").as_array();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_EQ(error.message(), "expected array, found string");
  }
}

TEST(Value, FindsNothingInWhatIsNoObject) {
  EXPECT_EQ(Value(1).find("a"), nullptr);
  EXPECT_EQ(Value().find("a"), nullptr);
  EXPECT_EQ(Value(Object{{"a", nullptr}}).find("b"), nullptr);
  ASSERT_NE(Value(Object{{"a", nullptr}}).find("a"), nullptr);
}

static_assert(!std::is_constructible_v<Value, const int*>, "a pointer is no boolean");

TEST(Number, ReadsExponentsAtTheEdgeOfTheirOwnRange) {
  EXPECT_EQ(Number::from_text("1e9223372036854775807").to_double(),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(Number::from_text("-1e9223372036854775807").to_double(),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(Number::from_text("1e-9223372036854775808").to_double(), 0.0);
  EXPECT_EQ(Number::from_text("1e99999999999999999999").to_double(),
            std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace tidemark::json
