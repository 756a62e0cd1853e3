#include "tidemark/destination/duckdb.h"

#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tidemark/base/error.h"
#include "tidemark/base/zlib.h"
#include "tidemark/destination/duckdb_load.h"
#include "tidemark/destination/registry.h"
#include "tidemark/destination/test_package.h"
#include "tidemark/json/read.h"

namespace tidemark::destination {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<Destination> make(const std::filesystem::path& folder) {
  return make_duckdb({.path = folder / "database.duckdb"});
}

TEST(DuckDbDestination, TypesAreThoseThatDltMakes) {
  TestDataset dataset(make);
  const schema::Schema schema = make_schema(R"([{"name": "t", "columns": {
      "a": {"name": "a", "data_type": "text", "precision": 10},
      "b": {"name": "b", "data_type": "bigint", "precision": 8},
      "c": {"name": "c", "data_type": "bigint", "precision": 16},
      "d": {"name": "d", "data_type": "bigint", "precision": 32},
      "e": {"name": "e", "data_type": "bigint", "nullable": false},
      "f": {"name": "f", "data_type": "bigint", "precision": 128},
      "g": {"name": "g", "data_type": "timestamp", "precision": 3},
      "h": {"name": "h", "data_type": "timestamp", "timezone": false, "precision": 0},
      "i": {"name": "i", "data_type": "timestamp", "timezone": false, "precision": 3},
      "j": {"name": "j", "data_type": "timestamp", "timezone": false},
      "k": {"name": "k", "data_type": "timestamp", "timezone": false, "precision": 9},
      "l": {"name": "l", "data_type": "decimal"},
      "m": {"name": "m", "data_type": "decimal", "precision": 10},
      "n": {"name": "n", "data_type": "decimal", "precision": 10, "scale": 2},
      "o": {"name": "o", "data_type": "wei"},
      "p": {"name": "p", "data_type": "json"},
      "q": {"name": "q", "data_type": "binary"},
      "r": {"name": "r", "data_type": "date"},
      "s": {"name": "s", "data_type": "time"},
      "t": {"name": "t", "data_type": "double"},
      "u": {"name": "u", "data_type": "bool"},
      "v": {"name": "v"}}}])");
  dataset.load(schema, "t", {{"t", rows_from(R"([{"b": 1, "c": 2, "d": 3, "e": 4, "f": 5,
      "g": 1704164645678900, "h": 1704164645000000, "i": 1704164645678000, "j": 1704164645678900,
      "k": 1704164645678900, "m": "1500000000", "n": "155", "p": "{}"}])")}});
  EXPECT_THAT(
      dataset.ask("SELECT data_type || CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END"
                  " FROM information_schema.columns WHERE table_name = 't' ORDER BY column_name"),
      ElementsAre("VARCHAR", "TINYINT", "SMALLINT", "INTEGER", "BIGINT NOT NULL", "HUGEINT",
                  "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP",
                  "TIMESTAMP_NS", "DECIMAL(38,9)", "DECIMAL(10,9)", "DECIMAL(10,2)",
                  "DECIMAL(38,0)", "JSON", "BLOB", "DATE", "TIME", "DOUBLE", "BOOLEAN"));
  EXPECT_THAT(dataset.ask("SELECT b, c, d, e, f, g, h, i, j, k, m, n, p FROM t"),
              ElementsAre("1|2|3|4|5|2024-01-02 03:04:05.6789+00|2024-01-02 03:04:05|"
                          "2024-01-02 03:04:05.678|2024-01-02 03:04:05.6789|"
                          "2024-01-02 03:04:05.6789|1.500000000|1.55|{}"));
}

TEST(DuckDbDestination, NamesThatDifferInCaseAreOne) {
  TestDataset dataset(make);
  for (const char* name : {"Items", "ITEMS"}) {
    const schema::Schema schema =
        make_schema(std::string(R"([{"name": ")") + name +
                    R"(", "columns": {"Id": {"name": "Id", "data_type": "bigint"}}}])");
    dataset.load(schema, name, {{name, rows_from(R"([{"Id": 1}])")}});
  }
  EXPECT_THAT(dataset.ask("SELECT count(*) FROM items"), ElementsAre("2"));
}

TEST(DuckDbDestination, ADatasetMayBeCalledLikeTheDatabase) {
  const os::TempDirectory folder;
  const auto destination = make_duckdb({.path = folder.path() / "github.duckdb"});
  const auto session = destination->connect("github", Access::kWrite);
  const auto package = session->begin();
  package->apply(make_schema("[]"), {}, Time{});
  package->commit({"1.5", "test_schema", "hash", Time{}});
  EXPECT_THAT(ask(*session, "SELECT load_id FROM _dlt_loads"), ElementsAre("1.5"));
}

TEST(DuckDbDestination, TheLocationIsAnAbsoluteUrl) {
  EXPECT_EQ(make_duckdb({.path = "/data/../data/a.duckdb"})->location(),
            "duckdb:////data/a.duckdb");
  EXPECT_THROW(make_duckdb({.path = "a.duckdb"}), Error);
}

// Rows that take some 20 MB in memory.
struct WideRows {
  schema::Schema schema =
      make_schema(R"([{"name": "t", "columns": {"a": {"name": "a", "data_type": "text"}}}])");
  Rows rows;

  WideRows() {
    for (int i = 0; i < 2000; ++i) {
      json::Object row;
      row.set("a", std::string(10'000, static_cast<char>('a' + i % 26)) + std::to_string(i));
      rows.emplace_back(std::move(row));
    }
  }
};

TEST(DuckDbDestination, AMemoryLimitThatWasGivenIsKeptAndNamed) {
  const WideRows wide;
  TestDataset dataset([](const std::filesystem::path& folder) {
    return make_duckdb({.path = folder / "database.duckdb", .memory_limit = "6MB", .threads = 1});
  });
  try {
    dataset.load(wide.schema, "t", {{"t", wide.rows}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_THAT(error.message(), HasSubstr("raise the destination's memory_limit"));
  }
}

TEST(DuckDbDestination, WithoutALimitAnotherAttemptHasMoreMemory) {
  const WideRows wide;
  TestDataset dataset(make);  // for its folder
  const TableChain chain = dataset.chain(wide.schema, "t", {{"t", wide.rows}});
  const auto database = db::DuckDbDatabase::open(
      {.file = dataset.folder() / "database.duckdb", .memory_limit = "6MB", .threads = 1});
  const auto connection = database->connect();
  db::BatchFunction batches(*connection);
  DuckDbDataset tables(*connection, std::string(kDataset));
  MemoryLimit memory("", 1);
  DuckDbPackageLoad package(*connection, batches, tables, memory);
  package.apply(wide.schema, std::vector<std::string>{"t"}, Time{});
  try {
    package.load(wide.schema, chain);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnavailable) << error.message();
    EXPECT_THAT(error.message(), HasSubstr("DuckDB may use 224MB from now on"));
    EXPECT_EQ(memory.value(), "224MB");
  }
}

TEST(DuckDbDestination, AMissingFolderIsNamed) {
  const os::TempDirectory folder;
  try {
    make_duckdb({.path = folder.path() / "none/a.duckdb"})->connect(kDataset, Access::kWrite);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_THAT(error.message(), HasSubstr((folder.path() / "none").string()));
  }
}

TEST(DuckDbDestination, AMissingFolderIsNoLocation) {
  const os::TempDirectory folder;
  EXPECT_NO_THROW(make_duckdb({.path = folder.path() / "a.duckdb"})->check_location());
  try {
    make_duckdb({.path = folder.path() / "none/a.duckdb"})->check_location();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_THAT(error.message(), HasSubstr((folder.path() / "none").string()));
  }
}

TEST(DuckDbDestination, AFileHeldByAnotherProcessIsLockedAndItsHolderNamed) {
  const os::TempDirectory folder;
  int ready[2];
  int done[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(done), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    close(done[1]);
    // Until the process ends.
    [[maybe_unused]] const auto session = make(folder.path())->connect(kDataset, Access::kWrite);
    char byte = 'r';
    _exit(write(ready[1], &byte, 1) == 1 && read(done[0], &byte, 1) == 0 ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  try {
    make(folder.path())->connect(kDataset, Access::kWrite);
    ADD_FAILURE() << "the file is held";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kLocked);
    EXPECT_THAT(error.message(), HasSubstr("database.duckdb"));
    EXPECT_THAT(error.message(), HasSubstr(std::to_string(holder)));
  }
  close(done[1]);
  int status = 0;
  waitpid(holder, &status, 0);
  for (const int end : {ready[0], ready[1], done[0]}) close(end);
  EXPECT_EQ(status, 0);
}

// Made by dlt 1.31 with DuckDB 2.0.1.
TEST(DuckDbDestination, ADatabaseOfDltsIsReadAndCarriedOn) {
  const auto make_copy = [](const std::filesystem::path& folder) {
    std::ifstream stored(TIDEMARK_GOLDEN_DIR "/dlt/tiny_pipeline.duckdb.zlib", std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(stored), {});
    std::ofstream(folder / "tiny.duckdb", std::ios::binary) << zlib_decompress(bytes);
    return make_duckdb({.path = folder / "tiny.duckdb"});
  };
  const os::TempDirectory folder;
  const auto session = make_copy(folder.path())->connect("tiny_data", Access::kWrite);
  const auto state = session->newest_state("tiny_pipeline");
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->load_id, "1796042286.432571");
  EXPECT_EQ(session->newest_load_id(), "1796042286.432571");
  const schema::Schema schema = schema::Schema::from_json(
      json::read(session->newest_schema("tiny").value()).as_object(), true);

  const auto package = session->begin();
  const json::Object applied = package->apply(schema, std::vector<std::string>{"orders"}, Time{});
  EXPECT_TRUE(applied.empty());
  const std::filesystem::path part = write_part(folder.path(), schema, "orders", rows_from(R"([
      {"id": 9, "_dlt_load_id": "1796042299.5", "_dlt_id": "x"}])"));
  package->load(schema, {"append", "", {{"orders", {part}}}});
  package->commit({"1796042299.5", "tiny", std::string(schema.version_hash()), Time{}});
  EXPECT_THAT(ask(*session, "SELECT id, amount FROM orders ORDER BY id"),
              ElementsAre("1|1.5", "2|2.5", "3|null", "9|null"));
  EXPECT_EQ(session->newest_load_id(), "1796042299.5");
}

TEST(DuckDbDestination, ADamagedPartLoadsNothing) {
  TestDataset dataset(make);
  const schema::Schema schema =
      make_schema(R"([{"name": "t", "columns": {"a": {"name": "a", "data_type": "text"}}}])");
  TableChain chain = dataset.chain(schema, "t", {{"t", rows_from(R"([{"a": "some text"}])")}});
  {
    FILE* file = fopen(chain.tables[0].files[0].c_str(), "r+b");
    fseek(file, 40, SEEK_SET);
    fputc('?', file);
    fclose(file);
  }
  try {
    dataset.load(schema, chain);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
  }
  EXPECT_FALSE(dataset.session().has_dataset());
}

TEST(DestinationRegistry, KnowsDestinationsByBothNames) {
  EXPECT_THAT(destination_types(), ElementsAre("duckdb"));
  for (const char* type : {"duckdb", "dlt.destinations.duckdb"}) {
    const auto made = make_destination(type, {{"path", "/data/a.duckdb"}, {"threads", 2}});
    EXPECT_EQ(made->location(), "duckdb:////data/a.duckdb");
    EXPECT_EQ(made->capabilities().factory, "dlt.destinations.duckdb");
  }
}

TEST(DestinationRegistry, NamesWhatItDoesNotKnow) {
  try {
    make_destination("oracle", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(error.message(), testing::AllOf(HasSubstr("oracle"), HasSubstr("duckdb")));
  }
  try {
    make_destination("duckdb", {{"path", "/data/a.duckdb"}, {"pth", 1}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_THAT(error.message(), HasSubstr("pth"));
  }
}

}  // namespace
}  // namespace tidemark::destination
