#include "tidemark/cli/ingest_plan.h"

#include <gtest/gtest.h>

namespace tidemark::cli {
namespace {

IngestPlan plan(const std::string& source, const std::string& to = "") {
  IngestArguments arguments;
  arguments.source = source;
  arguments.to = to;
  return plan_ingest(arguments, "/home/ada");
}

TEST(PlanIngest, IsNamedAfterTheSourcesStem) {
  EXPECT_EQ(plan("data/Sales Orders.csv.gz").name, "sales_orders");
  EXPECT_EQ(plan("data/events/*.jsonl").name, "events");
  EXPECT_EQ(plan("-").name, "stdin");
  EXPECT_EQ(plan("https://api.example.com/v1/pulls?page=1").name, "pulls");
  EXPECT_EQ(plan("*.csv").name, "ada");
}

TEST(PlanIngest, KeepsTwoFilesOfOneNameApart) {
  EXPECT_NE(plan("a/orders.csv").pipeline, plan("b/orders.csv").pipeline);
  EXPECT_NE(plan("orders.csv", "a.duckdb").pipeline, plan("orders.csv", "b.duckdb").pipeline);
  EXPECT_EQ(plan("orders.csv").pipeline, plan("./orders.csv").pipeline);
  EXPECT_EQ(plan("orders.csv", "a.duckdb").pipeline,
            plan("orders.csv", "duckdb:///a.duckdb").pipeline);
}

TEST(PlanIngest, LoadsIntoADuckDbFileInTheCurrentFolderByDefault) {
  IngestPlan made = plan("/data/orders.csv");
  EXPECT_EQ(made.destination.type, "duckdb");
  EXPECT_EQ(made.destination.options.find("path")->as_string(), "/home/ada/orders.duckdb");
  EXPECT_EQ(made.dataset, "orders_dataset");
}

TEST(PlanIngest, MergesWhenThereIsAKey) {
  IngestArguments arguments;
  arguments.source = "orders.csv";
  EXPECT_EQ(plan_ingest(arguments, "/").resource.write_disposition,
            source::WriteDisposition::kAppend);
  arguments.key = {"id"};
  EXPECT_EQ(plan_ingest(arguments, "/").resource.write_disposition,
            source::WriteDisposition::kMerge);
  arguments.write_disposition = "append";
  EXPECT_EQ(plan_ingest(arguments, "/").resource.write_disposition,
            source::WriteDisposition::kAppend);
}

TEST(PlanIngest, TakesTableCursorAndWholeRowsAsGiven) {
  IngestArguments arguments;
  arguments.source = "orders.csv";
  arguments.table = "facts";
  arguments.cursor = "day";
  arguments.as_json = true;
  const source::ResourceOptions resource = plan_ingest(arguments, "/").resource;
  EXPECT_EQ(resource.table_name, "facts");
  EXPECT_EQ(resource.incremental->first, "day");
  EXPECT_TRUE(resource.as_json);
}

}  // namespace
}  // namespace tidemark::cli
