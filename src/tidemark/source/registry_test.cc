#include "tidemark/source/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/config/yaml.h"

namespace tidemark::source {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Source made(std::string_view yaml) {
  return make_source("shop", config::read_yaml(yaml, "tidemark.yml"), {.directory = "/project"});
}

std::string refusal(std::string_view yaml) {
  try {
    made(yaml);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(MakeSource, OfFilesHasOneResourceNamedLikeTheSource) {
  Source source = made(
      "{type: files, path: data/*.csv, primary_key: id, write_disposition: merge, table_name: t,"
      " incremental: {cursor_path: day}}");
  ASSERT_EQ(source.resources().size(), 1u);
  const ResourceOptions& options = source.find("shop")->options();
  EXPECT_THAT(options.primary_key, ElementsAre("id"));
  EXPECT_EQ(options.write_disposition, WriteDisposition::kMerge);
  EXPECT_EQ(options.table_name, "t");
  EXPECT_EQ(options.incremental->first, "day");
}

TEST(MakeSource, OfFilesTakesSeveralResources) {
  Source source = made(
      "{type: files, resources: [{name: a, path: a.csv, delimiter: ';'},"
      " {name: b, path: b.jsonl, format: jsonl}]}");
  EXPECT_NE(source.find("a"), nullptr);
  EXPECT_NE(source.find("b"), nullptr);
}

TEST(MakeSource, NamesPlaceAndFaultOfASetting) {
  EXPECT_THAT(refusal("{type: files, pth: a.csv}"), HasSubstr("path"));
  EXPECT_THAT(refusal("{type: files, path: a.csv, delimiter: ';;'}"),
              HasSubstr("delimiter: expected one character"));
  EXPECT_THAT(refusal("{type: files, resources: [{name: a}]}"), HasSubstr("path"));
  EXPECT_THAT(refusal("{type: carrier_pigeon}"), HasSubstr("there are: files, rest"));
}

}  // namespace
}  // namespace tidemark::source
