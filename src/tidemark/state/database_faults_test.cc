// What becomes of a system database when disk, rights or processes fail under it. Children are
// forked before this process has threads.

#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <random>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tidemark/base/error.h"
#include "tidemark/os/process.h"
#include "tidemark/state/database_state_store.h"
#include "tidemark/state/test_database.h"

namespace tidemark::state {
namespace {

using namespace std::chrono_literals;
using db::SqlDialect;
using testing::HasSubstr;

Document text_of_size(size_t size, char letter) {
  return {.completed =
              json::Object{{"singer_state", json::Object{{"t", std::string(size, letter)}}}}};
}

// Runs body in a process of its own, which ends with 0 unless body throws.
pid_t start_child(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    ::_exit(1);
  }
  ::_exit(0);
}

int status_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

// What body in a process of its own returns, or why it failed.
std::string in_child(const std::function<std::string()>& body) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = start_child([&] {
    std::string text;
    try {
      text = body();
    } catch (const Error& error) {
      text = std::string(to_string(error.code())) + ": " + error.message();
    }
    [[maybe_unused]] const ssize_t written = ::write(ends[1], text.data(), text.size());
  });
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t read = 0; (read = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(read));
  }
  ::close(ends[0]);
  EXPECT_EQ(status_of(child), 0);
  return text;
}

class DatabaseFaults : public testing::Test {
 protected:
  // A client of its own, as a process that was just started has it.
  template <typename Use>
  static auto with_store(const TestDatabase& place, Use use) {
    const auto database = place.open();
    DatabaseStateStore store(*database, place.context().clock);
    return use(store);
  }
};

TEST_F(DatabaseFaults, OnAFullDiskASaveFailsAndTheOldStateStays) {
  const TestDatabase place(SqlDialect::kSqlite);
  with_store(place, [](StateStore& store) { store.save("a", text_of_size(10, 'x'), {}); });
  const std::string answer = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 200'000, .rlim_max = 200'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return with_store(place, [](StateStore& store) -> std::string {
      store.save("a", text_of_size(1'000'000, 'y'), store.load("a")->revision);
      return "saved";
    });
  });
  EXPECT_THAT(answer, HasSubstr("unavailable: save 'a' in sqlite:///" + place.file().string()));
  with_store(place, [](StateStore& store) {
    EXPECT_EQ(store.load("a")->document, text_of_size(10, 'x'));
    EXPECT_TRUE(store.save("a", text_of_size(20, 'z'), store.load("a")->revision));
  });
}

// As a user without rights on the directory: root may write anywhere.
void give_up_rights() {
  constexpr uid_t kNobody = 65534;
  if (!os::is_superuser()) return;
  EXPECT_EQ(::setgid(kNobody), 0);
  EXPECT_EQ(::setuid(kNobody), 0);
}

class ReadOnlyDirectory : public DatabaseFaults {
 protected:
  ReadOnlyDirectory() {
    with_store(place_, [](StateStore& store) { store.save("a", text_of_size(10, 'x'), {}); });
    ::chmod(place_.file().parent_path().parent_path().c_str(), 0555);
    ::chmod(place_.file().parent_path().c_str(), 0555);
    ::chmod(place_.file().c_str(), 0444);
  }
  ~ReadOnlyDirectory() override {
    ::chmod(place_.file().parent_path().parent_path().c_str(), 0755);
    ::chmod(place_.file().parent_path().c_str(), 0755);
  }

  TestDatabase place_{SqlDialect::kSqlite};
};

TEST_F(ReadOnlyDirectory, IsRead) {
  EXPECT_EQ(in_child([&] {
              give_up_rights();
              return with_store(place_, [](StateStore& store) -> std::string {
                return store.load("a")->document == text_of_size(10, 'x') ? "read" : "another";
              });
            }),
            "read");
}

TEST_F(ReadOnlyDirectory, RefusesASaveByName) {
  EXPECT_THAT(in_child([&] {
                give_up_rights();
                return with_store(place_, [](StateStore& store) -> std::string {
                  store.save("a", text_of_size(20, 'y'), store.load("a")->revision);
                  return "saved";
                });
              }),
              HasSubstr("unauthorized: save 'a' in sqlite:///" + place_.file().string()));
}

TEST_F(ReadOnlyDirectory, IsNoPlaceForANewDatabase) {
  const TestDatabase place(SqlDialect::kSqlite);
  ::chmod(place.file().parent_path().parent_path().c_str(), 0555);
  EXPECT_THAT(in_child([&] {
                give_up_rights();
                return with_store(place, [](StateStore& store) -> std::string {
                  store.save("a", text_of_size(20, 'y'), std::nullopt);
                  return "saved";
                });
              }),
              HasSubstr("unauthorized: save 'a' in sqlite:///" + place.file().string()));
  ::chmod(place.file().parent_path().parent_path().c_str(), 0755);
}

class KilledWriter : public DatabaseFaults, public testing::WithParamInterface<SqlDialect> {
 protected:
  // A process that replaces one document by another without end.
  static pid_t start_writer(const TestDatabase& place) {
    return start_child([&] {
      with_store(place, [](StateStore& store) {
        for (bool is_first = true;; is_first = !is_first) {
          const auto stored = store.load("a");
          store.save("a", text_of_size(is_first ? 100'000 : 200'000, is_first ? 'x' : 'y'),
                     stored ? std::optional(stored->revision) : std::nullopt);
        }
      });
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Databases, KilledWriter,
                         testing::Values(SqlDialect::kSqlite, SqlDialect::kPostgres),
                         name_of_dialect);

TEST_P(KilledWriter, LeavesTheOldOrTheNewState) {
  const TestDatabase place(GetParam());
  with_store(place, [](StateStore& store) { store.save("a", text_of_size(100'000, 'x'), {}); });
  std::minstd_rand random(1);
  for (int round = 0; round < 20; ++round) {
    const pid_t writer = start_writer(place);
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + random() % 40));
    ::kill(writer, SIGKILL);
    status_of(writer);
    with_store(place, [](StateStore& store) {
      const auto stored = store.load("a");
      ASSERT_TRUE(stored);
      EXPECT_TRUE(stored->document == text_of_size(100'000, 'x') ||
                  stored->document == text_of_size(200'000, 'y'));
      EXPECT_TRUE(store.save("a", stored->document, stored->revision));
    });
  }
}

class WriterProcesses : public DatabaseFaults, public testing::WithParamInterface<SqlDialect> {};
INSTANTIATE_TEST_SUITE_P(Databases, WriterProcesses,
                         testing::Values(SqlDialect::kSqlite, SqlDialect::kPostgres),
                         name_of_dialect);

void append_letters(StateStore& store, int count) {
  for (int done = 0; done < count;) {
    const auto stored = store.load("a");
    const size_t size =
        stored ? stored->document.completed.find("singer_state")->find("t")->as_string().size() : 0;
    const auto expected = stored ? std::optional(stored->revision) : std::nullopt;
    if (store.save("a", text_of_size(size + 1, 'x'), expected)) ++done;
  }
}

TEST_P(WriterProcesses, LoseNoUpdate) {
  constexpr int kWriters = 32;
  constexpr int kUpdates = 10;
  const TestDatabase place(GetParam());
  std::vector<pid_t> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.push_back(start_child(
        [&] { with_store(place, [](StateStore& store) { append_letters(store, kUpdates); }); }));
  }
  for (const pid_t writer : writers) EXPECT_EQ(status_of(writer), 0);
  with_store(place, [](StateStore& store) {
    EXPECT_EQ(store.load("a")->document, text_of_size(kWriters * kUpdates, 'x'));
  });
}

}  // namespace
}  // namespace tidemark::state
