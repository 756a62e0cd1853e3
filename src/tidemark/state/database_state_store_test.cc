#include "tidemark/state/database_state_store.h"

#include <cstdlib>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/write.h"
#include "tidemark/state/golden_cases.h"
#include "tidemark/state/state_store_conformance.h"
#include "tidemark/state/test_database.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;
using db::SqlDialect;
using testing::HasSubstr;
using testing::IsEmpty;

Document bookmark(int value) {
  return {.completed = json::Object{{"singer_state", json::Object{{"n", value}}}}};
}

std::vector<std::string> listed(StateStore& store, std::string_view pattern = {}) {
  std::vector<std::string> ids;
  store.list(pattern, [&](std::string_view id) { ids.emplace_back(id); });
  return ids;
}

class DatabaseStates : public testing::TestWithParam<SqlDialect> {
 protected:
  void insert_row(std::string_view id, const std::optional<std::string>& completed,
                  const std::optional<std::string>& partial) {
    store_.save(id, {}, std::nullopt);
    const auto value = [](const auto& text) {
      return text ? db::SqlValue(std::string_view(*text)) : db::SqlValue(nullptr);
    };
    place_.connect()->execute(
        "UPDATE state SET completed_state = $1, partial_state = $2 WHERE state_id = $3",
        {value(completed), value(partial), id});
  }
  std::string column(const std::string& expression) {
    return texts(*place_.connect(), "SELECT " + expression + " FROM state").at(0);
  }
  // SQLite has it as text.
  std::string updated_at() { return column("CAST(updated_at AS VARCHAR)"); }

  TestDatabase place_{GetParam()};
  std::unique_ptr<SystemDatabase> database_ = place_.open();
  DatabaseStateStore store_{*database_, place_.context().clock};
};
INSTANTIATE_TEST_SUITE_P(Databases, DatabaseStates,
                         testing::Values(SqlDialect::kSqlite, SqlDialect::kPostgres),
                         name_of_dialect);

TEST_P(DatabaseStates, Conform) {
  EXPECT_THAT(state_store_faults(store_, {.keeps_other_keys = false}), IsEmpty());
}

TEST_P(DatabaseStates, OfAnotherClientAreSeen) {
  const auto other_database = place_.open();
  DatabaseStateStore other(*other_database, place_.context().clock);
  const auto first = store_.save("a", bookmark(1), std::nullopt);
  ASSERT_TRUE(other.save("a", bookmark(2), first));
  EXPECT_FALSE(store_.save("a", bookmark(3), first));
  EXPECT_EQ(store_.load("a")->document, bookmark(2));
}

TEST_P(DatabaseStates, AreStoredAsMeltanoStoresThem) {
  const json::Value state =
      json::read(R"({"singer_state": {"t": "café 😀\u007f", "n": 1.50, "e": {}, "l": [1, null]}})");
  const auto first =
      store_.save("a", {.completed = state, .partial = json::Object{}}, std::nullopt);
  EXPECT_EQ(column("completed_state"),
            R"({"singer_state": {"t": "caf\u00e9 \ud83d\ude00\u007f", "n": 1.50, "e": {}, )"
            R"("l": [1, null]}})");
  EXPECT_EQ(column("partial_state"), "{}");
  store_.save("a", {.completed = nullptr, .partial = nullptr}, first);
  EXPECT_EQ(column("completed_state"), "NULL");
  EXPECT_EQ(column("partial_state"), "NULL");
}

TEST_P(DatabaseStates, OfMeltanoAreReadWhateverItWrote) {
  insert_row("a", R"({"singer_state": {"i": Infinity, "n": NaN, "z": 1e+16}})", std::nullopt);
  const auto stored = store_.load("a");
  ASSERT_TRUE(stored);
  EXPECT_TRUE(stored->document.partial.is_null());
  EXPECT_EQ(json::write_python(stored->document.completed),
            R"({"singer_state": {"i": Infinity, "n": NaN, "z": 1e+16}})");
  EXPECT_TRUE(store_.save("a", bookmark(1), stored->revision));
}

TEST_P(DatabaseStates, ThatDoNotParseAreNamed) {
  insert_row("a", R"({"singer_state": )", "{}");
  insert_row("b", "{}", "[1]");
  const Error a = error_of([&] { store_.load("a"); });
  EXPECT_EQ(a.code(), ErrorCode::kCorrupt);
  EXPECT_THAT(a.message(), HasSubstr("load 'a' in " + store_.describe()));
  EXPECT_THAT(a.message(), HasSubstr("column completed_state"));
  EXPECT_THAT(error_of([&] { store_.load("b"); }).message(), HasSubstr("column partial_state"));
}

TEST_P(DatabaseStates, ThatDoNotParseAreGivenAsTheyAreAndCanBeReplaced) {
  insert_row("a", R"({"singer_state": )", std::nullopt);
  const auto raw = store_.load_raw("a");
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->text, "completed_state: {\"singer_state\": \npartial_state: NULL\n");
  EXPECT_TRUE(store_.save("a", bookmark(1), raw->revision));
  EXPECT_EQ(store_.load("a")->document, bookmark(1));
  EXPECT_FALSE(store_.load_raw("b"));
}

TEST_P(DatabaseStates, HaveATimeOnlyAfterAnUpdateAndOnTheLocalClock) {
  const char* zone = std::getenv("TZ");
  const std::string before = zone != nullptr ? zone : "";
  ::setenv("TZ", "Asia/Tokyo", 1);
  // 2026-11-30T12:46:48Z
  ManualClock clock{Time(1'796'042'808s)};
  DatabaseStateStore store(*database_, clock);
  const auto first = store.save("a", bookmark(1), std::nullopt);
  EXPECT_EQ(updated_at(), "NULL");
  store.save("a", bookmark(2), first);
  const bool is_sqlite = GetParam() == SqlDialect::kSqlite;
  EXPECT_EQ(updated_at(), is_sqlite ? "2026-11-30 21:46:48.000000" : "2026-11-30 21:46:48");
  zone != nullptr ? ::setenv("TZ", before.c_str(), 1) : ::unsetenv("TZ");
}

TEST_P(DatabaseStates, ComparesTheBytesAndNothingElse) {
  const auto first = store_.save("a", bookmark(1), std::nullopt);
  const std::string other_time = "UPDATE state SET updated_at = '2001-01-01 00:00:00'";
  place_.connect()->run_script(other_time);
  const auto second = store_.save("a", bookmark(2), first);
  EXPECT_TRUE(second);
  // The same value in other bytes: somebody else has written it.
  place_.connect()->run_script("UPDATE state SET completed_state = completed_state || ' '");
  EXPECT_FALSE(store_.save("a", bookmark(3), second));
  EXPECT_FALSE(store_.remove("a", *second));
}

TEST_P(DatabaseStates, WithNullHalvesAreComparedToo) {
  insert_row("a", std::nullopt, std::nullopt);
  const auto stored = store_.load("a");
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->document, (Document{.completed = nullptr, .partial = nullptr}));
  EXPECT_TRUE(store_.save("a", bookmark(1), stored->revision));
  EXPECT_FALSE(store_.save("a", bookmark(2), stored->revision));
}

// What Meltano's own update() made of each: a document, a new half, the columns after it.
TEST_P(DatabaseStates, AfterEveryUpdateHoldWhatMeltanoWrites) {
  const json::Value vectors = read_golden("update.json");
  for (const json::Value& vector : vectors.as_array()) {
    if (vector.find("result") == nullptr) continue;
    const json::Value& stored = *vector.find("stored");
    std::optional<StoredState> current;
    if (!stored.is_null()) {
      store_.save("a", read_document(stored.as_string()), std::nullopt);
      current = store_.load("a");
    }
    const bool is_complete = vector.find("kind")->as_string() == "complete";
    const json::Value half = json::read(vector.find("new")->as_string());
    const Document change{.completed = is_complete ? half : json::Object{},
                          .partial = is_complete ? json::Object{} : half};
    const Document next =
        updated(current ? std::optional(current->document) : std::nullopt, change);
    store_.save("a", next, current ? std::optional(current->revision) : std::nullopt);
    const auto saved = store_.load("a");
    ASSERT_TRUE(saved);
    EXPECT_EQ(write_document(saved->document), vector.find("result")->as_string())
        << json::write(vector);
    store_.remove("a", saved->revision);
  }
}

TEST_P(DatabaseStates, AreListedByMeltanosPatterns) {
  const json::Value vectors = read_golden("state_list.json");
  for (const json::Value& id : vectors.find("ids")->as_array()) {
    store_.save(id.as_string(), {}, std::nullopt);
  }
  for (const json::Value& vector : vectors.find("cases")->as_array()) {
    const json::Value& pattern = *vector.find("pattern");
    std::vector<std::string> expected;
    for (const json::Value& id : vector.find("db_sqlite")->as_array()) {
      expected.push_back(id.as_string());
    }
    const std::string text = pattern.is_null() ? "" : pattern.as_string();
    // PostgreSQL's LIKE tells capitals from small letters.
    if (GetParam() == SqlDialect::kPostgres) {
      if (text == "a" || text == "a*") std::erase(expected, "A");
      if (text == "A") std::erase(expected, "a");
      if (text == "DEV:*") expected.clear();
    }
    EXPECT_EQ(listed(store_, text), expected) << text;
  }
}

TEST_P(DatabaseStates, ManyAreListedInByteOrder) {
  store_.save("first", {}, std::nullopt);
  const auto connection = place_.connect();
  connection->begin();
  for (int number = 0; number < 10'000; ++number) {
    const std::string id = fmt::format("{}:tap-{}", number % 2 == 0 ? "dev" : "Prod", number);
    connection->execute("INSERT INTO state (state_id) VALUES ($1)", {std::string_view(id)});
  }
  connection->commit();
  const std::vector<std::string> ids = listed(store_);
  EXPECT_EQ(ids.size(), 10'001u);
  EXPECT_TRUE(std::ranges::is_sorted(ids));
}

TEST_P(DatabaseStates, MayBeUsedWhileTheyAreListed) {
  store_.save("a", bookmark(1), std::nullopt);
  store_.save("b", bookmark(2), std::nullopt);
  store_.list({}, [&](std::string_view id) { store_.remove(id, store_.load(id)->revision); });
  EXPECT_THAT(listed(store_), IsEmpty());
}

TEST_P(DatabaseStates, OfManyWritersLoseNoUpdate) {
  constexpr int kWriters = 32;
  constexpr int kUpdates = 10;
  std::vector<std::future<void>> writers;
  writers.reserve(kWriters);
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.push_back(std::async(std::launch::async, [this] {
      const auto database = place_.open();
      DatabaseStateStore store(*database, place_.context().clock);
      for (int done = 0; done < kUpdates;) {
        const auto stored = store.load("a");
        const int value =
            stored ? static_cast<int>(
                         stored->document.completed.find("singer_state")->find("n")->as_int64())
                   : 0;
        const auto expected = stored ? std::optional(stored->revision) : std::nullopt;
        if (store.save("a", bookmark(value + 1), expected)) ++done;
      }
    }));
  }
  for (std::future<void>& writer : writers) writer.get();
  EXPECT_EQ(store_.load("a")->document, bookmark(kWriters * kUpdates));
}

TEST_P(DatabaseStates, AreLabelledAsMeltanoDoes) {
  EXPECT_EQ(store_.label(), "Database");
  EXPECT_THAT(store_.describe(), testing::Not(HasSubstr("tidemark:")));
}

class ExclusiveSave : public testing::Test {
 protected:
  TestDatabase place_{SqlDialect::kPostgres};
  std::unique_ptr<SystemDatabase> database_ = place_.open();
  DatabaseStateStore store_{*database_, place_.context().clock};
};

TEST_F(ExclusiveSave, ComparesLikeAnyOther) {
  ASSERT_TRUE(store_.can_save_exclusively());
  const auto first = store_.save_exclusively("a", bookmark(1), std::nullopt);
  ASSERT_TRUE(first);
  EXPECT_FALSE(store_.save_exclusively("a", bookmark(2), std::nullopt));
  EXPECT_TRUE(store_.save_exclusively("a", bookmark(2), first));
  EXPECT_FALSE(store_.save_exclusively("a", bookmark(3), first));
}

TEST_F(ExclusiveSave, WaitsForWhoeverHasReadAndWillWrite) {
  const auto first = store_.save("a", bookmark(1), std::nullopt);
  const auto meltano = place_.connect();
  meltano->begin();
  texts(*meltano, "SELECT completed_state FROM state WHERE state_id = 'a'");
  auto saving = std::async(std::launch::async,
                           [&] { return store_.save_exclusively("a", bookmark(2), first); });
  EXPECT_EQ(saving.wait_for(100ms), std::future_status::timeout);
  meltano->run_script("UPDATE state SET completed_state = '{\"singer_state\": {\"n\": 9}}'");
  meltano->commit();
  EXPECT_FALSE(saving.get());
  EXPECT_EQ(store_.load("a")->document, bookmark(9));
}

TEST_F(ExclusiveSave, DoesNotWaitForEver) {
  const auto first = store_.save("a", bookmark(1), std::nullopt);
  const auto meltano = place_.connect();
  meltano->begin();
  texts(*meltano, "SELECT completed_state FROM state WHERE state_id = 'a'");
  const Error error = error_of([&] { store_.save_exclusively("a", bookmark(2), first); });
  EXPECT_EQ(error.code(), ErrorCode::kLocked);
  EXPECT_THAT(error.message(), HasSubstr("save 'a' in postgresql://"));
  meltano->rollback();
  EXPECT_EQ(store_.load("a")->document, bookmark(1));
}

TEST_F(ExclusiveSave, IsNotThereOnSqlite) {
  const TestDatabase sqlite(SqlDialect::kSqlite);
  const auto database = sqlite.open();
  DatabaseStateStore store(*database, sqlite.context().clock);
  EXPECT_FALSE(store.can_save_exclusively());
  EXPECT_EQ(error_of([&] { store.save_exclusively("a", bookmark(1), std::nullopt); }).code(),
            ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace tidemark::state
