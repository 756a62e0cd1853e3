#include "tidemark/schema/coerce.h"

#include <cmath>

#include <gmock/gmock.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/datetime.h"
#include "tidemark/json/page.h"
#include "tidemark/json/typed.h"
#include "tidemark/json/write.h"
#include "tidemark/schema/golden_cases.h"

namespace tidemark::schema {
namespace {

// A value with the document that holds it.
class Holder {
 public:
  explicit Holder(const json::Value& value) {
    json::DocumentBuilder builder;
    builder.value(value);
    document_ = builder.finish();
  }
  json::Node node() const { return document_->root(); }

 private:
  std::shared_ptr<const json::Document> document_;
};

// Integers beyond 64 bits and doubles that JSON lacks are {"$int": digits} and {"$float": name}.
json::Value decode(const json::Value& value) {
  if (const json::Value* digits = value.find("$int")) {
    return json::Number::from_text(digits->as_string());
  }
  return value;
}

// Where a value ended up: in which column, of what type, as what.
struct Outcome {
  std::string column;
  DataType type = DataType::kText;
  Scalar value;
};

std::string column_of(const std::string& column, json::Node value) {
  return column + "__v_" + std::string(to_string(own_type(value)));
}

Outcome put(json::Node value, std::optional<DataType> column, const Detections& detections) {
  const DataType inferred = infer_type(value, detections);
  if (std::optional<Scalar> scalar = coerce(value, column.value_or(inferred))) {
    return {"c", column.value_or(inferred), *scalar};
  }
  return {column_of("c", value), inferred, coerce(value, inferred).value()};
}

std::string shown(const Scalar& scalar) {
  switch (scalar.type) {
    case DataType::kTimestamp:
      return format_iso(Time(std::chrono::microseconds(std::get<int64_t>(scalar.value))));
    case DataType::kDate:
      return format_iso_date(static_cast<int32_t>(std::get<int64_t>(scalar.value)));
    case DataType::kTime:
      return format_iso_time(std::get<int64_t>(scalar.value));
    case DataType::kBinary:
      return base64_encode(std::get<std::string>(scalar.value));
    case DataType::kJson:
    case DataType::kText:
      return std::get<std::string>(scalar.value);
    case DataType::kBigint:
      return std::to_string(std::get<int64_t>(scalar.value));
    case DataType::kBool:
      return std::get<bool>(scalar.value) ? "true" : "false";
    case DataType::kDouble: {
      const double value = std::get<double>(scalar.value);
      return std::isnan(value) ? "nan" : std::isinf(value) ? "inf" : json::Number(value).text();
    }
    case DataType::kDecimal:
    case DataType::kWei: {
      const Decimal value = std::get<Decimal>(scalar.value);
      return std::to_string(static_cast<int64_t>(value.unscaled)) + "/10^" +
             std::to_string(value.scale);
    }
  }
  return {};
}

// The same of what a golden row holds. A naive date-time is one in UTC.
std::string expected(const json::Value& value, DataType type) {
  if (const json::Value* name = value.find("$float")) {
    return name->as_string();
  }
  if (type == DataType::kJson) {
    return json::write(value);
  }
  if (!value.is_string()) {
    return json::write(value);
  }
  const auto marked = json::typed(value.as_string());
  const std::string text(marked ? marked->second : std::string_view(value.as_string()));
  switch (type) {
    case DataType::kTimestamp:
      return format_iso(
          Time(std::chrono::microseconds(parse_iso_datetime(text).value().utc_micros())));
    case DataType::kDecimal:
    case DataType::kWei:
      return shown({type, parse_decimal(text).value()});
    case DataType::kBinary:
      return value == json::Value(json::make_typed(json::TypedKind::kBytes, "")) ? "" : text;
    default:
      return text;
  }
}

Detections detections_of(const json::Value& golden) {
  Detections detections;
  const json::Value* names = golden.find("detections");
  if (names == nullptr) {
    return detections;
  }
  const std::string name = names->as_array().front().as_string();
  detections.iso_timestamp = false;
  detections.iso_date = name == "iso_date";
  detections.wei_to_double = name == "wei_to_double";
  if (name == "timestamp") {
    detections.timestamp_around = 1'790'000'000;
  }
  return detections;
}

std::optional<DataType> column_type(const json::Value& golden) {
  const json::Value* column = golden.find("column");
  return column == nullptr ? std::nullopt : data_type_from(column->find("data_type")->as_string());
}

// Where dlt passes a value on that no destination can hold, or names a column as nothing else does.
struct Difference {
  std::string_view op;
  std::string_view to;  // data type of the column; empty when there was none
  std::string_view value;
  std::string_view column;  // ours
  DataType type;
  std::string_view why;
};

const std::vector<Difference>& differences() {
  static const std::vector<Difference> list = {
      {"infer", "", "9223372036854775808", "c", DataType::kWei, "bigint fails at load"},
      {"infer", "", "18446744073709551615", "c", DataType::kWei, "bigint fails at load"},
      {"infer", "",
       "\"\uF02C100000000000000000000000000000000000000000000000000000000000000000000000000000\"",
       "c", DataType::kText, "one rule for every number too large, not a column c__v_str"},
      {"infer", "",
       "\"\uF02C-100000000000000000000000000000000000000000000000000000000000000000000000000000\"",
       "c", DataType::kText, "one rule for every number too large, not a column c__v_str"},
      {"coerce", "bigint", "1e+20", "c__v_double", DataType::kDouble, "bigint fails at load"},
      {"coerce", "bigint", "{\"$int\":\"1180591620717411303424\"}", "c__v_wei", DataType::kWei,
       "bigint fails at load"},
      {"coerce", "decimal", "\"NaN\"", "c__v_text", DataType::kText,
       "DuckDB's decimals have no NaN"},
  };
  return list;
}

const Difference* find_difference(const json::Value& golden) {
  const json::Value* column = golden.find("column");
  const std::string to = column == nullptr ? "" : column->find("data_type")->as_string();
  for (const Difference& difference : differences()) {
    if (golden.find("op")->as_string() == difference.op && to == difference.to &&
        golden.find("detections") == nullptr &&
        json::write(*golden.find("value")) == difference.value) {
      return &difference;
    }
  }
  return nullptr;
}

void expect_row(const json::Value& golden) {
  const std::string label = json::write(golden);
  const Holder value(decode(*golden.find("value")));
  const Outcome outcome = put(value.node(), column_type(golden), detections_of(golden));
  if (const Difference* difference = find_difference(golden)) {
    EXPECT_EQ(outcome.column, difference->column) << label;
    EXPECT_EQ(outcome.type, difference->type) << label;
    return;
  }
  const auto& [column, expected_value] = *golden.find("row")->as_object().begin();
  EXPECT_EQ(outcome.column, column) << label;
  const json::Value* columns = golden.find("columns");
  const json::Value* created =
      (columns == nullptr ? golden.find("new_columns") : columns)->find(column);
  if (created != nullptr) {
    EXPECT_EQ(to_string(outcome.type), created->find("data_type")->as_string()) << label;
  }
  EXPECT_EQ(outcome.value.type, outcome.type) << label;
  EXPECT_EQ(shown(outcome.value), expected(expected_value, outcome.type)) << label;
}

TEST(Coerce, ValuesBecomeWhatDltMakesOfThem) {
  size_t differing = 0;
  for (const json::Value& golden : read_golden("types.json")) {
    if (!golden.find("value")->is_null()) {  // nulls are the normalizer's
      expect_row(golden);
      differing += find_difference(golden) != nullptr ? 1 : 0;
    }
  }
  EXPECT_EQ(differing, differences().size());
}

std::optional<Scalar> coerce_text(std::string_view json, DataType to) {
  return coerce(Holder(json::read(json)).node(), to);
}

TEST(Coerce, BigintHoldsExactly64Bits) {
  const auto bigint = [](std::string_view json) {
    std::optional<Scalar> scalar = coerce_text(json, DataType::kBigint);
    return scalar ? std::optional(std::get<int64_t>(scalar->value)) : std::nullopt;
  };
  EXPECT_EQ(bigint("\"9223372036854775807\""), INT64_MAX);
  EXPECT_EQ(bigint("\"-9223372036854775808\""), INT64_MIN);
  EXPECT_EQ(bigint("\"9223372036854775808\""), std::nullopt);
  EXPECT_EQ(bigint("-9223372036854775808.0"), INT64_MIN);
  EXPECT_EQ(bigint("9223372036854775808.0"), std::nullopt);
  EXPECT_EQ(bigint("9223372036854775808"), std::nullopt);
  EXPECT_EQ(bigint("\"\uF026-9223372036854775808.000\""), INT64_MIN);
  EXPECT_EQ(bigint("\"\uF0269.00000000000000000000000000000000000000000001\""), std::nullopt);
}

TEST(Coerce, NumbersBeyondEveryTypeAreText) {
  const auto type = [](const std::string& json) {
    const Holder value(json::read(json));
    EXPECT_EQ(own_type(value.node()), infer_type(value.node(), Detections()));
    return own_type(value.node());
  };
  EXPECT_EQ(type(std::string(38, '9')), DataType::kWei);
  EXPECT_EQ(type("1" + std::string(38, '0')), DataType::kText);
  EXPECT_EQ(type("-" + std::string(38, '9')), DataType::kWei);
  EXPECT_EQ(type("1e400"), DataType::kText);
  EXPECT_EQ(type("\"\uF026" + std::string(39, '9') + "\""), DataType::kText);
  EXPECT_EQ(type("\"\uF026NaN\""), DataType::kText);
  EXPECT_EQ(coerce_text("1e400", DataType::kText), (Scalar{DataType::kText, "1e400"}));
  const std::string long_number = "1" + std::string(38, '0');
  EXPECT_EQ(coerce_text(long_number, DataType::kText), (Scalar{DataType::kText, long_number}));
  EXPECT_EQ(coerce_text(long_number, DataType::kJson), std::nullopt);
  EXPECT_EQ(coerce_text(long_number, DataType::kBinary), std::nullopt);
}

TEST(Coerce, TypedStringThatIsNotWhatItsMarkerSaysStaysAsItIs) {
  const std::string broken = "\"\uF028no date\"";
  EXPECT_EQ(own_type(Holder(json::read(broken)).node()), DataType::kText);
  EXPECT_EQ(coerce_text(broken, DataType::kText), (Scalar{DataType::kText, "\uF028no date"}));
  EXPECT_EQ(coerce_text(broken, DataType::kDate), std::nullopt);
}

TEST(Coerce, MarkersLeaveJsonTextsButNotKeys) {
  EXPECT_EQ(coerce_text("{\"\uF028k\":[\"\uF0282024-01-02\",\"\\\"\uF028x\",\"\uF028\"],\"n\":"
                        "12345678901234567890123}",
                        DataType::kJson),
            (Scalar{DataType::kJson,
                    "{\"\uF028k\":[\"2024-01-02\",\"\\\"\uF028x\",\"\uF028\"],\"n\":"
                    "12345678901234567890123}"}));
}

TEST(Coerce, InstantsBeyondPythonsYearsAreText) {
  for (std::string_view json : {"\"0001-01-01T00:00:00+14:00\"", "\"9999-12-31T23:59:59-01:00\""}) {
    const Holder value(json::read(json));
    EXPECT_EQ(infer_type(value.node(), Detections()), DataType::kText) << json;
    EXPECT_EQ(coerce(value.node(), DataType::kTimestamp), std::nullopt) << json;
  }
  EXPECT_EQ(coerce_text("1e300", DataType::kTimestamp), std::nullopt);
  EXPECT_EQ(coerce_text("\"nan\"", DataType::kTimestamp), std::nullopt);
  EXPECT_EQ(coerce_text("253402300800", DataType::kTimestamp), std::nullopt);
  EXPECT_EQ(coerce_text("-1.5", DataType::kTimestamp),
            (Scalar{DataType::kTimestamp, int64_t{-1'500'000}}));
  EXPECT_EQ(coerce_text("-0.5", DataType::kDate), (Scalar{DataType::kDate, int64_t{-1}}));
}

TEST(Coerce, InferredTypeTakesTheValue) {
  Detections all;
  all.iso_date = true;
  all.wei_to_double = true;
  all.timestamp_around = 1.8e9;
  for (const json::Value& golden : read_golden("types.json")) {
    const Holder value(decode(*golden.find("value")));
    if (!value.node().is_null()) {
      for (const Detections& detections : {all, Detections()}) {
        EXPECT_TRUE(coerce(value.node(), infer_type(value.node(), detections)))
            << json::write(golden);
      }
    }
  }
}

TEST(Detections, AreThoseOfTheSchema) {
  json::Object document = Schema::make("s").document();
  document.find("settings")->as_object().set("detections", json::Array{"timestamp", "iso_date"});
  const Detections detections = make_detections(
      Schema::from_json(document, false), Time(std::chrono::microseconds(1'800'000'000'500'000)));
  EXPECT_FALSE(detections.iso_timestamp);
  EXPECT_TRUE(detections.iso_date);
  EXPECT_EQ(detections.timestamp_around, 1'800'000'000.5);
}

}  // namespace
}  // namespace tidemark::schema
