#include "tidemark/singer/message.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/singer/object_scanner.h"

namespace tidemark::singer {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

bool is_text(std::string_view value) {
  return value.size() >= 2 && value.front() == '"' && value.back() == '"';
}

// Whether a text is what stands between its quotes.
bool is_plain(std::string_view quoted) {
  return is_text(quoted) && std::ranges::all_of(quoted.substr(1, quoted.size() - 2), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte >= 0x20 && byte < 0x80 && c != '\\';
         });
}

bool is_given(std::string_view value) { return !value.empty() && value != "null"; }

std::optional<int64_t> read_integer(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  // JSON has no leading zeros.
  const fmt::format_int plain(number);
  return text == std::string_view(plain.data(), plain.size()) ? std::optional(number)
                                                              : std::nullopt;
}

std::string of_stream(std::string_view stream) {
  return stream.empty() ? "" : fmt::format(" of stream '{}'", stream);
}

// A message that is read whole.
class Document {
 public:
  Document(const json::Value& value, uint64_t line) : value_(value), line_(line) {
    if (!value.is_object()) fail(fmt::format("a message, not {}", json::kind_name(value)));
    type_ = text("type");
  }

  Message message() const {
    if (type_ == "SCHEMA") return schema();
    if (type_ == "STATE") return StateMessage{require("value"), line_};
    if (type_ == "ACTIVATE_VERSION") return activate_version();
    if (type_ == "BATCH") return batch();
    fail("SCHEMA, RECORD, STATE, ACTIVATE_VERSION or BATCH as `type`");
  }

 private:
  SchemaMessage schema() const {
    return {.stream = text("stream"),
            .schema = object("schema"),
            .key_properties = texts("key_properties"),
            .bookmark_properties = texts("bookmark_properties"),
            .line = line_};
  }

  ActivateVersionMessage activate_version() const {
    const json::Value& version = require("version");
    const auto number = version.is_number() ? version.as_number().to_int64() : std::nullopt;
    if (!number) fail("an integer as `version`");
    return {.stream = text("stream"), .version = *number, .line = line_};
  }

  BatchMessage batch() const {
    require("manifest");
    return {.stream = text("stream"),
            .encoding = object("encoding"),
            .manifest = texts("manifest"),
            .line = line_};
  }

  const json::Value& require(std::string_view key) const {
    const json::Value* member = value_.find(key);
    if (member == nullptr) fail(fmt::format("`{}`", key));
    return *member;
  }

  const std::string& text(std::string_view key) const {
    const json::Value& member = require(key);
    if (!member.is_string()) fail(fmt::format("text as `{}`", key));
    return member.as_string();
  }

  const json::Object& object(std::string_view key) const {
    const json::Value& member = require(key);
    if (!member.is_object()) fail(fmt::format("an object as `{}`", key));
    return member.as_object();
  }

  // None when it is missing or null.
  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> items;
    const json::Value* member = value_.find(key);
    if (member == nullptr || member->is_null()) return items;
    const bool is_list =
        member->is_array() && std::ranges::all_of(member->as_array(), &json::Value::is_string);
    if (!is_list) fail(fmt::format("a list of texts as `{}`", key));
    for (const json::Value& item : member->as_array()) items.push_back(item.as_string());
    return items;
  }

  // With type and stream, as far as the message has them.
  [[noreturn]] void fail(std::string_view what) const {
    const std::string type = type_.empty() ? "" : fmt::format(", {:.40}", type_);
    const json::Value* stream = value_.find("stream");
    const bool has_stream = stream != nullptr && stream->is_string();
    throw Error(ErrorCode::kInvalid,
                fmt::format("line {}{}{}: expected {}", line_, type,
                            of_stream(has_stream ? stream->as_string() : ""), what));
  }

  const json::Value& value_;
  uint64_t line_;
  std::string type_;
};

}  // namespace

// Members of a row's line, as they are written; empty for those that are missing.
struct MessageReader::Members {
  std::string_view type;
  std::string_view stream;
  std::string_view record;
  std::string_view version;
  std::string_view time_extracted;

  std::string_view* find(std::string_view key) {
    if (key == "record") return &record;
    if (key == "stream") return &stream;
    if (key == "type") return &type;
    if (key == "time_extracted") return &time_extracted;
    if (key == "version") return &version;
    return nullptr;
  }
};

MessageReader::MessageReader(std::string origin) : origin_(std::move(origin)) {}

void MessageReader::open(std::string_view window, bool is_end) {
  window_ = window;
  is_end_ = is_end;
  done_ = 0;
}

std::optional<Message> MessageReader::next() {
  while (const std::optional<Line> line = next_line()) {
    if (line->text.find_first_not_of(kSpace) == std::string_view::npos) continue;
    try {
      return read(*line);
    } catch (Error& error) {
      error.add_context(origin_);
      throw;
    }
  }
  return std::nullopt;
}

std::optional<MessageReader::Line> MessageReader::next_line() {
  const size_t line_break = window_.find('\n', done_);
  const bool is_cut = line_break == std::string_view::npos;
  if (is_cut && (!is_end_ || done_ == window_.size())) return std::nullopt;
  const size_t end = std::min(line_break, window_.size());
  const size_t start = std::exchange(done_, is_cut ? end : end + 1);
  return Line{.text = window_.substr(start, end - start), .offset = start, .number = ++lines_};
}

Message MessageReader::read(const Line& line) {
  const std::optional<Members> members = scan(line);
  if (members && is_text(members->type) && text_of(line, members->type, stream_) == "RECORD") {
    return read_record(line, *members);
  }
  const json::Value value = json::read_python(line.text, line.number);
  return Document(value, line.number).message();
}

// Nothing for a line that is no object. The last of two members of one name counts.
std::optional<MessageReader::Members> MessageReader::scan(const Line& line) {
  Members members;
  unread_.clear();
  ObjectScanner scanner(line.text);
  while (scanner.next()) {
    std::string_view* member = members.find(text_of(line, scanner.key(), key_));
    if (member == nullptr) {
      unread_.push_back(scanner.value());
      continue;
    }
    if (!member->empty()) unread_.push_back(*member);
    *member = scanner.value();
  }
  return scanner.is_object() ? std::optional(members) : std::nullopt;
}

RecordMessage MessageReader::read_record(const Line& line, const Members& members) {
  RecordMessage message;
  if (is_text(members.stream)) message.stream = text_of(line, members.stream, stream_);
  const auto expect = [&](bool holds, std::string_view what) {
    if (holds) return;
    throw Error(ErrorCode::kInvalid, fmt::format("line {}, RECORD{}: expected {}", line.number,
                                                 of_stream(message.stream), what));
  };
  for (const std::string_view value : unread_) {
    parser_.parse(value, line.number, place_of(line, value) + 1);
  }
  expect(is_text(members.stream), "text as `stream`");
  expect(members.record.starts_with('{'), "an object as `record`");
  message.record = {.offset = line.offset + place_of(line, members.record),
                    .size = members.record.size(),
                    .line = line.number,
                    .byte = place_of(line, members.record) + 1};
  if (is_given(members.version)) {
    message.version = read_integer(members.version);
    expect(message.version.has_value(), "an integer as `version`");
  }
  if (is_given(members.time_extracted)) {
    expect(is_text(members.time_extracted), "text as `time_extracted`");
    message.time_extracted = text_of(line, members.time_extracted, time_extracted_);
  }
  return message;
}

std::string_view MessageReader::text_of(const Line& line, std::string_view quoted,
                                        std::string& buffer) {
  if (is_plain(quoted)) return quoted.substr(1, quoted.size() - 2);
  buffer = json::read(quoted, line.number, place_of(line, quoted) + 1).as_string();
  return buffer;
}

size_t MessageReader::place_of(const Line& line, std::string_view part) {
  return static_cast<size_t>(part.data() - line.text.data());
}

}  // namespace tidemark::singer
