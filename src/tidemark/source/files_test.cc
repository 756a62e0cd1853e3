#include "tidemark/source/files.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/os/temp_directory.h"
#include "tidemark/source/fake_extraction.h"

namespace tidemark::source {
namespace {

using Rows = std::vector<std::string>;
using testing::ElementsAre;
using testing::IsEmpty;

class Files : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const os::Path file = folder_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::remove(file);
    os::write_new_file(file, text);
  }

  std::string path(const std::string& name) const { return (folder_ / name).native(); }

  Rows read(const std::string& name, FilesOptions options = {},
            WriteDisposition disposition = WriteDisposition::kAppend) {
    options.path = path(name);
    extraction_.rows.clear();
    extraction_.warnings.clear();
    files({.name = "r", .write_disposition = disposition}, options).run(extraction_);
    return extraction_.rows;
  }

  json::Object& state() { return extraction_.resource_state().object(); }

  Error fault(const std::string& name, FilesOptions options = {}) {
    try {
      read(name, options);
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorCode::kInternal, "no fault");
  }

  std::vector<std::string> match(const std::string& pattern) {
    std::vector<std::string> names;
    for (const os::Path& file : match_files(path(pattern))) {
      names.push_back(file.lexically_relative(folder_.path()));
    }
    return names;
  }

  os::TempDirectory folder_;
  FakeExtraction extraction_;
};

TEST_F(Files, AreReadInTheOrderOfTheirNamesByTheirSuffix) {
  write("b.jsonl", "{\"id\":1}\n{\"id\":2}\n");
  write("a.json", "[{\"id\":3},{\"id\":4}]");
  write("c.csv", "id\n5\n");
  write("d.ndjson", "{\"id\":6}");
  EXPECT_THAT(read("*"), ElementsAre("{\"id\":3}", "{\"id\":4}", "{\"id\":1}", "{\"id\":2}",
                                     "{\"id\":5}", "{\"id\":6}"));
}

TEST_F(Files, AreReadOnce) {
  write("1.jsonl", "1\n");
  write("2.jsonl", "2\n");
  EXPECT_THAT(read("*.jsonl"), ElementsAre("1", "2"));
  const json::Object before = state();
  EXPECT_THAT(read("*.jsonl"), IsEmpty());
  EXPECT_EQ(state(), before);
  write("3.jsonl", "3\n");
  EXPECT_THAT(read("*.jsonl"), ElementsAre("3"));
  EXPECT_THAT(extraction_.warnings, IsEmpty());
}

TEST_F(Files, AreReadAgainWhenTheyChanged) {
  write("1.jsonl", "1\n");
  read("1.jsonl");
  write("1.jsonl", "1\n2\n");
  EXPECT_THAT(read("1.jsonl"), ElementsAre("1", "2"));
  EXPECT_THAT(
      extraction_.warnings,
      ElementsAre(path("1.jsonl") + ": changed since it was loaded; read as a whole again"));
  std::filesystem::last_write_time(
      folder_ / "1.jsonl", std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_THAT(read("1.jsonl"), ElementsAre("1", "2"));
}

TEST_F(Files, OfATableThatIsReplacedAreReadEachTime) {
  write("1.jsonl", "1\n");
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(read("1.jsonl", {}, WriteDisposition::kReplace), ElementsAre("1"));
  }
  EXPECT_TRUE(state().empty());
}

TEST_F(Files, ThatWereNotReadToTheEndAreNotRemembered) {
  write("1.jsonl", "1\n");
  extraction_.page_limit = 1;
  read("1.jsonl");
  extraction_.page_limit = 1000;
  EXPECT_THAT(read("1.jsonl"), ElementsAre("1"));
}

TEST_F(Files, AreNamedInErrorsWithLineAndByte) {
  write("1.jsonl", "1\nx\n");
  EXPECT_EQ(fault("1.jsonl").message(), path("1.jsonl") + ": line 2, byte 1: expected a value");
  write("1.json", "[1,]");
  EXPECT_EQ(fault("1.json").message(), path("1.json") + ": line 1, byte 4: expected a value");
  write("1.csv", "a,b\n1\n");
  EXPECT_TRUE(fault("1.csv").message().starts_with(path("1.csv") + ": line 2: expected 2 fields"));
  EXPECT_TRUE(state().find("files")->as_object().empty());
}

TEST_F(Files, TakeTheFormatThatIsGiven) {
  write("data.txt", "a\n1\n");
  EXPECT_EQ(fault("data.txt").message(),
            path("data.txt") +
                ": the name does not say the file's format; set format to one of jsonl, json, csv");
  EXPECT_THAT(read("data.txt", {.format = FileFormat::kCsv}), ElementsAre("{\"a\":1}"));
}

TEST_F(Files, ThatAreNotThereAreAnError) {
  EXPECT_EQ(fault("x.csv").code(), ErrorCode::kNotFound);
  EXPECT_EQ(fault("x.csv").message(), "no such file: " + path("x.csv"));
  EXPECT_EQ(fault("*.csv").code(), ErrorCode::kNotFound);
  EXPECT_EQ(fault("*.csv").message(), "no file matches " + path("*.csv"));
  EXPECT_EQ(fault("").code(), ErrorCode::kInvalid);
}

TEST_F(Files, MatchPatternsInEveryPart) {
  for (const char* name :
       {"a/1.csv", "a/2.csv", "b/c/1.csv", "b/.hidden.csv", "b/.git/1.csv", "1.csv", "b/[1].csv"}) {
    write(name, "");
  }
  EXPECT_THAT(match("a/*.csv"), ElementsAre("a/1.csv", "a/2.csv"));
  EXPECT_THAT(match("?/[!2].csv"), ElementsAre("a/1.csv"));
  EXPECT_THAT(match("**/1.csv"), ElementsAre("1.csv", "a/1.csv", "b/c/1.csv"));
  EXPECT_THAT(match("b/**/*.csv"), ElementsAre("b/[1].csv", "b/c/1.csv"));
  EXPECT_THAT(match("b/.*.csv"), ElementsAre("b/.hidden.csv"));
  EXPECT_THAT(match("b/[1].csv"), ElementsAre("b/[1].csv"));
}

TEST(FileFormat, IsInTheName) {
  EXPECT_EQ(file_format_of("a/b.jsonl"), FileFormat::kJsonLines);
  EXPECT_EQ(file_format_of("b.ndjson.gz"), FileFormat::kJsonLines);
  EXPECT_EQ(file_format_of("b.json.zst"), FileFormat::kJson);
  EXPECT_EQ(file_format_of("b.csv.gz"), FileFormat::kCsv);
  EXPECT_THROW(file_format_of("csv"), Error);
  EXPECT_THROW(file_format_of("b.gz"), Error);
  EXPECT_EQ(file_format("csv"), FileFormat::kCsv);
  try {
    file_format("parquet");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  }
}

}  // namespace
}  // namespace tidemark::source
