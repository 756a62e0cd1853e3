// What every destination does, whatever it is.

#include <chrono>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/cancellation.h"
#include "tidemark/base/error.h"
#include "tidemark/base/zlib.h"
#include "tidemark/destination/interrupt_watch.h"
#include "tidemark/destination/test_destinations.h"
#include "tidemark/destination/test_package.h"
#include "tidemark/json/write.h"

namespace tidemark::destination {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Time kNow{std::chrono::microseconds(1'704'164'645'678'900)};

class Conformance : public testing::TestWithParam<Candidate> {
 protected:
  std::vector<std::string> ask(std::string_view sql) { return dataset_.ask(sql); }

  // Loads and commits the one row of that state.
  void load_state(const std::string& load_id, int64_t version, bool is_committed) {
    schema::Schema schema = make_schema("[]");
    schema.update_table(schema::state_table());
    schema.bump();
    const std::string table(schema::kStateTable);
    const std::string row = fmt::format(
        R"([{{"version": {}, "engine_version": 4, "pipeline_name": "p", "state": "s{}",
             "created_at": 0, "_dlt_load_id": "{}", "_dlt_id": "{}"}}])",
        version, version, load_id, load_id);
    const auto package = dataset_.session().begin();
    package->apply(schema, std::vector{table}, kNow);
    package->load(schema, dataset_.chain(schema, table, {{table, rows_from(row)}}));
    // A row without its load row, as a load that dlt broke off leaves it.
    package->commit({is_committed ? load_id : "1.0", "test_schema", "hash", kNow});
  }

  TestDataset dataset_{GetParam().make};
};

// What only those do that declare transactions.
class TransactionConformance : public Conformance {};

std::vector<Candidate> with_transactions() {
  std::vector<Candidate> candidates;
  const os::TempDirectory folder;
  for (const Candidate& candidate : kDestinations) {
    if (candidate.make(folder.path())->capabilities().has_transactions) {
      candidates.push_back(candidate);
    }
  }
  return candidates;
}

constexpr std::string_view kItems = R"([{"name": "items", "columns": {
    "id": {"name": "id", "data_type": "bigint", "nullable": false},
    "name": {"name": "name", "data_type": "text"}}}])";

TEST_P(Conformance, RowsOfEveryTypeComeBackEqual) {
  const schema::Schema schema = make_schema(R"([{"name": "types", "columns": {
      "t": {"name": "t", "data_type": "text"},
      "f": {"name": "f", "data_type": "double"},
      "b": {"name": "b", "data_type": "bool"},
      "ts": {"name": "ts", "data_type": "timestamp"},
      "i": {"name": "i", "data_type": "bigint"},
      "d": {"name": "d", "data_type": "date"},
      "tm": {"name": "tm", "data_type": "time"},
      "dec": {"name": "dec", "data_type": "decimal"},
      "w": {"name": "w", "data_type": "wei"}}}])");
  const auto loaded = dataset_.load(schema, "types", {{"types", rows_from(R"([
      {"t": "a'b\\c\nd\te €", "f": 1.25, "b": true, "ts": 1704164645678900,
       "i": -9223372036854775808, "d": -1, "tm": 3723000004, "dec": "-1",
       "w": "99999999999999999999999999999999999999"},
      {"t": "", "f": 1e300, "b": false, "ts": -62135596800000000, "i": 9223372036854775807,
       "d": 0, "tm": 86399999999, "dec": "12345678901234567890123456789012345678", "w": "0"},
      {}])")}});
  ASSERT_EQ(loaded.size(), 1u);
  EXPECT_EQ(loaded[0].table, "types");
  EXPECT_EQ(loaded[0].rows, 3u);
  EXPECT_THAT(
      ask("SELECT t, f, b, ts, i, d, tm, dec, w FROM types ORDER BY b DESC"),
      testing::UnorderedElementsAre(
          "a'b\\c\nd\te €|1.25|true|2024-01-02 03:04:05.6789+00|-9223372036854775808|1969-12-31|"
          "01:02:03.000004|-0.000000001|99999999999999999999999999999999999999",
          "|1e+300|false|0001-01-01 00:00:00+00|9223372036854775807|1970-01-01|23:59:59.999999|"
          "12345678901234567890123456789.012345678|0",
          "null|null|null|null|null|null|null|null|null"));
}

TEST_P(Conformance, JsonAndBinaryKeepTheirBytes) {
  const schema::Schema schema = make_schema(R"([{"name": "raw", "columns": {
      "j": {"name": "j", "data_type": "json"}, "x": {"name": "x", "data_type": "binary"}}}])");
  dataset_.load(schema, "raw", {{"raw", rows_from(R"([
      {"j": "{\"b\": [1, null],  \"a\": 1.0}", "x": "ab\u0000c"}])")}});
  EXPECT_THAT(ask(R"(SELECT CAST(j AS VARCHAR), octet_length(x) FROM raw)"),
              ElementsAre(R"({"b": [1, null],  "a": 1.0}|4)"));
}

TEST_P(Conformance, ColumnsThatAPartLacksAreNull) {
  const schema::Schema schema = make_schema(kItems);
  TableChain chain = dataset_.chain(schema, "items", {{"items", rows_from(R"([{"id": 1}])")}});
  chain.tables[0].files.push_back(
      write_part(dataset_.folder(), schema, "items", rows_from(R"([{"id": 2, "name": "b"}])")));
  dataset_.load(schema, chain);
  EXPECT_THAT(ask("SELECT id, name FROM items ORDER BY id"), ElementsAre("1|null", "2|b"));
}

TEST_P(Conformance, NoRowIsLostOrDoubledAtTheBordersOfBatches) {
  const schema::Schema schema = make_schema(kItems);
  int64_t id = 0;
  int64_t digits = 0;
  TableChain chain = dataset_.chain(schema, "items", {});
  for (const size_t rows : {1, 2047, 2048, 2049, 40'000}) {
    Rows part;
    for (size_t i = 0; i < rows; ++i, ++id) {
      part.emplace_back(json::Object{{"id", id}, {"name", fmt::format("name of {}", id)}});
      digits += static_cast<int64_t>(std::to_string(id).size());
    }
    chain.tables[0].files.push_back(
        write_part(dataset_.folder(), schema, "items", part, rows > 9000 ? 16'384 : 2048));
  }
  EXPECT_EQ(dataset_.load(schema, chain)[0].rows, static_cast<uint64_t>(id));
  EXPECT_THAT(
      ask("SELECT count(*), count(DISTINCT id), min(id), max(id), sum(length(name)),"
          " sum(CASE WHEN name = 'name of ' || CAST(id AS VARCHAR) THEN 1 ELSE 0 END) FROM items"),
      ElementsAre(fmt::format("{0}|{0}|0|{1}|{2}|{0}", id, id - 1, id * 8 + digits)));
}

TEST_P(Conformance, ReplaceWithoutRowsEmptiesParentAndChildren) {
  const schema::Schema schema = make_schema(R"([
      {"name": "snap", "write_disposition": "replace", "columns": {
        "id": {"name": "id", "data_type": "bigint"}}},
      {"name": "snap__kids", "parent": "snap", "columns": {
        "k": {"name": "k", "data_type": "bigint"}}}])");
  dataset_.load(
      schema, "snap",
      {{"snap", rows_from(R"([{"id": 1}])")}, {"snap__kids", rows_from(R"([{"k": 1}])")}});
  dataset_.load(
      schema, "snap",
      {{"snap", rows_from(R"([{"id": 2}])")}, {"snap__kids", rows_from(R"([{"k": 2}])")}});
  EXPECT_THAT(ask("SELECT id FROM snap"), ElementsAre("2"));
  EXPECT_THAT(ask("SELECT k FROM snap__kids"), ElementsAre("2"));

  dataset_.load(schema, "snap", {});
  EXPECT_THAT(ask("SELECT id FROM snap"), IsEmpty());
  EXPECT_THAT(ask("SELECT k FROM snap__kids"), IsEmpty());
}

TEST_P(TransactionConformance, AFailingInsertLeavesTheOldRows) {
  const schema::Schema schema = make_schema(R"([
      {"name": "small", "write_disposition": "replace", "columns": {
        "n": {"name": "n", "data_type": "bigint", "precision": 8}}}])");
  dataset_.load(schema, "small", {{"small", rows_from(R"([{"n": 1}])")}});
  try {
    dataset_.load(schema, "small", {{"small", rows_from(R"([{"n": 2}, {"n": 300}])")}});
    FAIL() << "300 fits into 8 bits";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_THAT(error.message(), testing::HasSubstr("small"));
  }
  EXPECT_THAT(ask("SELECT n FROM small"), ElementsAre("1"));
}

TEST_P(Conformance, AfterAFailureAPackageCanOnlyBeRolledBack) {
  const schema::Schema schema = make_schema(kItems);
  const auto package = dataset_.session().begin();
  package->apply(schema, std::vector<std::string>{"items"}, kNow);
  const TableChain chain =
      dataset_.chain(schema, "items", {{"items", rows_from(R"([{"name": "no id"}])")}});
  EXPECT_THROW(package->load(schema, chain), Error);
  EXPECT_THROW(package->commit({"1.5", "test_schema", "hash", kNow}), Error);
}

TEST_P(TransactionConformance, WithoutCommitEverythingIsTakenBack) {
  const schema::Schema schema = make_schema(kItems);
  {
    const auto package = dataset_.session().begin();
    package->apply(schema, std::vector<std::string>{"items"}, kNow);
    package->load(schema,
                  dataset_.chain(schema, "items", {{"items", rows_from(R"([{"id": 1}])")}}));
  }
  EXPECT_FALSE(dataset_.session().has_dataset());
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 2}])")}});
  EXPECT_THAT(ask("SELECT id FROM items"), ElementsAre("2"));
}

// Whatever asks for it once the statement runs; reads of the session are none of its business.
class Interrupter {
 public:
  explicit Interrupter(Session& session) : watch_(session, cancellation_) {
    cancellation_.cancel();
  }

 private:
  Cancellation cancellation_;
  InterruptWatch watch_;
};

TEST_P(Conformance, AnInterruptedQueryEndsAndTheSessionGoesOn) {
  Session& session = dataset_.session();
  {
    const Interrupter interrupter(session);
    try {
      // Would take a lifetime.
      destination::ask(session,
                       "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                       " SELECT count(*) FROM n");
      FAIL() << "it ended";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCancelled);
    }
  }
  EXPECT_THAT(ask("SELECT 1"), ElementsAre("1"));
}

TEST_P(TransactionConformance, AnInterruptedLoadLeavesTheOldRows) {
  const schema::Schema schema = make_schema(kItems);
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 0}])")}});
  Rows rows;
  for (int64_t id = 0; id < 20'000; ++id) rows.emplace_back(json::Object{{"id", id}});
  TableChain chain = dataset_.chain(schema, "items", {{"items", rows}});
  // One part, read so often that the statement outlasts any machine's first tenth of a second.
  chain.tables[0].files.resize(500, chain.tables[0].files[0]);
  {
    const auto package = dataset_.session().begin();
    package->apply(schema, std::vector<std::string>{"items"}, kNow);
    const Interrupter interrupter(dataset_.session());
    try {
      package->load(schema, chain);
      FAIL() << "it ended";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCancelled);
    }
  }
  EXPECT_THAT(ask("SELECT count(*) FROM items"), ElementsAre("1"));
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 1}])")}});
  EXPECT_THAT(ask("SELECT id FROM items ORDER BY id"), ElementsAre("0", "1"));
}

TEST_P(Conformance, APackageIsCommittedOnce) {
  const auto package = dataset_.session().begin();
  package->apply(make_schema(kItems), {}, kNow);
  package->commit({"1.5", "test_schema", "hash", kNow});
  EXPECT_THROW(package->commit({"1.5", "test_schema", "hash", kNow}), Error);
  EXPECT_TRUE(dataset_.session().is_committed("1.5"));
  EXPECT_THAT(ask("SELECT load_id, schema_name, status, schema_version_hash FROM _dlt_loads"),
              ElementsAre("1.5|test_schema|0|hash"));
}

TEST_P(Conformance, CommittedRowsOutliveTheSession) {
  const schema::Schema schema = make_schema(kItems);
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 7}])")}});
  dataset_.close();
  const auto reader = dataset_.destination().connect(kDataset, Access::kRead);
  EXPECT_THAT(destination::ask(*reader, "SELECT id FROM items"), ElementsAre("7"));
}

TEST_P(Conformance, AnUpdateNeedsADatabase) {
  try {
    dataset_.destination().connect(kDataset, Access::kUpdate);
    FAIL() << "there is none";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  }
  dataset_.load(make_schema(kItems), "items", {{"items", rows_from(R"([{"id": 7}])")}});
  dataset_.close();
  const auto session = dataset_.destination().connect(kDataset, Access::kUpdate);
  EXPECT_NE(session->begin(), nullptr);
}

TEST_P(Conformance, ASchemaOnlyGrows) {
  dataset_.load(make_schema(kItems), "items",
                {{"items", rows_from(R"([{"id": 1, "name": "a"}])")}});
  const schema::Schema grown = make_schema(R"([{"name": "items", "columns": {
      "id": {"name": "id", "data_type": "bigint", "nullable": false},
      "more": {"name": "more", "data_type": "bigint"},
      "required": {"name": "required", "data_type": "text", "nullable": false},
      "unknown": {"name": "unknown"}}}])");
  const auto package = dataset_.session().begin();
  const json::Object applied = package->apply(grown, std::vector<std::string>{"items"}, kNow);
  package->commit({"2.0", "test_schema", "hash", kNow});
  ASSERT_EQ(applied.size(), 1u);
  const json::Value& update = *applied.find("items");
  EXPECT_EQ(json::write(*update.find("columns")),
            R"({"more":{"name":"more","data_type":"bigint"},)"
            R"("required":{"name":"required","data_type":"text","nullable":false}})");
  EXPECT_EQ(update.find("write_disposition")->as_string(), "append");
  EXPECT_THAT(ask("SELECT id, name, more, required FROM items"), ElementsAre("1|a|null|null"));
}

TEST_P(Conformance, AnAppliedSchemaIsWrittenOnceAndReportsNothingTheSecondTime) {
  const schema::Schema schema = make_schema(kItems);
  for (int run = 0; run < 2; ++run) {
    const auto package = dataset_.session().begin();
    const json::Object applied = package->apply(schema, std::vector<std::string>{"items"}, kNow);
    EXPECT_EQ(applied.size(), run == 0 ? 3u : 0u);
    package->commit({fmt::format("{}.5", run + 1), "test_schema", "hash", kNow});
  }
  EXPECT_THAT(
      ask("SELECT version, engine_version, schema_name, version_hash FROM _dlt_version"),
      ElementsAre(fmt::format("{}|11|test_schema|{}", schema.version(), schema.version_hash())));
  EXPECT_EQ(dataset_.session().newest_schema("test_schema"), json::write(schema.document()));
}

TEST_P(Conformance, ATableThatWasDroppedByHandIsMadeAgain) {
  const schema::Schema schema = make_schema(kItems);
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 1}])")}});
  auto package = dataset_.session().begin();
  package->drop_tables("another_schema", std::vector<std::string>{"items"});
  package->commit({"1.5", "test_schema", "hash", kNow});
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 2}])")}});
  EXPECT_THAT(ask("SELECT id FROM items"), ElementsAre("2"));
}

TEST_P(Conformance, DroppedTablesCanBeMadeAgainInTheSamePackage) {
  dataset_.load(make_schema(kItems), "items", {{"items", rows_from(R"([{"id": 1}])")}});
  const schema::Schema other = make_schema(R"([{"name": "items", "columns": {
      "word": {"name": "word", "data_type": "text"}}}])");
  const auto package = dataset_.session().begin();
  package->drop_tables("test_schema", std::vector<std::string>{"items", "never_there"});
  package->apply(other, std::vector<std::string>{"items"}, kNow);
  package->load(other,
                dataset_.chain(other, "items", {{"items", rows_from(R"([{"word": "w"}])")}}));
  package->commit({"2.0", "test_schema", "hash", kNow});
  EXPECT_THAT(ask("SELECT * FROM items"), ElementsAre("w"));
  EXPECT_THAT(ask("SELECT version_hash FROM _dlt_version"),
              ElementsAre(std::string(other.version_hash())));
}

TEST_P(Conformance, DroppingFromADatasetThatIsNotThereIsNothing) {
  const auto package = dataset_.session().begin();
  package->drop_tables("test_schema", std::vector<std::string>{"never_there"});
  package->apply(make_schema("[]"), {}, kNow);
  package->commit({"1.5", "test_schema", "hash", kNow});
  EXPECT_TRUE(dataset_.session().is_committed("1.5"));
}

TEST_P(Conformance, ATableThatTheSchemaLacksIsRefusedByName) {
  const auto package = dataset_.session().begin();
  try {
    package->apply(make_schema("[]"), std::vector<std::string>{"nowhere"}, kNow);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_THAT(error.message(), testing::HasSubstr("nowhere"));
  }
}

TEST_P(Conformance, TruncatedTablesStayAndLoseTheirRows) {
  const schema::Schema schema = make_schema(kItems);
  dataset_.load(schema, "items", {{"items", rows_from(R"([{"id": 1}])")}});
  const auto package = dataset_.session().begin();
  package->truncate_tables(std::vector<std::string>{"items", "never_there"});
  package->commit({"2.0", "test_schema", "hash", kNow});
  EXPECT_THAT(ask("SELECT count(*) FROM items"), ElementsAre("0"));
}

TEST_P(Conformance, AnyNameIsATableOrColumn) {
  const schema::Schema schema = make_schema(R"([{"name": "select", "columns": {
      "from": {"name": "from", "data_type": "bigint"},
      "a \"b\" 'c'": {"name": "a \"b\" 'c'", "data_type": "text"},
      "単価": {"name": "単価", "data_type": "double"}}}])");
  dataset_.load(schema, "select", {{"select", rows_from(R"([
      {"from": 1, "a \"b\" 'c'": "x", "単価": 0.5}])")}});
  EXPECT_THAT(ask(R"(SELECT "from", "a ""b"" 'c'", "単価" FROM "select")"), ElementsAre("1|x|0.5"));
}

TEST_P(Conformance, StateIsTheNewestByTextAmongCommittedLoads) {
  EXPECT_FALSE(dataset_.session().has_state_tables());
  EXPECT_EQ(dataset_.session().newest_state("p"), std::nullopt);
  load_state("9.5", 1, true);
  load_state("10.5", 2, true);
  load_state("99.5", 3, false);
  EXPECT_TRUE(dataset_.session().has_state_tables());
  EXPECT_EQ(dataset_.session().newest_state("another"), std::nullopt);
  const auto newest = dataset_.session().newest_state("p");
  ASSERT_TRUE(newest.has_value());
  EXPECT_EQ(newest->load_id, "9.5");
  EXPECT_EQ(newest->version, 1);
  EXPECT_EQ(newest->engine_version, 4);
  EXPECT_EQ(newest->state, "s1");
  EXPECT_EQ(dataset_.session().newest_load_id(), "9.5");
  EXPECT_TRUE(dataset_.session().is_committed("10.5"));
  EXPECT_FALSE(dataset_.session().is_committed("99.5"));
}

TEST_P(Conformance, TheNewestSchemaIsTheLatestInsertedOne) {
  schema::Schema schema = make_schema(kItems);
  for (const int second : {20, 30, 10}) {
    schema.update_table(json::Object{{"name", fmt::format("table_{}", second)}});
    schema.bump();
    const auto package = dataset_.session().begin();
    package->apply(schema, {}, kNow + std::chrono::seconds(second));
    package->commit({fmt::format("1.{}", second), "test_schema", "hash", kNow});
  }
  const auto newest = dataset_.session().newest_schema("test_schema");
  ASSERT_TRUE(newest.has_value());
  EXPECT_NE(newest->find("table_30"), std::string::npos);
  EXPECT_EQ(newest->find("table_10"), std::string::npos);
  EXPECT_EQ(dataset_.session().newest_schema("another"), std::nullopt);
}

TEST_P(Conformance, ASchemaThatDltCompressedIsReadable) {
  const schema::Schema schema = make_schema(
      R"([{"name": "_dlt_version", "columns": {"schema": {"name": "schema", "data_type": "text"}}}])");
  const std::string document = R"({"name":"test_schema"})";
  const std::string table(schema::kVersionTable);
  const Rows rows = {json::Object{{"version", 9},
                                  {"engine_version", 11},
                                  {"inserted_at", int64_t{1'900'000'000'000'000}},
                                  {"schema_name", "test_schema"},
                                  {"version_hash", "another"},
                                  {"schema", base64_encode(zlib_compress(document))}}};
  dataset_.load(schema, table, {{table, rows}});
  EXPECT_EQ(dataset_.session().newest_schema("test_schema"), document);
}

TEST_P(Conformance, AnEmptyDatabaseAnswersEverything) {
  Session& session = dataset_.session();
  EXPECT_FALSE(session.has_dataset());
  EXPECT_FALSE(session.has_state_tables());
  EXPECT_FALSE(session.is_committed("1.5"));
  EXPECT_EQ(session.newest_load_id(), std::nullopt);
  EXPECT_EQ(session.newest_schema("test_schema"), std::nullopt);
  EXPECT_THAT(ask("SELECT 1"), ElementsAre("1"));
}

TEST_P(Conformance, AReaderOfNothingIsToldSo) {
  try {
    dataset_.destination().connect(kDataset, Access::kRead);
    FAIL() << "there is no database";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  }
}

TEST_P(Conformance, AQueryNamesItsColumnsAndStopsWhenAsked) {
  TextSink sink;
  sink.limit = 2;
  dataset_.session().query(
      "-- numbers\nSELECT CAST(1 AS BIGINT) AS one, 'x' AS word UNION ALL "
      "SELECT 2, NULL UNION ALL SELECT 3, 'z' ORDER BY 1; -- done",
      sink);
  EXPECT_THAT(sink.names, ElementsAre("one", "word"));
  EXPECT_EQ(sink.types[0], "BIGINT");
  EXPECT_THAT(sink.lines, ElementsAre("1|x", "2|null"));
}

TEST_P(Conformance, AFaultyQueryIsShownAsItWasWritten) {
  try {
    ask("SELECT one FRM two");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_THAT(error.message(), testing::HasSubstr("SELECT one FRM two"));
    EXPECT_THAT(error.message(), testing::Not(testing::HasSubstr("DESCRIBE")));
  }
}

TEST_P(Conformance, AQueryDoesNotWrite) {
  dataset_.load(make_schema(kItems), "items", {{"items", rows_from(R"([{"id": 1}])")}});
  for (const char* sql : {"DELETE FROM items", "DROP TABLE items", "SELECT 1; DELETE FROM items",
                          "COMMIT", "CREATE TABLE more (a BIGINT)"}) {
    EXPECT_THROW(ask(sql), Error) << sql;
  }
  EXPECT_THAT(ask("SELECT id FROM items"), ElementsAre("1"));
}

INSTANTIATE_TEST_SUITE_P(Destinations, Conformance, testing::ValuesIn(kDestinations),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(Destinations, TransactionConformance,
                         testing::ValuesIn(with_transactions()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tidemark::destination
