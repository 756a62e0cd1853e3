#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/base/clock.h"
#include "tidemark/json/value.h"
#include "tidemark/os/file_descriptor.h"
#include "tidemark/os/files.h"

namespace tidemark::runner {

// Meltano's levels and forms of messages: `cli.log_level`, `cli.log_format`.
enum class LogLevel { kDebug, kInfo, kWarning, kError, kCritical, kDisabled };
enum class LogFormat { kColored, kUncolored, kJson, kKeyValue, kPlain };

// `debug`, `info`, ...
std::string_view to_string(LogLevel level);
std::optional<LogLevel> find_log_level(std::string_view word);
std::optional<LogFormat> find_log_format(std::string_view word);

struct LogRecord {
  Time time{};
  LogLevel level = LogLevel::kInfo;
  std::string name = {};  // who says it: `tidemark`, or a plugin
  std::string event = {};
  json::Object fields = {};  // shown by kJson and kKeyValue only
};

// One line without its end; an event of several lines stays so.
std::string format_record(const LogRecord& record, LogFormat format);

// What a run says, on the console and, while there is one, in a file of its own, where it stands as
// Meltano's uncoloured text. Thread-safe.
class Log {
 public:
  struct Options {
    LogLevel level = LogLevel::kInfo;
    LogFormat format = LogFormat::kUncolored;
    std::function<void(std::string_view text)> console = {};
  };

  Log(Options options, Clock& clock) : options_(std::move(options)), clock_(clock) {}

  bool shows(LogLevel level) const { return level >= options_.level; }
  LogLevel level() const { return options_.level; }

  void debug(std::string_view event, json::Object fields = {});
  void info(std::string_view event, json::Object fields = {});
  void warning(std::string_view event, json::Object fields = {});
  void error(std::string_view event, json::Object fields = {});
  // What a plugin says.
  void plugin(std::string_view name, LogLevel level, std::string_view event, json::Object fields);

  // Also written to this file from now on, until close_file(). Folders are made. One that cannot be
  // written is a warning: a run does not end for its log.
  void open_file(const os::Path& file);
  void close_file();

 private:
  void write(std::string_view name, LogLevel level, std::string_view event, json::Object fields);
  void write_to_file(const LogRecord& record);

  Options options_;
  Clock& clock_;
  std::mutex mutex_;
  os::Path file_;
  os::FileDescriptor descriptor_;
};

// Meltano's name of the folder for the logs of a state ID: ASCII without accents, `_` for blanks,
// what cannot stand in a name left out.
std::string log_directory_name(std::string_view state_id);

}  // namespace tidemark::runner
