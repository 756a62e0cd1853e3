#include "tidemark/source/text_rows.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/write.h"
#include "tidemark/source/string_stream.h"

namespace tidemark::source {
namespace {

using Rows = std::vector<std::string>;
using MakeSplitter = std::unique_ptr<RowSplitter> (*)();

struct Result {
  Rows rows;
  std::vector<size_t> page_rows;
};

Result read(MakeSplitter make, std::string text, size_t page_size = kPageTextSize,
            size_t piece_size = std::string::npos) {
  StringStream stream(std::move(text), piece_size);
  json::Parser parser;
  Result result;
  read_text_pages(stream, *make(), "file", page_size, [&](json::Page page) {
    result.page_rows.push_back(page.row_count());
    json::RowReader reader(page, parser);
    while (const auto row = reader.next()) result.rows.push_back(json::write(json::to_value(*row)));
    return true;
  });
  return result;
}

std::string fault(MakeSplitter make, std::string text, size_t page_size = kPageTextSize) {
  try {
    read(make, std::move(text), page_size);
    return "no fault";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    return error.message();
  }
}

TEST(JsonLines, AreRowsWhateverEndsTheLine) {
  EXPECT_EQ(read(json_lines_splitter, "{\"a\":1}\r\n\n  \n[2]\n\"x\"").rows,
            (Rows{"{\"a\":1}", "[2]", "\"x\""}));
  EXPECT_EQ(read(json_lines_splitter, "").rows, Rows{});
  EXPECT_EQ(read(json_lines_splitter,
                 "\xEF\xBB\xBF"
                 "1\n")
                .rows,
            Rows{"1"});
}

TEST(JsonLines, NameTheirPlace) {
  EXPECT_EQ(fault(json_lines_splitter, "{\"a\":1}\n\n{\"a\":x}\n"),
            "file: line 3, byte 6: expected a value");
  EXPECT_EQ(fault(json_lines_splitter, "1\n2\n3\nx\n", 2),
            "file: line 4, byte 1: expected a value");
}

TEST(JsonLines, ArePagedByBytesAlone) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "{\"id\":" + std::to_string(i) + "}\n";
  const Result whole = read(json_lines_splitter, text, 256);
  EXPECT_GT(whole.page_rows.size(), 10u);
  for (const size_t piece_size : {1, 100, 255, 257}) {
    const Result pieces = read(json_lines_splitter, text, 256, piece_size);
    EXPECT_EQ(pieces.rows, whole.rows);
    EXPECT_EQ(pieces.page_rows, whole.page_rows);
  }
}

TEST(JsonLines, MayBeLongerThanAPage) {
  const std::string row = "\"" + std::string(5000, 'x') + "\"";
  EXPECT_EQ(read(json_lines_splitter, "1\n" + row + "\n2\n", 100).rows, (Rows{"1", row, "2"}));
}

TEST(TextWindows, RefuseUtf16) {
  const std::string text("\xFF\xFE[\0", 4);
  EXPECT_EQ(fault(json_lines_splitter, text), "the text is UTF-16; expected UTF-8");
}

TEST(JsonSplitter, CutsARootArrayIntoItsElements) {
  const std::string text =
      " [ {\"a\":[1,\"]\\\"},{\"]} ,2,\n\"x,y\" , [], null,{\"b\":{\"c\":\"\\\\\"}} ] \n";
  const Rows rows{R"({"a":[1,"]\"},{"]})", "2", R"("x,y")", "[]", "null", R"({"b":{"c":"\\"}})"};
  for (const size_t page_size : {1, 3, 7, 20, 4096}) {
    EXPECT_EQ(read(json_splitter, text, page_size).rows, rows) << page_size;
  }
  EXPECT_EQ(read(json_splitter, "[]").rows, Rows{});
  EXPECT_EQ(read(json_splitter, " [ ] ").rows, Rows{});
}

TEST(JsonSplitter, TakesAnyOtherRootAsOneRow) {
  for (const size_t page_size : {1, 4096}) {
    EXPECT_EQ(read(json_splitter, "\n{\"a\": [1, 2]}\n", page_size).rows, Rows{R"({"a":[1,2]})"});
    EXPECT_EQ(read(json_splitter, "5", page_size).rows, Rows{"5"});
  }
}

TEST(JsonSplitter, NamesThePlaceOfAFault) {
  for (const size_t page_size : {1, 8, 4096}) {
    const auto fault_of = [&](std::string text) { return fault(json_splitter, text, page_size); };
    EXPECT_EQ(fault_of("[1,\n {\"a\":x},3]"), "file: line 2, byte 7: expected a value");
    EXPECT_EQ(fault_of("[1,\n,3]"), "line 2, byte 1: expected a value");
    EXPECT_EQ(fault_of("[1,\n 2,]"), "line 2, byte 4: expected a value");
    EXPECT_EQ(fault_of("[1,\n 2}"), "line 2, byte 3: expected ',' or ']' in an array");
    EXPECT_EQ(fault_of("[1]\n x"), "line 2, byte 2: expected nothing after the value");
    EXPECT_EQ(fault_of("[1,\n2"),
              "line 2, byte 1: expected ',' or ']' behind this element of an array");
    EXPECT_EQ(fault_of("[1,\n {\"a\":[2}"), "line 2, byte 9: expected ',' or ']' in an array");
    EXPECT_EQ(fault_of("["), "line 1, byte 2: expected a value, found the end");
    EXPECT_EQ(fault_of("[\"a\\"), "line 1, byte 4: unknown escape");
    EXPECT_EQ(fault_of(" "), "file: line 1, byte 2: expected a value, found the end");
    EXPECT_EQ(fault_of("{} {}"), "file: line 1, byte 4: expected nothing after the value");
  }
}

TEST(ReadTextPages, StopsWhenNothingMoreIsWanted) {
  StringStream stream("1\n2\n3\n4\n");
  int pages = 0;
  EXPECT_FALSE(read_text_pages(stream, *json_lines_splitter(), "file", 2,
                               [&](json::Page) { return ++pages < 2; }));
  EXPECT_EQ(pages, 2);
}

}  // namespace
}  // namespace tidemark::source
