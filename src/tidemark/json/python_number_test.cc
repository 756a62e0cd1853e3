#include "tidemark/json/python_number.h"

#include <gtest/gtest.h>

#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace tidemark::json {
namespace {

std::string text(const char* number) { return python_number(Number::from_text(number)).text(); }

TEST(PythonNumber, IsWhatPythonMakesOfIt) {
  EXPECT_EQ(text("12345678901234567890123"), "12345678901234567890123");
  EXPECT_EQ(text("1e5"), "100000.0");
  EXPECT_EQ(text("1.50"), "1.5");
  EXPECT_EQ(text("1E-7"), "1e-07");
  EXPECT_EQ(text("0.0001"), "0.0001");
  EXPECT_EQ(text("0.00001"), "1e-05");
  EXPECT_EQ(text("1e15"), "1000000000000000.0");
  EXPECT_EQ(text("1e16"), "1e+16");
  EXPECT_EQ(text("1.5e300"), "1.5e+300");
  EXPECT_EQ(text("123456789012345.6"), "123456789012345.6");
  EXPECT_EQ(text("0.0"), "0.0");
  EXPECT_EQ(text("-0.0"), "-0.0");
  EXPECT_EQ(text("-1e400"), "-Infinity");
  EXPECT_EQ(text("NaN"), "NaN");
}

TEST(WithPythonNumbers, ReachesEveryDepth) {
  EXPECT_EQ(write(with_python_numbers(read(R"({"a":[1e5,{"b":1.50}],"c":"1e5","d":7})"))),
            R"({"a":[100000.0,{"b":1.5}],"c":"1e5","d":7})");
}

}  // namespace
}  // namespace tidemark::json
