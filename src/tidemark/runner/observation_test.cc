#include "tidemark/runner/observation.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tidemark::runner {
namespace {

Passed observe(std::string_view bytes, size_t piece = std::string_view::npos) {
  Observation observation({});
  while (!bytes.empty()) {
    observation.add(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  observation.finish();
  return observation.passed();
}

constexpr std::string_view kLines =
    R"({"type": "SCHEMA", "stream": "users", "schema": {}, "key_properties": []})"
    "\n"
    R"({"type": "RECORD", "stream": "users", "record": {"stream": "x", "type": "STATE"}})"
    "\n"
    R"({"record": {"a": [1, "}"]}, "stream": "\u006frders", "type": "RECORD"})"
    "\n"
    R"({"type": "BATCH", "stream": "orders", "encoding": {}, "manifest": []})"
    "\n"
    R"({"type": "STATE", "value": {"stream": 1}})"
    "\n"
    R"({"type": "ACTIVATE_VERSION", "stream": "orders", "version": 1})"
    "\n"
    R"({"type": "STATE", "value": 2})";

TEST(Observation, CountsMessagesByTheirStreams) {
  const Passed passed = observe(kLines);
  ASSERT_EQ(passed.streams.size(), 2);
  EXPECT_EQ(passed.streams.at("users"), (Passed::Stream{.records = 1, .bytes = 82}));
  EXPECT_EQ(passed.streams.at("orders"),
            (Passed::Stream{.records = 1, .batches = 1, .bytes = 70 + 71}));
  EXPECT_EQ(passed.states, 2);
  EXPECT_EQ(passed.other_lines, 0);
  EXPECT_EQ(passed.bytes, kLines.size());
}

TEST(Observation, CountsTheSameWhateverThePieces) {
  for (const size_t piece : {1, 2, 7, 100}) {
    const Passed passed = observe(kLines, piece);
    EXPECT_EQ(passed.streams, observe(kLines).streams) << piece;
    EXPECT_EQ(passed.states, 2) << piece;
    EXPECT_EQ(passed.bytes, kLines.size()) << piece;
  }
}

TEST(Observation, CountsLinesThatAreNoMessages) {
  EXPECT_EQ(observe("\nrubbish\n{\"type\": \"RECORD\"}\n{\"type\": 1, \"stream\": \"s\"}\n"
                    "\xff\n[]\n{\"type\": \"GREETING\", \"stream\": \"s\"}\n{\"type")
                .other_lines,
            8);
}

TEST(Observation, KeepsNoMoreThanTheBeginningOfALongLine) {
  std::vector<size_t> seen;
  Observation observation([&](std::string_view line) { seen.push_back(line.size()); });
  const std::string start = R"({"type": "RECORD", "stream": "s", "record": ")";
  observation.add(start);
  const std::string more(Observation::kHead, 'x');
  for (int i = 0; i < 100; ++i) observation.add(more);
  observation.add("\"}\nshort\n");
  observation.finish();
  EXPECT_EQ(seen, (std::vector<size_t>{Observation::kHead, 5}));
  const Passed passed = observation.passed();
  EXPECT_EQ(passed.streams.at("s").records, 1);
  EXPECT_EQ(passed.streams.at("s").bytes, start.size() + 100 * more.size() + 3);
  EXPECT_EQ(passed.other_lines, 1);
}

TEST(Observation, SaysWhatPassed) {
  const Passed passed{.streams = {{"orders", {.records = 1, .bytes = 10}},
                                  {"users", {.records = 1233, .batches = 2, .bytes = 1234567}}},
                      .states = 1,
                      .other_lines = 1,
                      .bytes = 1234600};
  EXPECT_EQ(passed.summary(), "1,234 records, 2 batches, 1 state, 1 other line, 1,234,600 bytes");
  EXPECT_EQ(passed.by_stream(),
            "orders: 1 record, 10 bytes\nusers: 1,233 records, 2 batches, 1,234,567 bytes");
  EXPECT_EQ(Passed{}.summary(), "0 records, 0 states, 0 bytes");
}

}  // namespace
}  // namespace tidemark::runner
