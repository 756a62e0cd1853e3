#include "tidemark/json/node.h"

#include <string>

#include <gtest/gtest.h>

#include "tidemark/json/page.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace tidemark::json {
namespace {

std::shared_ptr<const Document> parse(std::string_view text) {
  Parser parser;
  return parser.parse_document(Buffer(text));
}

std::string orjson(std::string_view text, bool sort_keys = false) {
  std::string out;
  append_orjson(out, parse(text)->root(), sort_keys);
  return out;
}

TEST(Node, WalksArraysAndObjects) {
  const auto document = parse(R"([1,[2,[]],{"a":{"b":"c"}},-1.5,"x",true,null])");
  const Node root = document->root();
  ASSERT_EQ(root.count(), 7u);
  std::string kinds;
  for (Node item = root.first(); item != root.end(); item = item.next()) {
    kinds.push_back(static_cast<char>(item.kind()));
  }
  EXPECT_EQ(kinds, "l[{d\"tn");
  const Node object = root.first().next().next();
  EXPECT_EQ(object.first().string(), "a");
  EXPECT_EQ(object.find("a")->find("b")->string(), "c");
  EXPECT_FALSE(object.find("b"));
  EXPECT_FALSE(root.find("a"));
  EXPECT_TRUE(parse("[]")->root().is_empty());
  EXPECT_TRUE(parse("{}")->root().is_empty());
  EXPECT_FALSE(root.is_empty());
}

TEST(Node, TellsIntegersApartByTheirRange) {
  const auto document = parse("[9223372036854775807,9223372036854775808,18446744073709551615]");
  const Node first = document->root().first();
  EXPECT_EQ(first.kind(), Kind::kInt64);
  EXPECT_EQ(first.int64(), INT64_MAX);
  EXPECT_EQ(first.next().kind(), Kind::kUint64);
  EXPECT_EQ(first.next().uint64(), 9223372036854775808u);
  EXPECT_EQ(first.next().next().uint64(), UINT64_MAX);
}

TEST(Node, KeepsTheDigitsOfWhatFitsNeitherIntegerNorDouble) {
  const auto document = parse("[18446744073709551616,-9223372036854775809,1e400,1.5,7]");
  Node item = document->root().first();
  for (const char* digits : {"18446744073709551616", "-9223372036854775809", "1e400"}) {
    EXPECT_EQ(item.kind(), Kind::kBigNumber);
    EXPECT_EQ(item.string(), digits);
    item = item.next();
  }
  EXPECT_EQ(item.number(), 1.5);
  EXPECT_EQ(item.next().int64(), 7);
}

TEST(Node, LastOfDuplicateKeysIsFound) {
  const auto document = parse(R"({"a":1,"b":2,"a":3})");
  EXPECT_EQ(document->root().find("a")->int64(), 3);
  EXPECT_EQ(write(to_value(document->root())), R"({"a":3,"b":2})");
}

TEST(AppendOrjson, MergesDuplicateKeysInThePlaceOfTheFirst) {
  EXPECT_EQ(orjson(R"({"a":1,"b":{"x":0,"x":[]},"a":3})"), R"({"a":3,"b":{"x":[]}})");
  std::string text = "{";
  std::string expected = "{";
  for (int i = 0; i < 40; ++i) {
    const std::string member = "\"k" + std::to_string(i) + "\":";
    text += member + "0,";
    expected += (i ? "," : "") + member + (i == 7 ? "1" : "0");
  }
  EXPECT_EQ(orjson(text + "\"k7\":1}"), expected + "}");
}

TEST(AppendOrjson, WritesWhatTheWriterOfValuesWrites) {
  for (const char* text :
       {R"({"z":[1.50,1E2,-0.0,0.00001,1e16],"a":{"é":"\u0000\"/\n😀","b":[[],{}]},"":null})",
        R"([9223372036854775808,true,false,-5])", "1", "\"x\""}) {
    for (const bool sort_keys : {false, true}) {
      EXPECT_EQ(orjson(text, sort_keys), write_orjson(read(text), sort_keys));
    }
  }
}

TEST(AppendOrjson, KeepsBigNumbers) {
  EXPECT_EQ(orjson("[18446744073709551616,1e400]"), "[18446744073709551616,1e400]");
}

}  // namespace
}  // namespace tidemark::json
