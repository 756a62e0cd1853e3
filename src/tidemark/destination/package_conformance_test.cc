// What every destination makes of a package that ends, fails or is stopped.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/error.h"
#include "tidemark/destination/conformance_fixture.h"
#include "tidemark/destination/interrupt_watch.h"

namespace tidemark::destination {
namespace {

using testing::ElementsAre;

class Packages : public Conformance {};

// What only those do that declare transactions.
class Transactions : public Conformance {};

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

TEST_P(Packages, APackageIsCommittedOnce) {
  const auto package = dataset_.session().begin();
  package->apply(make_schema(kItems), {}, kNow);
  package->commit({"1.5", "test_schema", "hash", kNow});
  EXPECT_THROW(package->commit({"1.5", "test_schema", "hash", kNow}), Error);
  EXPECT_TRUE(dataset_.session().is_committed("1.5"));
  EXPECT_THAT(ask("SELECT load_id, schema_name, status, schema_version_hash FROM _dlt_loads"),
              ElementsAre("1.5|test_schema|0|hash"));
}

TEST_P(Packages, AfterAFailureAPackageCanOnlyBeRolledBack) {
  const schema::Schema schema = make_schema(kItems);
  const auto package = dataset_.session().begin();
  package->apply(schema, std::vector<std::string>{"items"}, kNow);
  const TableChain chain =
      dataset_.chain(schema, "items", {{"items", rows_from(R"([{"name": "no id"}])")}});
  EXPECT_THROW(package->load(schema, chain), Error);
  EXPECT_THROW(package->commit({"1.5", "test_schema", "hash", kNow}), Error);
}

TEST_P(Packages, AnUpdateNeedsADatabase) {
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

TEST_P(Transactions, AFailingInsertLeavesTheOldRows) {
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

TEST_P(Transactions, WithoutCommitEverythingIsTakenBack) {
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

TEST_P(Packages, AnInterruptedQueryEndsAndTheSessionGoesOn) {
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

TEST_P(Transactions, AnInterruptedLoadLeavesTheOldRows) {
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

INSTANTIATE_TEST_SUITE_P(Destinations, Packages, testing::ValuesIn(kDestinations),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(Destinations, Transactions, testing::ValuesIn(with_transactions()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tidemark::destination
