#include "tidemark/json/page.h"

#include <string>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace tidemark::json {
namespace {

std::string fault(std::string_view text, uint64_t line = 1, uint64_t byte = 1) {
  Parser parser;
  const Buffer buffer(text);
  try {
    parser.parse(buffer.view(), line, byte);
    return "no fault";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    return error.message();
  }
}

std::string parsed(std::string_view text) {
  Parser parser;
  const Buffer buffer(text);
  return write(to_value(parser.parse(buffer.view())));
}

std::vector<std::string> rows_of(const Page& page) {
  Parser parser;
  RowReader reader(page, parser);
  std::vector<std::string> rows;
  while (const auto row = reader.next()) rows.push_back(write(to_value(*row)));
  return rows;
}

std::string nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Buffer, GrowsAndKeepsZeroedPadding) {
  Buffer buffer;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    buffer.append("0123456789");
    expected += "0123456789";
  }
  EXPECT_EQ(buffer.view(), expected);
  buffer.resize(10);
  EXPECT_EQ(std::string(buffer.data() + 10, Buffer::kPadding), std::string(Buffer::kPadding, '\0'));
}

// What simdjson's DOM refuses as a whole.
TEST(Parser, ReadsWhatTheFastPathRefuses) {
  EXPECT_EQ(parsed(R"({"a":18446744073709551616,"b":1})"), R"({"a":18446744073709551616,"b":1})");
  EXPECT_EQ(parsed("[1e400]"), "[1e400]");
  EXPECT_EQ(parsed(R"(["\ud800"])"), "[\"\uFFFD\"]");
  EXPECT_EQ(parsed(nested(kMaxDepth)), nested(kMaxDepth));
}

TEST(Parser, LoneSurrogatesNeverReachARowAsBytes) {
  for (const char* text :
       {R"("\ud800\u0041")", R"("\udc00")", R"("\ud83d\ud83d\ude00")", R"("\uDFFF\uD800")",
        R"("\ud800\u0000")", R"("\ud800\uffff")", R"("\udbff\ue000")"}) {
    EXPECT_EQ(parsed(text), write(read(text))) << text;
  }
}

TEST(Parser, NamesLineAndByteOfAFault) {
  EXPECT_EQ(fault("", 3, 9), "line 3, byte 9: expected a value, found the end");
  EXPECT_EQ(fault("{\"a\":\n tru}", 3, 9), "line 4, byte 2: expected a value");
  EXPECT_EQ(fault("\"a\xFF\"", 3, 9), "line 3, byte 11: invalid UTF-8");
  EXPECT_EQ(fault("{} {}"), "line 1, byte 4: expected nothing after the value");
  EXPECT_EQ(fault(std::string_view("1\0", 2)), "line 1, byte 2: expected nothing after the value");
  EXPECT_EQ(fault(nested(kMaxDepth + 1)), "line 1, byte 1025: nested deeper than 1024");
}

TEST(Parser, IsUsableAfterAFaultAndForRowsOfAnySize) {
  Parser parser;
  for (size_t size = 1; size < 2'000'000; size *= 7) {
    const Buffer bad("[1,");
    EXPECT_THROW(parser.parse(bad.view()), Error);
    const Buffer text("\"" + std::string(size, 'x') + "\"");
    EXPECT_EQ(parser.parse(text.view()).string().size(), size);
  }
}

TEST(Parser, GivesADocumentThatOutlivesIt) {
  std::shared_ptr<const Document> document;
  {
    Parser parser;
    document = parser.parse_document(Buffer(R"({"a":["x",1,2.5,"last"],"b":7})"));
    parser.parse_document(Buffer("[\"other\"]"));
  }
  EXPECT_EQ(write(to_value(document->root())), R"({"a":["x",1,2.5,"last"],"b":7})");
  EXPECT_LT(document->byte_size(), 200u);
}

TEST(DocumentBuilder, WritesEveryKindAndSharesKeys) {
  DocumentBuilder builder;
  builder.begin_array();
  for (int i = 0; i < 2; ++i) {
    builder.begin_object();
    builder.key("name");
    builder.string("x");
    builder.key("n");
    builder.int64(-i);
    builder.end_object();
  }
  builder.null();
  builder.boolean(true);
  builder.uint64(UINT64_MAX);
  builder.uint64(5);
  builder.number(0.5);
  builder.big_number("1e999");
  builder.value(read(R"({"a":[1,2.50,18446744073709551616],"b":{"c":null}})"));
  builder.end_array();
  const auto document = builder.finish();
  EXPECT_EQ(write(to_value(document->root())),
            R"([{"name":"x","n":0},{"name":"x","n":-1},null,true,18446744073709551615,5,0.5,1e999,)"
            R"({"a":[1,2.5,18446744073709551616],"b":{"c":null}}])");
  EXPECT_EQ(document->root().count(), 9u);
  const Node first = document->root().first();
  EXPECT_EQ(first.first().string().data(), first.next().first().string().data());
}

TEST(DocumentBuilder, StartsEmptyAfterFinish) {
  DocumentBuilder builder;
  builder.value(Object{{"a", 1}});
  const auto first = builder.finish();
  builder.value(Object{{"a", 2}});
  const auto second = builder.finish();
  EXPECT_EQ(write(to_value(first->root())), R"({"a":1})");
  EXPECT_EQ(write(to_value(second->root())), R"({"a":2})");
}

TEST(Page, OfTextsParsesEachRow) {
  const auto buffer = std::make_shared<const Buffer>("{\"a\":1}\n[2]\n");
  const Page page = Page::texts(
      buffer, {{.offset = 0, .size = 7}, {.offset = 8, .size = 3, .line = 2}}, "file.jsonl");
  EXPECT_EQ(page.row_count(), 2u);
  EXPECT_GE(page.byte_size(), 12u);
  EXPECT_EQ(rows_of(page), (std::vector<std::string>{R"({"a":1})", "[2]"}));
}

TEST(Page, NamesOriginLineAndByteOfABadRow) {
  const auto buffer = std::make_shared<const Buffer>("1\n[2}\n");
  const Page page = Page::texts(
      buffer, {{.offset = 0, .size = 1}, {.offset = 2, .size = 3, .line = 2}}, "file.jsonl");
  try {
    rows_of(page);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "file.jsonl: line 2, byte 3: expected ',' or ']' in an array");
  }
}

TEST(Page, OfADocumentHandsOverElementsOrTheOneRow) {
  Parser parser;
  const auto array = parser.parse_document(Buffer(R"([{"a":1},{"a":2}])"));
  EXPECT_EQ(rows_of(Page::rows(array, array->root(), "")),
            (std::vector<std::string>{R"({"a":1})", R"({"a":2})"}));
  const auto object = parser.parse_document(Buffer(R"({"a":1})"));
  EXPECT_EQ(rows_of(Page::rows(object, object->root(), "")),
            std::vector<std::string>{R"({"a":1})"});
  EXPECT_EQ(rows_of(Page::nodes(array, {array->root().first().next()}, "")),
            std::vector<std::string>{R"({"a":2})"});
  EXPECT_EQ(rows_of(Page()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tidemark::json
