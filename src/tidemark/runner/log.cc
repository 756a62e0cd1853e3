#include "tidemark/runner/log.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/ascii.h"
#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/json/utf8.h"
#include "tidemark/json/write.h"
#include "tidemark/os/scratch_files.h"

namespace tidemark::runner {
namespace {

constexpr std::array<std::string_view, 6> kLevels{"debug", "info",     "warning",
                                                  "error", "critical", "disabled"};
constexpr std::array<std::string_view, 5> kFormats{"colored", "uncolored", "json", "key_value",
                                                   "plain"};

template <typename Enum, size_t size>
std::optional<Enum> find_word(const std::array<std::string_view, size>& words,
                              std::string_view word) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) return std::nullopt;
  return static_cast<Enum>(found - words.begin());
}

// `2021-01-01T00:00:00Z`, with microseconds when there are any.
std::string timestamp(Time time) {
  std::string text = format_iso(time);
  return text.substr(0, text.size() - std::string_view("+00:00").size()) + "Z";
}

std::string without_blanks_behind(std::string line) {
  const size_t last = line.find_last_not_of(' ');
  line.erase(last == std::string::npos ? 0 : last + 1);
  return line;
}

std::string uncolored(const LogRecord& record) {
  return without_blanks_behind(fmt::format("{} [{:<9}] {:<12} {:<30}", timestamp(record.time),
                                           to_string(record.level), record.name, record.event));
}

std::string colored(const LogRecord& record) {
  constexpr std::array<std::string_view, 5> kColors{"\x1b[32m", "\x1b[32m", "\x1b[33m", "\x1b[31m",
                                                    "\x1b[31m"};
  const auto level = static_cast<size_t>(record.level);
  return fmt::format("\x1b[2m{}\x1b[0m [{}{:<9}\x1b[0m] \x1b[36m{:<12}\x1b[0m \x1b[1m{}\x1b[0m",
                     timestamp(record.time), kColors[std::min(level, kColors.size() - 1)],
                     to_string(record.level), record.name, record.event);
}

json::Object members(const LogRecord& record) {
  json::Object members{{"timestamp", timestamp(record.time)},
                       {"level", to_string(record.level)},
                       {"event", record.event},
                       {"name", record.name}};
  for (const auto& [key, value] : record.fields) members.set(key, value);
  return members;
}

std::string key_value(const LogRecord& record) {
  std::string line;
  for (const auto& [key, value] : members(record)) {
    const std::string text = value.is_string() ? value.as_string() : json::write(value);
    line += fmt::format("{}{}='{}'", line.empty() ? "" : " ", key, text);
  }
  return line;
}

// For U+00C0 to U+017F the ASCII letter that compatibility decomposition leaves; `?` for none, `#`
// for the two letters of the ligatures U+0132 and U+0133.
constexpr std::string_view kBaseLetters =
    "AAAAAA?CEEEEIIII?NOOOOO??UUUUY??aaaaaa?ceeeeiiii?nooooo??uuuuy?y"
    "AaAaAaCcCcCcCcDd??EeEeEeEeEeGgGgGgGgHh??IiIiIiIiI?##JjKk?LlLlLlLl??NnNnNnn??OoOoOo??"
    "RrRrRrSsSsSsSsTtTt??UuUuUuUuUuUuWwYyYZzZzZzs";

void append_ascii(std::string& out, std::string_view sequence) {
  if (sequence.size() == 1) {
    out += sequence;
    return;
  }
  const uint32_t code_point = json::utf8_code_point(sequence);
  if (code_point < 0xC0 || code_point - 0xC0 >= kBaseLetters.size()) return;
  const char letter = kBaseLetters[code_point - 0xC0];
  if (letter == '#') {
    out += code_point == 0x132 ? "IJ" : "ij";
  } else if (letter != '?') {
    out += letter;
  }
}

bool is_name_character(char c) {
  const char upper = ascii_upper(c);
  return (upper >= 'A' && upper <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-';
}

}  // namespace

std::string_view to_string(LogLevel level) { return kLevels[static_cast<size_t>(level)]; }

std::optional<LogLevel> find_log_level(std::string_view word) {
  return find_word<LogLevel>(kLevels, word);
}

std::optional<LogFormat> find_log_format(std::string_view word) {
  return find_word<LogFormat>(kFormats, word);
}

std::string format_record(const LogRecord& record, LogFormat format) {
  switch (format) {
    case LogFormat::kColored:
      return colored(record);
    case LogFormat::kUncolored:
      return uncolored(record);
    case LogFormat::kJson:
      return json::write(members(record));
    case LogFormat::kKeyValue:
      return key_value(record);
    case LogFormat::kPlain:
      break;
  }
  return record.event;
}

void Log::debug(std::string_view event, json::Object fields) {
  write("tidemark", LogLevel::kDebug, event, std::move(fields));
}

void Log::info(std::string_view event, json::Object fields) {
  write("tidemark", LogLevel::kInfo, event, std::move(fields));
}

void Log::warning(std::string_view event, json::Object fields) {
  write("tidemark", LogLevel::kWarning, event, std::move(fields));
}

void Log::error(std::string_view event, json::Object fields) {
  write("tidemark", LogLevel::kError, event, std::move(fields));
}

void Log::plugin(std::string_view name, LogLevel level, std::string_view event,
                 json::Object fields) {
  write(name, level, event, std::move(fields));
}

void Log::write(std::string_view name, LogLevel level, std::string_view event,
                json::Object fields) {
  if (!shows(level)) return;
  const LogRecord record{.time = clock_.now(),
                         .level = level,
                         .name = std::string(name),
                         .event = std::string(event),
                         .fields = std::move(fields)};
  const std::lock_guard lock(mutex_);
  if (options_.console) options_.console(format_record(record, options_.format) + "\n");
  if (descriptor_.is_open()) write_to_file(record);
}

// A file that cannot be written any more, as on a full disk, is left as it is.
void Log::write_to_file(const LogRecord& record) {
  try {
    os::write_all(descriptor_, uncolored(record) + "\n", file_);
  } catch (const Error& error) {
    descriptor_ = os::FileDescriptor();
    const LogRecord warning{.time = record.time,
                            .level = LogLevel::kWarning,
                            .name = "tidemark",
                            .event = "the log file ends here: " + error.message()};
    if (options_.console) options_.console(format_record(warning, options_.format) + "\n");
  }
}

void Log::open_file(const os::Path& file) {
  try {
    os::make_directories(file.parent_path());
    os::FileDescriptor descriptor = os::open_to_append(file);
    const std::lock_guard lock(mutex_);
    file_ = file;
    descriptor_ = std::move(descriptor);
  } catch (const Error& error) {
    warning("the run has no log file: " + error.message());
  }
}

void Log::close_file() {
  const std::lock_guard lock(mutex_);
  descriptor_ = os::FileDescriptor();
}

std::string log_directory_name(std::string_view state_id) {
  std::string ascii;
  while (!state_id.empty()) {
    const size_t size = std::max<size_t>(json::utf8_sequence_size(state_id), 1);
    append_ascii(ascii, state_id.substr(0, size));
    state_id.remove_prefix(size);
  }
  std::string name;
  for (const char c : ascii) {
    const bool is_blank = c == '/' || c == ' ' || (c >= '\t' && c <= '\r');
    if (is_blank) {
      if (!name.ends_with('\n')) name += '\n';  // stands for a run of blanks
    } else {
      name += c;
    }
  }
  // Blanks around the whole are cut off, those inside are one `_` each.
  const size_t first = std::min(name.find_first_not_of('\n'), name.size());
  name = name.substr(first, name.find_last_not_of('\n') + 1 - first);
  std::ranges::replace(name, '\n', '_');
  std::erase_if(name, [](char c) { return !is_name_character(c); });
  const size_t begin = std::min(name.find_first_not_of("._"), name.size());
  return name.substr(begin, name.find_last_not_of("._") + 1 - begin);
}

}  // namespace tidemark::runner
