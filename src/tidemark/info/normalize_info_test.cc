#include "tidemark/info/normalize_info.h"

#include <gtest/gtest.h>

namespace tidemark::info {
namespace {

NormalizeInfo info() {
  NormalizeInfo info;
  info.loads_ids = {"1.5", "2.5"};
  WriterMetrics job{"1.5", "items.0123456789.columns", "/p/items.0123456789.0.columns", 2, 64, {},
                    {}};
  info.job_metrics = {job};
  info.table_metrics = {{"1.5", "items", "", 2, 64, {}, {}},
                        {"1.5", "tags", "", 3, 10, {}, {}},
                        {"2.5", "items", "", 5, 90, {}, {}}};
  return info;
}

TEST(NormalizeInfo, AddsRowsOfAllPackages) {
  EXPECT_EQ(info().row_counts(), (RowCounts{{"items", 7}, {"tags", 3}}));
}

TEST(NormalizeInfo, PrintsAsDltDoes) {
  EXPECT_EQ(to_text(info(), 0),
            "Normalized data for the following tables:\n- items: 7 row(s)\n- tags: 3 row(s)\n");
  EXPECT_EQ(to_text(NormalizeInfo(), 0), "No data found to normalize");
}

TEST(NormalizeInfo, LossesAreShownAtEveryVerbosity) {
  NormalizeInfo lossy = info();
  lossy.losses.variant_columns = 2;
  lossy.losses.dropped_values = 1'234;
  EXPECT_TRUE(to_text(lossy, 0).ends_with(
      "\nLossy choices: 2 variant column(s) made, 1,234 value(s) dropped"));
}

TEST(NormalizeInfo, IsReadBackFromItsJson) {
  NormalizeInfo written = info();
  written.losses = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(normalize_info_from_json(to_json(written)), written);
}

TEST(NormalizeInfo, JobRowsNameTheirTable) {
  json::Value json = to_json(info());
  const json::Value& row = json.find("job_metrics")->as_array().at(0);
  EXPECT_EQ(row.find("table_name")->as_string(), "items");
  EXPECT_EQ(row.find("job_id")->as_string(), "items.0123456789.columns");
}

}  // namespace
}  // namespace tidemark::info
