#include "tidemark/schema/decimal.h"

#include <gtest/gtest.h>

#include "tidemark/schema/number_text.h"

namespace tidemark::schema {
namespace {

constexpr Int128 kLargest =
    static_cast<Int128>(9'999'999'999'999'999'999ull) * 10'000'000'000'000'000'000ull +
    9'999'999'999'999'999'999ull;

TEST(ParseDecimal, ReadsWhatPythonReads) {
  EXPECT_EQ(parse_decimal("1.20"), (Decimal{120, 2}));
  EXPECT_EQ(parse_decimal(" -1_0.5\n"), (Decimal{-105, 1}));
  EXPECT_EQ(parse_decimal("1E+3"), (Decimal{1000, 0}));
  EXPECT_EQ(parse_decimal("+.5e-2"), (Decimal{5, 3}));
  EXPECT_EQ(parse_decimal("5."), (Decimal{5, 0}));
  EXPECT_EQ(parse_decimal("0.000"), (Decimal{0, 3}));
  EXPECT_EQ(parse_decimal("0x1F"), (Decimal{31, 0}));
  for (std::string_view text : {"", ".", "e5", "1e", "1e+-5", "1 2", "_1", "1__0", "NaN", "inf",
                                "0x", "0x1G", "1e999999999999"}) {
    EXPECT_EQ(parse_decimal(text), std::nullopt) << text;
  }
}

TEST(ParseDecimal, HoldsThirtyEightDigits) {
  const std::string nines(38, '9');
  EXPECT_EQ(parse_decimal(nines), (Decimal{kLargest, 0}));
  EXPECT_EQ(parse_decimal("-" + nines), (Decimal{-kLargest, 0}));
  EXPECT_EQ(parse_decimal("1" + std::string(38, '0')), std::nullopt);
  EXPECT_EQ(parse_decimal("1e38"), std::nullopt);
  EXPECT_EQ(parse_decimal("0." + nines + "9"), (Decimal{kLargest, 38}));
  EXPECT_EQ(parse_decimal("0x4b3b4ca85a86c47a098a223fffffffff"), (Decimal{kLargest, 0}));
  EXPECT_EQ(parse_decimal("0x4b3b4ca85a86c47a098a224000000000"), std::nullopt);
}

TEST(ParseDecimal, CutFractionIsNoWholeNumber) {
  const std::string tiny = "7." + std::string(50, '0') + "1";
  EXPECT_EQ(to_int64(parse_decimal(tiny).value()), std::nullopt);
  EXPECT_EQ(rescale(parse_decimal(tiny).value(), 2), 700);
  EXPECT_EQ(to_int64(parse_decimal("7." + std::string(50, '0')).value()), 7);
}

TEST(Rescale, RoundsHalfAwayFromZero) {
  EXPECT_EQ(rescale({15, 1}, 0), 2);
  EXPECT_EQ(rescale({-15, 1}, 0), -2);
  EXPECT_EQ(rescale({149, 2}, 0), 1);
  EXPECT_EQ(rescale({1, 50}, 9), 0);
  EXPECT_EQ(rescale({12, 1}, 3), 1200);
  EXPECT_EQ(rescale({kLargest, 0}, 0), kLargest);
  EXPECT_EQ(rescale({kLargest, 0}, 1), std::nullopt);
  EXPECT_EQ(rescale({-kLargest, 0}, 1), std::nullopt);
  EXPECT_EQ(rescale({1, 0}, 39), std::nullopt);
  EXPECT_EQ(rescale({0, 0}, 39), 0);
}

TEST(FormatPythonDecimal, WritesWhatPythonWrites) {
  EXPECT_EQ(format_python_decimal("1.20"), "1.20");
  EXPECT_EQ(format_python_decimal("1e3"), "1E+3");
  EXPECT_EQ(format_python_decimal("123e3"), "1.23E+5");
  EXPECT_EQ(format_python_decimal("-.5"), "-0.5");
  EXPECT_EQ(format_python_decimal("0.000001"), "0.000001");
  EXPECT_EQ(format_python_decimal("0.0000001"), "1E-7");
  EXPECT_EQ(format_python_decimal("0.00000012"), "1.2E-7");
  EXPECT_EQ(format_python_decimal("0"), "0");
  EXPECT_EQ(format_python_decimal("-0.00"), "-0.00");
  EXPECT_EQ(format_python_decimal("0E+2"), "0E+2");
  EXPECT_EQ(format_python_decimal("007"), "7");
  EXPECT_EQ(format_python_decimal(std::string(50, '7')), std::string(50, '7'));
  EXPECT_EQ(format_python_decimal("x"), std::nullopt);
}

TEST(PythonNumbers, FloatsAreWrittenAsPythonDoes) {
  EXPECT_EQ(format_python_float(1.5), "1.5");
  EXPECT_EQ(format_python_float(1e16), "1e+16");
  EXPECT_EQ(format_python_float(1e15), "1000000000000000.0");
  EXPECT_EQ(format_python_float(1e-4), "0.0001");
  EXPECT_EQ(format_python_float(1e-5), "1e-05");
  EXPECT_EQ(format_python_float(-0.0), "-0.0");
  EXPECT_EQ(format_python_float(1.2345678901234567e300), "1.2345678901234567e+300");
}

TEST(PythonNumbers, TextIsReadAsPythonDoes) {
  EXPECT_EQ(parse_python_int(" +1_000\t"), 1000);
  EXPECT_EQ(parse_python_int("\u30005"), 5);
  EXPECT_EQ(parse_python_int("0x7fffffffffffffff"), INT64_MAX);
  for (std::string_view text : {"", "+", "+-5", "--5", "1_", "_1", "1__0", "0x", "0x-1", "1.0"}) {
    EXPECT_EQ(parse_python_int(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_python_float("-Infinity"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_python_float("+1_0.5e1"), 105.0);
  for (std::string_view text : {"", ".", "nan(1)", "--1", "1e", "1e400", "1,5", "infinit"}) {
    EXPECT_EQ(parse_python_float(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace tidemark::schema
