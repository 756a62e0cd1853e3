#include "tidemark/runner/log.h"

#include <gtest/gtest.h>

#include "tidemark/json/read.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::runner {
namespace {

constexpr Time kTime{std::chrono::microseconds(1'796'043'153'334'883)};

LogRecord record(std::string event) {
  return {.time = kTime,
          .level = LogLevel::kInfo,
          .name = "tap-x",
          .event = std::move(event),
          .fields = {{"run_id", "r"}}};
}

TEST(FormatRecord, HasTheFormsOfMeltano) {
  EXPECT_EQ(format_record(record("tap done"), LogFormat::kUncolored),
            "2026-11-30T12:52:33.334883Z [info     ] tap-x        tap done");
  EXPECT_EQ(format_record(record("tap done"), LogFormat::kPlain), "tap done");
  EXPECT_EQ(format_record(record("a \"b\""), LogFormat::kJson),
            R"({"timestamp":"2026-11-30T12:52:33.334883Z","level":"info","event":"a \"b\"",)"
            R"("name":"tap-x","run_id":"r"})");
  EXPECT_EQ(format_record(record("x"), LogFormat::kKeyValue),
            "timestamp='2026-11-30T12:52:33.334883Z' level='info' event='x' name='tap-x' "
            "run_id='r'");
  EXPECT_EQ(format_record({.time = Time(std::chrono::seconds(0)), .name = "n", .event = "e"},
                          LogFormat::kUncolored),
            "1970-01-01T00:00:00Z [info     ] n            e");
}

TEST(Log, ShowsWhatIsOfItsLevelAndWritesItToItsFileToo) {
  const os::TempDirectory directory;
  ManualClock clock{kTime};
  std::string console;
  Log log({.level = LogLevel::kWarning,
           .format = LogFormat::kPlain,
           .console = [&](std::string_view text) { console += text; }},
          clock);
  log.warning("one");
  log.open_file(directory / "a" / "b" / "elt.log");
  log.info("not shown");
  log.error("two");
  log.close_file();
  log.error("three");
  EXPECT_EQ(console, "one\ntwo\nthree\n");
  EXPECT_EQ(os::read_file(directory / "a" / "b" / "elt.log"),
            "2026-11-30T12:52:33.334883Z [error    ] tidemark     two\n");
}

TEST(Log, GoesOnWithoutAFileThatCannotBeWritten) {
  const os::TempDirectory directory;
  os::write_new_file(directory / "file", "");
  ManualClock clock{kTime};
  std::string console;
  Log log({.format = LogFormat::kPlain, .console = [&](std::string_view text) { console += text; }},
          clock);
  log.open_file(directory / "file" / "elt.log");
  log.info("on");
  EXPECT_TRUE(console.starts_with("the run has no log file: cannot create directory ")) << console;
  EXPECT_TRUE(console.ends_with("on\n"));
}

TEST(LogDirectoryName, IsMeltanos) {
  const json::Value vectors =
      json::read(os::read_file(TIDEMARK_GOLDEN_DIR "/meltano/vectors.json"));
  const json::Array& all = vectors.find("log_dir_name")->as_array();
  EXPECT_EQ(all.size(), 22);
  for (const json::Value& vector : all) {
    const std::string& id = vector.find("state_id")->as_string();
    EXPECT_EQ(log_directory_name(id), vector.find("dir")->as_string()) << id;
  }
}

}  // namespace
}  // namespace tidemark::runner
