#include "tidemark/state/meltano_schema.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/state/test_database.h"

namespace tidemark::state {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string read_golden_text(const std::string& name) {
  std::ifstream file(TIDEMARK_GOLDEN_DIR "/meltano/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const size_t read = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), read);
  }
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return output;
}

// What pg_dump says of tables and their parts, without what it says of itself and of the schema.
std::vector<std::string> definitions(const std::string& dump) {
  std::vector<std::string> kept;
  for (const std::string& line : lines_of(dump)) {
    static constexpr std::array<std::string_view, 7> kNoise = {
        "--", "SET ", "SELECT pg_catalog", "\\", "CREATE SCHEMA", "COMMENT ON SCHEMA", "REVOKE "};
    const bool is_noise =
        line.empty() || std::ranges::any_of(kNoise, [&](auto n) { return line.starts_with(n); });
    if (!is_noise) kept.push_back(line);
  }
  return kept;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(MeltanoSchema, OnSqliteEqualsWhatMeltanoMade) {
  const TestDatabase place(db::SqlDialect::kSqlite);
  const auto connection = place.connect();
  create_meltano_schema(*connection);
  std::string dump = "BEGIN TRANSACTION;\n";
  for (const std::string& table :
       texts(*connection, "SELECT sql FROM sqlite_master WHERE type = 'table' ORDER BY name")) {
    dump += table + ";\n";
    if (table.starts_with("CREATE TABLE alembic_version")) {
      dump += fmt::format("INSERT INTO \"alembic_version\" VALUES('{}');\n",
                          texts(*connection, "SELECT version_num FROM alembic_version").at(0));
    }
  }
  dump += "COMMIT;\n";
  std::string expected;
  for (const std::string& line : lines_of(read_golden_text("state-sqlite/meltano.db.sql"))) {
    if (!line.starts_with("INSERT INTO \"runs\"")) expected += line + "\n";
  }
  EXPECT_EQ(dump, expected);
}

TEST(MeltanoSchema, OnPostgresEqualsWhatMeltanoMade) {
  const TestDatabase place(db::SqlDialect::kPostgres);
  create_meltano_schema(*place.connect());
  const std::string dump =
      output_of(fmt::format("pg_dump --schema-only --no-owner --schema={} '{}'", place.schema(),
                            db::TestPostgres::server_url()));
  EXPECT_EQ(definitions(replaced(dump, place.schema() + ".", "public.")),
            definitions(read_golden_text("state-postgres/schema.sql")));
  EXPECT_THAT(texts(*place.connect(), "SELECT version_num FROM alembic_version"),
              ElementsAre("c0efb3c314eb"));
}

class AnyMeltanoSchema : public testing::TestWithParam<db::SqlDialect> {
 protected:
  TestDatabase place_{GetParam()};
  std::unique_ptr<db::SqlConnection> connection_ = place_.connect();
};
INSTANTIATE_TEST_SUITE_P(Databases, AnyMeltanoSchema,
                         testing::Values(db::SqlDialect::kSqlite, db::SqlDialect::kPostgres),
                         name_of_dialect);

TEST_P(AnyMeltanoSchema, IsNoneBeforeAndKnownAfterItWasMade) {
  connection_->run_script("CREATE TABLE others (i INTEGER)");
  EXPECT_EQ(inspect_meltano_schema(*connection_), MeltanoSchema::kNone);
  create_meltano_schema(*connection_);
  EXPECT_EQ(inspect_meltano_schema(*connection_), MeltanoSchema::kKnown);
}

TEST_P(AnyMeltanoSchema, OfMeltanoThreeIsKnown) {
  create_meltano_schema(*connection_);
  connection_->run_script("UPDATE alembic_version SET version_num = '6828cc5b1a4f'");
  EXPECT_EQ(inspect_meltano_schema(*connection_), MeltanoSchema::kKnown);
}

TEST_P(AnyMeltanoSchema, OfAnOlderMeltanoIsRefusedWithTheWayOn) {
  create_meltano_schema(*connection_);
  connection_->run_script("UPDATE alembic_version SET version_num = 'f4c225a9492f'");
  const Error error = error_of([&] { inspect_meltano_schema(*connection_); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.message(), HasSubstr("f4c225a9492f"));
  EXPECT_THAT(error.message(), HasSubstr("meltano state list"));
}

TEST_P(AnyMeltanoSchema, OfARevisionThatNobodyKnowsIsNewer) {
  create_meltano_schema(*connection_);
  connection_->run_script("UPDATE alembic_version SET version_num = 'ffffffffffff'");
  EXPECT_EQ(inspect_meltano_schema(*connection_), MeltanoSchema::kNewer);
}

TEST_P(AnyMeltanoSchema, TablesWithoutAMarkAreNotTaken) {
  connection_->run_script("CREATE TABLE state (name VARCHAR)");
  const Error error = error_of([&] { inspect_meltano_schema(*connection_); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.message(), HasSubstr("a table state"));
}

TEST_P(AnyMeltanoSchema, AnEmptyMarkCountsAsNone) {
  connection_->run_script("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)");
  EXPECT_EQ(inspect_meltano_schema(*connection_), MeltanoSchema::kNone);
  create_meltano_schema(*connection_);
  EXPECT_EQ(inspect_meltano_schema(*connection_), MeltanoSchema::kKnown);
}

TEST_P(AnyMeltanoSchema, IsMadeOnceByManyAtOnce) {
  std::vector<std::thread> makers;
  for (int maker = 0; maker < 16; ++maker) {
    makers.emplace_back([this] {
      try {
        place_.open()->write("make", [](db::SqlConnection&) {});
      } catch (const Error& error) {
        ADD_FAILURE() << error.message();
      }
    });
  }
  for (std::thread& maker : makers) maker.join();
  EXPECT_THAT(texts(*connection_, "SELECT version_num FROM alembic_version"),
              ElementsAre("c0efb3c314eb"));
}

}  // namespace
}  // namespace tidemark::state
