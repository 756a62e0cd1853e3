#include "tidemark/source/csv.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/source/csv_parser.h"
#include "tidemark/source/string_stream.h"

namespace tidemark::source {
namespace {

using Rows = std::vector<std::string>;

struct Result {
  Rows rows;
  std::vector<size_t> page_rows;
  std::vector<std::string> warnings;
};

Result read(std::string text, const CsvOptions& options = {}, size_t page_size = kCsvPageTextSize,
            size_t piece_size = std::string::npos) {
  StringStream stream(std::move(text), piece_size);
  json::Parser parser;
  Result result;
  const auto yield = [&](json::Page page) {
    result.page_rows.push_back(page.row_count());
    json::RowReader reader(page, parser);
    while (const auto row = reader.next()) result.rows.push_back(json::write(json::to_value(*row)));
    return true;
  };
  read_csv_pages(stream, options, "file.csv", page_size, yield,
                 [&](std::string warning) { result.warnings.push_back(std::move(warning)); });
  return result;
}

Rows rows(std::string text, const CsvOptions& options = {}) {
  return read(std::move(text), options).rows;
}

std::string fault(std::string text, const CsvOptions& options = {}) {
  try {
    read(std::move(text), options);
    return "no fault";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    return error.message();
  }
}

json::Value golden() {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(
      std::fopen(TIDEMARK_GOLDEN_DIR "/csv-spectrum/vectors.json", "rb"), close);
  std::string text;
  char part[4096];
  while (const size_t size = std::fread(part, 1, sizeof part, file.get())) text.append(part, size);
  return json::read(text);
}

// Every record of a text as its fields.
std::vector<std::vector<std::string>> records(std::string_view text) {
  const CsvParser parser(',', '"');
  std::vector<std::vector<std::string>> all;
  while (!text.empty()) {
    std::vector<CsvField> fields;
    const auto record = parser.parse(text, true, 1, fields);
    text.remove_prefix(record->size);
    std::string scratch;
    all.emplace_back();
    for (const CsvField& field : fields) all.back().emplace_back(field.text('"', scratch));
  }
  return all;
}

TEST(CsvParser, ReadsCsvSpectrum) {
  const json::Value vectors = golden();
  for (const json::Value& vector : vectors.find("vectors")->as_array()) {
    const auto all = records(vector.find("csv")->as_string());
    json::Array found;
    for (size_t i = 1; i < all.size(); ++i) {
      json::Object row;
      for (size_t k = 0; k < all[i].size(); ++k) row.set(all[0][k], all[i][k]);
      found.emplace_back(row);
    }
    EXPECT_EQ(json::Value(found), *vector.find("rows")) << vector.find("name")->as_string();
  }
}

TEST(CsvParser, WaitsForTheRestOfARecord) {
  const CsvParser parser(',', '"');
  std::vector<CsvField> fields;
  for (const char* text : {"", "a", "a,", "a,b", "a\r", "\"a", "\"a\"", "\"a\"\"", "\"a\nb\n"}) {
    EXPECT_FALSE(parser.parse(text, false, 1, fields)) << text;
    EXPECT_TRUE(fields.empty());
  }
  EXPECT_EQ(parser.parse("a\r\nb", false, 1, fields)->size, 3u);
  EXPECT_EQ(parser.parse("\"a\r\nb\rc\n\"\n", false, 1, fields)->line_count, 4u);
}

TEST(Csv, LinesEndWithLfCrLfOrCr) {
  const Rows expected{R"({"a":1,"b":2})", R"({"a":3,"b":4})"};
  EXPECT_EQ(rows("a,b\n1,2\n3,4\n"), expected);
  EXPECT_EQ(rows("a,b\r\n1,2\r\n3,4"), expected);
  EXPECT_EQ(rows("a,b\r1,2\r3,4\r"), expected);
  EXPECT_EQ(rows("\xEF\xBB\xBF"
                 "a,b\n\n1,2\n\n3,4\n\n"),
            expected);
  EXPECT_EQ(rows(""), Rows{});
  EXPECT_EQ(rows("a,b\n"), Rows{});
}

TEST(Csv, InfersTheTypeOfAColumnFromAllItsFields) {
  EXPECT_EQ(rows("i,d,b,t\n1,1,true,1\n-2,0.5,FALSE,x\n,,,\n"),
            (Rows{R"({"i":1,"d":1.0,"b":true,"t":"1"})", R"({"i":-2,"d":0.5,"b":false,"t":"x"})",
                  R"({"i":null,"d":null,"b":null,"t":null})"}));
}

TEST(Csv, LeavesTextThatOnlyLooksLikeANumber) {
  for (const char* text :
       {"007", "00.11", "-0", "+1", ".5", "1.", "1e", "0x10", "1_000", "nan", "inf",
        "9223372036854775808", "1e400", "1.e5", "--1", " 1", "-", "tRUE"}) {
    EXPECT_EQ(rows("a\n" + std::string(text) + "\n"), Rows{json::write(json::Object{{"a", text}})});
  }
  EXPECT_EQ(rows("a\n9223372036854775807\n-9223372036854775808\n"),
            (Rows{R"({"a":9223372036854775807})", R"({"a":-9223372036854775808})"}));
  EXPECT_EQ(rows("a\n1e5\n-0.0\n"), (Rows{R"({"a":100000.0})", R"({"a":-0.0})"}));
}

TEST(Csv, AFieldThatDoesNotFitItsColumnStaysText) {
  std::string text = "a,b\n";
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + ",\n";
  text += "n/a,0.5\n";
  for (int i = 0; i < 30; ++i) text += "1,\n";
  text += "7,x\n";
  const Result result = read(text, {}, 64);
  EXPECT_GT(result.page_rows.size(), 3u);
  EXPECT_EQ(result.rows[99], R"({"a":99,"b":null})");
  EXPECT_EQ(result.rows[100], R"({"a":"n/a","b":0.5})");
  EXPECT_EQ(result.rows.back(), R"({"a":7,"b":"x"})");
}

TEST(Csv, EmptyAndListedFieldsAreNull) {
  const CsvOptions options{.null_values = {"NA", "-"}};
  EXPECT_EQ(rows("a,b\n1,NA\n-,x\n", options),
            (Rows{R"({"a":1,"b":null})", R"({"a":null,"b":"x"})"}));
  EXPECT_EQ(rows("a\nNA\n"), Rows{R"({"a":"NA"})"});
}

TEST(Csv, AnEmptyFieldInQuotesIsTextOnlyWhereTextIs) {
  EXPECT_EQ(rows("t,i,e\n\"\",\"\",\"\"\nx,1,\n"),
            (Rows{R"({"t":"","i":null,"e":""})", R"({"t":"x","i":1,"e":null})"}));
}

TEST(Csv, TakesOtherDelimitersAndQuotes) {
  EXPECT_EQ(rows("a;b\n'x;''y';\"2\"\n", {.delimiter = ';', .quote = '\''}),
            Rows{R"({"a":"x;'y","b":"\"2\""})"});
  EXPECT_EQ(rows("a\tb\n\"x\t\"\n", {.delimiter = '\t', .quote = std::nullopt}),
            Rows{R"({"a":"\"x","b":"\""})"});
  EXPECT_EQ(rows("a\nx\"y\n"), Rows{R"({"a":"x\"y"})"});
}

TEST(Csv, NamesColumnsThatHaveNoNameOfTheirOwn) {
  EXPECT_EQ(rows("1,x\n2,y\n", {.header = false}),
            (Rows{R"({"column_1":1,"column_2":"x"})", R"({"column_1":2,"column_2":"y"})"}));
  const Result result = read("a,,a,\"b\nc\"\n1,2,3,4\n");
  EXPECT_EQ(result.rows, Rows{R"({"a":1,"column_2":2,"a_2":3,"b\nc":4})"});
  EXPECT_EQ(result.warnings, (Rows{"file.csv: column 2 has no name; it is called column_2",
                                   "file.csv: the name a is there twice; column 3 is called a_2"}));
}

TEST(Csv, RaggedRecordsAreErrorsThatNameTheirFirstLine) {
  EXPECT_EQ(fault("a,b,c\n1,2\n1,2,3,4\n\"x\ny\",2,3\n1\n"),
            "line 2: expected 3 fields, found 2 (pad_rows: true fills up with nulls)");
  EXPECT_EQ(fault("a,b,c\n\"x\ny\",2,3\n\"x\ny\",2,3,4\n"),
            "line 4: expected 3 fields, found 4 (pad_rows: true fills up with nulls)");
}

TEST(Csv, PadsRaggedRecordsWhenAskedAndCountsThem) {
  const Result result = read("a,b,c\n1,2\n1,2,3,4\n\"x\ny\",2,3\n1\n", {.pad_rows = true});
  EXPECT_EQ(result.rows, (Rows{R"({"a":"1","b":2,"c":null,"column_4":null})",
                               R"({"a":"1","b":2,"c":3,"column_4":4})",
                               R"({"a":"x\ny","b":2,"c":3,"column_4":null})",
                               R"({"a":"1","b":null,"c":null,"column_4":null})"}));
  EXPECT_EQ(result.warnings, Rows{"file.csv: 3 records had another number of fields than the 3 "
                                  "columns and were padded"});
}

TEST(Csv, NamesTheLineOfOtherFaults) {
  EXPECT_EQ(fault("a,b\n1,\"x\n\n"), "line 2: a quoted field does not end");
  EXPECT_EQ(fault("a,b\n\"x\"y,1\n"),
            "line 2: expected a delimiter or the line's end behind a closing quote");
  EXPECT_EQ(fault("a,b\n1,2\n1,caf\xE9\n"), "line 3: invalid UTF-8 at byte 6 of the record (0xe9)");
}

TEST(Csv, IsPagedByBytesAlone) {
  std::string text = "id,text\n";
  for (int i = 0; i < 500; ++i) text += std::to_string(i) + ",\"a \"\"b\"\"\r\nc\"\r\n";
  const Result whole = read(text, {}, 256);
  EXPECT_EQ(whole.rows.size(), 500u);
  EXPECT_EQ(whole.rows[7], R"({"id":7,"text":"a \"b\"\r\nc"})");
  for (const size_t piece_size : {1, 100, 255}) {
    const Result pieces = read(text, {}, 256, piece_size);
    EXPECT_EQ(pieces.rows, whole.rows);
    EXPECT_EQ(pieces.page_rows, whole.page_rows);
  }
  EXPECT_EQ(read(text, {}, 3).rows, whole.rows);
}

}  // namespace
}  // namespace tidemark::source
