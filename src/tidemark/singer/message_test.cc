#include "tidemark/singer/message.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/write.h"

namespace tidemark::singer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Messages as text, with the rows read.
class Describer {
 public:
  explicit Describer(const json::Buffer& window) : window_(window) {}

  std::string operator()(const RecordMessage& message) {
    const std::string_view text = window_.view().substr(message.record.offset, message.record.size);
    const json::Node row = parser_.parse(text, message.record.line, message.record.byte);
    std::string out = fmt::format("{} RECORD {} ", message.record.line, message.stream);
    json::append_orjson(out, row, false);
    if (message.version) out += fmt::format(" version {}", *message.version);
    if (!message.time_extracted.empty()) out += fmt::format(" at {}", message.time_extracted);
    return out;
  }
  std::string operator()(const SchemaMessage& message) {
    return fmt::format("{} SCHEMA {} {} keys {} bookmarks {}", message.line, message.stream,
                       json::write(message.schema), message.key_properties,
                       message.bookmark_properties);
  }
  std::string operator()(const StateMessage& message) {
    return fmt::format("{} STATE {}", message.line, json::write(message.value));
  }
  std::string operator()(const ActivateVersionMessage& message) {
    return fmt::format("{} ACTIVATE_VERSION {} {}", message.line, message.stream, message.version);
  }
  std::string operator()(const BatchMessage& message) {
    return fmt::format("{} BATCH {} {} {}", message.line, message.stream,
                       json::write(message.encoding), message.manifest);
  }

 private:
  const json::Buffer& window_;
  json::Parser parser_;
};

// What the text holds, seen through windows of that size, larger only where a line does not fit.
std::vector<std::string> messages(std::string_view text, size_t window_size = 1 << 20) {
  std::vector<std::string> found;
  MessageReader reader("tap-x");
  for (size_t size = window_size;;) {
    const json::Buffer window(text.substr(0, size));
    const bool is_end = size >= text.size();
    reader.open(window.view(), is_end);
    Describer describe(window);
    while (const auto message = reader.next()) found.push_back(std::visit(describe, *message));
    if (is_end) return found;
    text.remove_prefix(reader.done());
    size = reader.done() == 0 ? 2 * size : window_size;
  }
}

std::string fault(std::string_view text) {
  try {
    return fmt::format("no error: {}", messages(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    return error.message();
  }
}

constexpr std::string_view kAll =
    R"({"type": "SCHEMA", "stream": "users", "schema": {"properties": {"n": {"multipleOf": 0.10}}}, "key_properties": ["id"], "bookmark_properties": ["at"]})"
    "\n"
    R"({"type":"RECORD","stream":"users","record":{"id":1,"t":"}\\\"{"},"version":17,"time_extracted":"2026-01-02T03:04:05Z"})"
    "\r\n \n\n"
    R"( {"record": {"id": 2, "o": [{"a": []}]}, "more": [1, {"x": "]"}], "stream" : "users" , "type": "RECORD", "version": null} )"
    "\n"
    R"({"type": "ACTIVATE_VERSION", "stream": "users", "version": 17})"
    "\n"
    R"({"type": "STATE", "value": {"bookmarks": {"users": 1.50}}})"
    "\n"
    R"({"type": "BATCH", "stream": "users", "encoding": {"format": "jsonl"}, "manifest": ["file:///a", "b"]})";

TEST(MessageReader, ReadsEachTypeOfMessage) {
  EXPECT_THAT(
      messages(kAll),
      ElementsAre(
          R"(1 SCHEMA users {"properties":{"n":{"multipleOf":0.10}}} keys ["id"] bookmarks ["at"])",
          R"(2 RECORD users {"id":1,"t":"}\\\"{"} version 17 at 2026-01-02T03:04:05Z)",
          R"(5 RECORD users {"id":2,"o":[{"a":[]}]})", "6 ACTIVATE_VERSION users 17",
          R"(7 STATE {"bookmarks":{"users":1.50}})",
          R"(8 BATCH users {"format":"jsonl"} ["file:///a", "b"])"));
}

TEST(MessageReader, ReadsTheSameThroughWindowsOfAnySize) {
  const std::vector<std::string> whole = messages(kAll);
  for (size_t size = 1; size < kAll.size(); ++size) EXPECT_EQ(messages(kAll, size), whole) << size;
}

TEST(MessageReader, FindsNothingInNothing) {
  EXPECT_THAT(messages(""), IsEmpty());
  EXPECT_THAT(messages("\n \r\n\t"), IsEmpty());
}

TEST(MessageReader, ReadsEscapesInNamesAndTexts) {
  EXPECT_THAT(
      messages(
          R"({"typ\u0065": "REC\u004fRD", "stream": "gr\u00f6\"sse", "record": {}, "time_extracted": "a\/b", "x\n": 1})"),
      ElementsAre("1 RECORD grö\"sse {} at a/b"));
  EXPECT_THAT(messages(R"({"type": "RECORD", "stream": "größe", "record": {}})"),
              ElementsAre("1 RECORD größe {}"));
}

TEST(MessageReader, TakesTheLastOfTwoMembersOfOneName) {
  EXPECT_THAT(
      messages(
          R"({"type": "STATE", "record": [], "stream": "a", "type": "RECORD", "record": {"x": 1}, "stream": "b"})"),
      ElementsAre(R"(1 RECORD b {"x":1})"));
}

TEST(MessageReader, TakesAStateOfAnyKindAsPythonReadsIt) {
  EXPECT_THAT(messages("{\"type\": \"STATE\", \"value\": null}\n{\"type\": \"STATE\", \"value\": "
                       "[NaN, 123456789012345678901234567890]}"),
              ElementsAre("1 STATE null", "2 STATE [NaN,123456789012345678901234567890]"));
}

TEST(MessageReader, TakesKeyPropertiesThatAreMissingOrNullAsNone) {
  EXPECT_THAT(
      messages(R"({"type": "SCHEMA", "stream": "a", "schema": {}, "key_properties": null})"),
      ElementsAre("1 SCHEMA a {} keys [] bookmarks []"));
}

TEST(MessageReader, ReadsALineOfManyMegabytes) {
  std::string text;
  text.resize(20'000'000, 'x');
  const std::string line =
      fmt::format(R"({{"type": "RECORD", "stream": "a", "record": {{"t": "{}"}}}})", text);
  const std::vector<std::string> found = messages(line + "\n" + line);
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[1].size(), text.size() + std::string_view(R"(2 RECORD a {"t":""})").size());
}

TEST(MessageReader, RefusesRubbishByItsLine) {
  EXPECT_EQ(fault("\nStarting sync\n"), "tap-x: line 2, byte 1: expected a value");
  EXPECT_EQ(fault("{\"type\": \"STATE\", \"value\": 1}\n{\"type\": \"RECORD\", \"str"),
            "tap-x: line 2, byte 24: expected '\"', found the end");
  EXPECT_EQ(fault("[1]"), "tap-x: line 1: expected a message, not array");
  EXPECT_EQ(fault("{}{}"), "tap-x: line 1, byte 3: expected nothing after the value");
  EXPECT_EQ(fault(R"({"type": "STATE", "value": {]})"),
            "tap-x: line 1, byte 29: expected a key in quotes");
  EXPECT_EQ(fault("{\"type\": \"STATE\", \"value\": \"\xFF\"}"),
            "tap-x: line 1, byte 29: invalid UTF-8");
}

TEST(MessageReader, RefusesRubbishBesideARow) {
  const auto row = [](std::string_view member) {
    return fault(fmt::format(R"({{"type": "RECORD", "stream": "a", "record": {{}}, {}}})", member));
  };
  EXPECT_EQ(row(R"("x": nul)"), "tap-x: line 1, byte 54: expected a value");
  EXPECT_EQ(row("\"\xC3\": 1"), "tap-x: line 1, byte 50: invalid UTF-8");
  EXPECT_EQ(row(R"("version": "1")"),
            "tap-x: line 1, RECORD of stream 'a': expected an integer as `version`");
  EXPECT_EQ(row(R"("version": 01)"),
            "tap-x: line 1, RECORD of stream 'a': expected an integer as `version`");
  EXPECT_EQ(row(R"("time_extracted": 5)"),
            "tap-x: line 1, RECORD of stream 'a': expected text as `time_extracted`");
}

TEST(MessageReader, RefusesAMessageThatIsNotWhole) {
  EXPECT_EQ(fault(R"({"stream": "a"})"), "tap-x: line 1 of stream 'a': expected `type`");
  EXPECT_EQ(fault(R"({"type": 5})"), "tap-x: line 1: expected text as `type`");
  EXPECT_EQ(fault(R"({"type": "LOG", "stream": "a"})"),
            "tap-x: line 1, LOG of stream 'a': expected SCHEMA, RECORD, STATE, ACTIVATE_VERSION or "
            "BATCH as `type`");
  EXPECT_EQ(fault(R"({"type": "RECORD", "record": {}})"),
            "tap-x: line 1, RECORD: expected text as `stream`");
  EXPECT_EQ(fault(R"({"type": "RECORD", "stream": "a", "record": [1]})"),
            "tap-x: line 1, RECORD of stream 'a': expected an object as `record`");
  EXPECT_EQ(fault(R"({"type": "SCHEMA", "stream": "a"})"),
            "tap-x: line 1, SCHEMA of stream 'a': expected `schema`");
  EXPECT_EQ(fault(R"({"type": "SCHEMA", "stream": "a", "schema": {}, "key_properties": [1]})"),
            "tap-x: line 1, SCHEMA of stream 'a': expected a list of texts as `key_properties`");
  EXPECT_EQ(fault(R"({"type": "STATE"})"), "tap-x: line 1, STATE: expected `value`");
  EXPECT_EQ(fault(R"({"type": "ACTIVATE_VERSION", "stream": "a", "version": 1.5})"),
            "tap-x: line 1, ACTIVATE_VERSION of stream 'a': expected an integer as `version`");
  EXPECT_EQ(fault(R"({"type": "BATCH", "stream": "a", "encoding": {}})"),
            "tap-x: line 1, BATCH of stream 'a': expected `manifest`");
}

}  // namespace
}  // namespace tidemark::singer
