#include "tidemark/extract/extract.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::extract {
namespace {

using source::Extraction;
using source::IncrementalOptions;
using source::Resource;
using source::ResourceOptions;
using source::Source;
using source::WriteDisposition;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

json::Page page_of(const std::vector<std::string>& rows) {
  std::string text;
  std::vector<json::TextSpan> spans;
  for (const std::string& row : rows) {
    spans.push_back({text.size(), row.size(), spans.size() + 1});
    text += row + "\n";
  }
  return json::Page::texts(std::make_shared<const json::Buffer>(text), spans, "rows.jsonl");
}

Resource pages(ResourceOptions options, std::vector<std::vector<std::string>> rows) {
  return Resource(std::move(options), [rows = std::move(rows)](Extraction& x) {
    for (const auto& page : rows) {
      if (!x.yield(page_of(page))) return;
    }
  });
}

class Extract : public ::testing::Test {
 protected:
  Extract() {
    options_.job_directory = folder_.path();
    options_.load_id = "1700000000.5";
    options_.naming = schema::make_naming("snake_case", std::nullopt, true);
    options_.random = &random_;
    options_.cancellation = &cancellation_;
    options_.threads = 2;
  }

  Extracted run(const Source& source, const std::string& state = "{}") {
    return extract(source, schema_, json::read(state).as_object(), options_);
  }
  static uint64_t rows_of(const Extracted& extracted, const std::string& table) {
    for (const auto& part : extracted.parts) {
      if (part.table == table) return part.rows;
    }
    return 0;
  }

  os::TempDirectory folder_;
  schema::Schema schema_ = schema::Schema::make("s");
  SystemRandom random_;
  Cancellation cancellation_;
  ExtractOptions options_;
};

TEST_F(Extract, WritesOnePartATableInPageOrder) {
  std::vector<std::vector<std::string>> rows;
  for (int page = 0; page < 50; ++page) {
    rows.push_back({});
    for (int i = 0; i < 20; ++i) {
      rows.back().push_back("{\"n\":" + std::to_string(page * 20 + i) + ",\"l\":[1,2]}");
    }
  }
  const Extracted extracted = run(Source("s", {pages({.name = "t"}, rows)}));
  ASSERT_EQ(extracted.parts.size(), 2U);
  EXPECT_EQ(rows_of(extracted, "t"), 1000U);
  EXPECT_EQ(rows_of(extracted, "t__l"), 2000U);
  workdir::PartReader reader(folder_ / extracted.parts.front().file_name);
  workdir::PartReader::ChunkBuffer buffer;
  int64_t expected = 0;
  for (size_t i = 0; i < reader.chunk_count(); ++i) {
    const columns::Chunk chunk = reader.read(i, buffer);
    EXPECT_EQ(chunk.first_row, static_cast<uint64_t>(expected));
    const auto* numbers = reinterpret_cast<const int64_t*>(chunk.views[0].values);
    for (size_t row = 0; row < chunk.rows; ++row) EXPECT_EQ(numbers[row], expected++);
  }
}

TEST_F(Extract, GivesOneSchemaWhateverTheNumberOfThreads) {
  std::vector<std::vector<std::string>> rows;
  for (int page = 0; page < 40; ++page) {
    // Types and columns come up late, and differ from what a page alone would tell.
    rows.push_back(
        {"{\"a\":" + std::to_string(page) + ",\"k" + std::to_string(page % 7) + "\":1.5}",
         page % 3 == 0 ? R"({"a":"text","o":{"x":[{"y":1}]}})" : R"({"o":{"x":["s"]}})",
         page % 5 == 0 ? R"({"at":"2024-01-02T03:04:05Z"})" : R"({"at":"word"})"});
  }
  std::vector<std::string> hashes;
  for (size_t threads : {1, 2, 4}) {
    options_.threads = threads;
    hashes.push_back(run(Source("s", {pages({.name = "t"}, rows)})).schema.content_hash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST_F(Extract, KeepsACursorAndLeavesOutWhatWasRead) {
  ResourceOptions options{.name = "t", .primary_key = {"id"}};
  options.incremental = {"ts", IncrementalOptions{}};
  const Source source(
      "s",
      {pages(options, {{R"({"id":1,"ts":5})", R"({"id":2,"ts":9})"}, {R"({"id":3,"ts":7})"}})});
  const Extracted first = run(source);
  EXPECT_EQ(rows_of(first, "t"), 3U);
  const json::Value state = first.source_state;
  EXPECT_EQ(state.find("resources")
                ->find("t")
                ->find("incremental")
                ->find("ts")
                ->find("last_value")
                ->as_int64(),
            9);

  const Extracted second = run(source, json::write(state));
  EXPECT_TRUE(second.parts.empty());
  EXPECT_EQ(json::write(second.source_state), json::write(state));
  EXPECT_EQ(second.resources.at(0).rows_read, 3U);
  EXPECT_EQ(second.resources.at(0).rows_kept, 0U);
}

TEST_F(Extract, KeepsStateOfResourcesThatDoNotRun) {
  options_.select = {"a"};
  const Source source("s", {pages({.name = "a"}, {{"{\"v\":1}"}}), pages({.name = "b"}, {})});
  const Extracted extracted =
      run(source, R"({"mark":5,"resources":{"b":{"seen":1},"gone":{"x":2}}})");
  EXPECT_EQ(json::write(extracted.source_state),
            R"({"mark":5,"resources":{"b":{"seen":1},"gone":{"x":2}}})");
}

TEST_F(Extract, StartsAReplacingResourceFromNothing) {
  ResourceOptions options{.name = "t", .write_disposition = WriteDisposition::kReplace};
  options.incremental = {"ts", IncrementalOptions{}};
  const Source source("s", {pages(options, {{R"({"ts":1})"}})});
  const Extracted extracted =
      run(source, R"({"resources":{"t":{"incremental":{"ts":{"last_value":9}}}}})");
  EXPECT_EQ(rows_of(extracted, "t"), 1U);
  EXPECT_THAT(extracted.replaced_tables, ElementsAre("t"));
}

TEST_F(Extract, FeedsChildrenWithTheRowsOfTheirParentThatPass) {
  ResourceOptions parent{.name = "parents", .primary_key = {"id"}};
  parent.incremental = {"id", IncrementalOptions{.initial_value = 2}};
  std::vector<std::string> seen;
  const Source source(
      "s", {pages(parent, {{R"({"id":1})", R"({"id":2})"}, {R"({"id":3})"}}),
            Resource({.name = "children"}, "parents", [&](Extraction& x, const json::Page& rows) {
              json::Parser parser;
              json::RowReader reader(rows, parser);
              while (const auto row = reader.next()) {
                seen.push_back(json::write(json::to_value(*row)));
                x.yield(page_of({R"({"of":)" + seen.back() + "}"}));
              }
            })});
  const Extracted extracted = run(source);
  EXPECT_THAT(seen, ElementsAre(R"({"id":2})", R"({"id":3})"));
  EXPECT_EQ(rows_of(extracted, "parents"), 2U);
  EXPECT_EQ(rows_of(extracted, "children"), 2U);
}

TEST_F(Extract, RunsAnUnselectedParentForItsChildren) {
  const Source source("s", {pages({.name = "p", .is_selected = false}, {{"{\"id\":1}"}}),
                            Resource({.name = "c"}, "p", [](Extraction& x, const json::Page&) {
                              x.yield(page_of({"{\"v\":1}"}));
                            })});
  const Extracted extracted = run(source);
  EXPECT_EQ(rows_of(extracted, "p"), 0U);
  EXPECT_EQ(rows_of(extracted, "c"), 1U);
  EXPECT_FALSE(extracted.schema.find_table("p"));
}

TEST_F(Extract, StopsAtThePageLimit) {
  options_.limit_pages = 2;
  const Extracted extracted =
      run(Source("s", {pages({.name = "t"}, {{"{\"v\":1}"}, {"{\"v\":2}"}, {"{\"v\":3}"}})}));
  EXPECT_EQ(rows_of(extracted, "t"), 2U);
}

TEST_F(Extract, TakesNothingMoreFromAResourceThatWasToldToStop) {
  options_.limit_pages = 1;
  const Source source("s", {Resource({.name = "t"}, [](Extraction& x) {
                        for (int i = 0; i < 3; ++i) x.yield(page_of({"{\"v\":1}"}));
                      })});
  EXPECT_EQ(rows_of(run(source), "t"), 1U);
}

TEST_F(Extract, RefusesTablesOfThePipelineItself) {
  const Source source("s", {pages({.name = "r", .table_name = "_dlt_loads"}, {})});
  EXPECT_THAT([&] { run(source); },
              ::testing::ThrowsMessage<Error>(HasSubstr("give it another table_name")));
}

TEST_F(Extract, GivesResourcesWhoseNamesNormalizeToOneATableEach) {
  const std::string tagged = schema::collision_name(*options_.naming, "_plan", "🎻 Plan");
  const Source source("s", {pages({.name = "🚲 Plan"}, {{R"({"l":[1]})"}}),
                            pages({.name = "🎻 Plan"}, {{R"({"l":[1,2]})", R"({"l":[3]})"}}),
                            pages({.name = "🎻"}, {{R"({"v":1})"}})});
  const Extracted extracted = run(source);
  EXPECT_EQ(rows_of(extracted, "_plan"), 1U);
  EXPECT_EQ(rows_of(extracted, "_plan__l"), 1U);
  EXPECT_EQ(rows_of(extracted, tagged), 2U);
  EXPECT_EQ(rows_of(extracted, tagged + "__l"), 3U);
  EXPECT_EQ(rows_of(extracted, "x"), 1U);
  EXPECT_EQ(extracted.schema.find_table(tagged)->object().find("x-source-path")->as_string(),
            "🎻 Plan");
  EXPECT_FALSE(extracted.schema.find_table("_plan")->object().contains("x-source-path"));
  EXPECT_THAT(extracted.counts.renamed_tables, ElementsAre(Pair(tagged, "🎻 Plan")));
  EXPECT_EQ(extracted.resources.at(1).table, tagged);
}

TEST_F(Extract, KeepsTheTablesOfResourcesWhoseNamesNormalizeToOneInEveryOrder) {
  const Resource bike = pages({.name = "🚲 Plan"}, {{R"({"v":1})"}});
  const Resource violin =
      pages({.name = "🎻 Plan", .write_disposition = WriteDisposition::kReplace},
            {{R"({"v":1})", R"({"v":2})"}});
  const std::string tagged = schema::collision_name(*options_.naming, "_plan", "🎻 Plan");
  const Extracted both = run(Source("s", {bike, violin}));
  EXPECT_THAT(both.replaced_tables, ElementsAre(tagged));

  schema_ = both.schema;
  const Extracted turned = run(Source("s", {violin, bike}));
  EXPECT_EQ(turned.schema, both.schema);
  EXPECT_EQ(rows_of(turned, "_plan"), 1U);
  EXPECT_EQ(rows_of(turned, tagged), 2U);
  EXPECT_THAT(turned.counts.renamed_tables, IsEmpty());
  EXPECT_EQ(rows_of(run(Source("s", {violin})), tagged), 2U);

  // Only one of them has come with rows so far, the second in order.
  schema_ = schema::Schema::make("s");
  schema_ = run(Source("s", {pages({.name = "🚲 Plan"}, {}), violin})).schema;
  EXPECT_EQ(rows_of(run(Source("s", {violin, bike})), tagged), 2U);
  schema_ = schema::Schema::make("s");
  schema_ = run(Source("s", {bike, pages({.name = "🎻 Plan"}, {})})).schema;
  EXPECT_EQ(rows_of(run(Source("s", {violin, bike})), tagged), 2U);
}

TEST_F(Extract, KeepsAResourceApartFromTheListOfAnotherThatHasItsName) {
  const Resource plans = pages({.name = "plans"}, {{R"({"items":[1,2]})"}});
  const Resource items = pages({.name = "plans__items"}, {{R"({"v":1})"}});
  const Extracted declared = run(Source("s", {plans, items}));
  EXPECT_EQ(rows_of(declared, "plans__items"), 1U);
  EXPECT_EQ(
      rows_of(declared, schema::collision_name(*options_.naming, "plans__items", "plans/items")),
      2U);

  // The list's table was there before the resource.
  schema_ = run(Source("s", {plans})).schema;
  const Extracted later = run(Source("s", {plans, items}));
  EXPECT_EQ(rows_of(later, "plans__items"), 2U);
  EXPECT_EQ(
      rows_of(later, schema::collision_name(*options_.naming, "plans__items", "plans__items")), 1U);
}

TEST_F(Extract, LoadsResourcesOfOneTableNameIntoOneTable) {
  const Source shared("s", {pages({.name = "a", .table_name = "plans"}, {{R"({"id":1})"}}),
                            pages({.name = "b", .table_name = "plans"}, {{R"({"id":2})"}})});
  EXPECT_EQ(rows_of(run(shared), "plans"), 2U);
}

TEST_F(Extract, NamesTheResourceThatFailed) {
  for (const auto& rows : std::vector<std::vector<std::vector<std::string>>>{{{"{bad"}}, {}}) {
    const Source source("s", {Resource({.name = "t"}, [&](Extraction& x) {
                          for (const auto& page : rows) x.yield(page_of(page));
                          if (rows.empty()) throw Error(ErrorCode::kUnavailable, "service is down");
                        })});
    try {
      run(source);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), HasSubstr("resource t: "));
    }
  }
}

TEST_F(Extract, StopsWhenCancelled) {
  const Source source("s", {Resource({.name = "t"}, [&](Extraction& x) {
                        cancellation_.cancel(15);
                        x.yield(page_of({"{\"v\":1}"}));
                      })});
  try {
    run(source);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCancelled);
  }
}

TEST_F(Extract, RefusesResourcesThatAreNotThere) {
  options_.select = {"nope"};
  EXPECT_THROW(run(Source("s", {pages({.name = "t"}, {})})), Error);
}

TEST_F(Extract, BoundsTheNamesOfPartFiles) {
  const std::string name(400, 'a');
  const Extracted extracted = run(Source("s", {pages({.name = name}, {{"{\"v\":1}"}})}));
  EXPECT_EQ(extracted.parts.at(0).table, name);
  EXPECT_LE(extracted.parts.at(0).file_name.size(), 255U);
}

}  // namespace
}  // namespace tidemark::extract
