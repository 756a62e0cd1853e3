#include "tidemark/cli/destination_url.h"

#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark::cli {
namespace {

std::string path_of(std::string_view text) {
  const DestinationChoice choice = parse_destination(text, "/home/ada");
  return choice.type + " " + choice.options.find("path")->as_string();
}

TEST(ParseDestination, ReadsBarePathsAndUrlsOfFiles) {
  EXPECT_EQ(path_of("out.duckdb"), "duckdb /home/ada/out.duckdb");
  EXPECT_EQ(path_of("/data/out.duckdb"), "duckdb /data/out.duckdb");
  EXPECT_EQ(path_of("duckdb:///out.duckdb"), "duckdb /home/ada/out.duckdb");
  EXPECT_EQ(path_of("duckdb:////data/out.duckdb"), "duckdb /data/out.duckdb");
  EXPECT_EQ(path_of("sqlite:///a/b.sqlite"), "sqlite /home/ada/a/b.sqlite");
}

TEST(ParseDestination, LeavesOtherUrlsToTheDestination) {
  const DestinationChoice choice = parse_destination("postgresql://user@host/db", "/home/ada");
  EXPECT_EQ(choice.type, "postgresql");
  EXPECT_EQ(choice.options.find("url")->as_string(), "postgresql://user@host/db");
}

TEST(ParseDestination, RefusesWhatNoDestinationIsCalled) {
  EXPECT_THROW(parse_destination("out.parquet", "/home/ada"), Error);
  EXPECT_THROW(parse_destination("duckdb:///", "/home/ada"), Error);
}

}  // namespace
}  // namespace tidemark::cli
