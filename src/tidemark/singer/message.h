#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tidemark/json/page.h"
#include "tidemark/json/value.h"

namespace tidemark::singer {

// Messages of the Singer protocol, one JSON object a line
// (https://github.com/singer-io/getting-started/blob/master/docs/SPEC.md; ACTIVATE_VERSION and
// BATCH as the Singer SDK has them). line is that of the message, from 1.

// A row. The views point into the window, or into the reader, and are valid until its next call.
struct RecordMessage {
  std::string_view stream;
  // Where the row lies in the window. It is not read yet: whoever parses it finds its faults.
  json::TextSpan record;
  std::optional<int64_t> version;
  std::string_view time_extracted;  // empty when it is missing
};

// The rows of a stream from here on are like this.
struct SchemaMessage {
  std::string stream;
  json::Object schema;
  std::vector<std::string> key_properties;
  std::vector<std::string> bookmark_properties;
  uint64_t line = 0;
};

// All rows in front of it are covered by this state, which may be of any kind.
struct StateMessage {
  json::Value value;
  uint64_t line = 0;
};

// Rows of the stream with another version are no more.
struct ActivateVersionMessage {
  std::string stream;
  int64_t version = 0;
  uint64_t line = 0;
};

// Rows that lie in files.
struct BatchMessage {
  std::string stream;
  json::Object encoding;
  std::vector<std::string> manifest;  // addresses of the files
  uint64_t line = 0;
};

using Message =
    std::variant<RecordMessage, SchemaMessage, StateMessage, ActivateVersionMessage, BatchMessage>;

// Reads messages from a text that is seen through windows. Keeps the text of numbers; of a row it
// looks at no more than where it ends, and allocates nothing for it. One thread.
class MessageReader {
 public:
  // origin names the tap, in errors.
  explicit MessageReader(std::string origin);

  // The text goes on with the window, which begins with what the last one had behind done() and has
  // json::Buffer::kPadding readable bytes behind it. is_end: nothing more comes.
  void open(std::string_view window, bool is_end);

  // The next message; nothing when the window holds no more whole ones. Blank lines are passed
  // over. Error kInvalid for anything else that is no message, with origin and line, and with the
  // stream where the line has one: a line that is no JSON object, a type that the protocol does not
  // have, a member that is missing or of the wrong kind.
  std::optional<Message> next();

  // Bytes of the window that are done with.
  size_t done() const { return done_; }

 private:
  struct Line {
    std::string_view text;
    size_t offset = 0;  // in the window
    uint64_t number = 0;
  };
  struct Members;

  std::optional<Line> next_line();
  Message read(const Line& line);
  std::optional<Members> scan(const Line& line);
  RecordMessage read_record(const Line& line, const Members& members);
  std::string_view text_of(const Line& line, std::string_view quoted, std::string& buffer);
  static size_t place_of(const Line& line, std::string_view part);

  std::string origin_;
  std::string_view window_;
  bool is_end_ = false;
  size_t done_ = 0;
  uint64_t lines_ = 0;
  json::Parser parser_;
  std::vector<std::string_view> unread_;  // values of a row's line that nobody asks for
  // Texts that are written with escapes.
  std::string key_;
  std::string stream_;
  std::string time_extracted_;
};

}  // namespace tidemark::singer
