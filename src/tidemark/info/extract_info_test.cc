#include "tidemark/info/extract_info.h"

#include <gtest/gtest.h>

#include "tidemark/json/read.h"

namespace tidemark::info {
namespace {

ExtractInfo info() {
  ExtractInfo info;
  info.pipeline_name = "p";
  info.loads_ids = {"1.5"};
  info.first_run = true;
  info.started_at = Time(std::chrono::seconds(1));
  info.finished_at = Time(std::chrono::seconds(2));
  info.warnings = {"page 3 was left out"};
  Time time(std::chrono::microseconds(1'796'041'947'208'537));
  WriterMetrics written{"1.5", "items", "", 1200, 2048, time, time};
  info.resource_metrics = {{written, json::read(R"({"incremental":[{"rows":4}]})").as_object()}};
  info.dag = {{"1.5", "items", "items"}};
  info.hints = {{"1.5", "items", json::read(R"({"primary_key":"id"})").as_object()}};
  return info;
}

TEST(ExtractInfo, IsReadBackFromItsJson) {
  EXPECT_EQ(extract_info_from_json(to_json(info())), info());
}

TEST(ExtractInfo, CustomMetricsAreFieldsOfTheRow) {
  json::Value json = to_json(info());
  const json::Value& row = json.find("resource_metrics")->as_array().at(0);
  EXPECT_NE(row.find("incremental"), nullptr);
  EXPECT_EQ(row.find("items_count")->as_int64(), 1200);
  EXPECT_EQ(row.find("resource_name")->as_string(), "items");
}

TEST(ExtractInfo, VerboseTextHasRowsAndBytes) {
  EXPECT_EQ(to_text(info(), 0), "\nWARNING: page 3 was left out");
  EXPECT_EQ(to_text(info(), 1),
            "Extracted data from the following resources:\n- items: 1200 row(s), 2.0K\n"
            "\nWARNING: page 3 was left out");
}

}  // namespace
}  // namespace tidemark::info
