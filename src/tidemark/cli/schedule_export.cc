#include "tidemark/cli/schedule_export.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/os/files.h"
#include "tidemark/project/cron.h"

namespace tidemark::cli {
namespace {

constexpr size_t kLongestUnitName = 255;
// What the name of a unit may have as it is.
constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

void refuse_control_characters(std::string_view text, std::string_view what) {
  const bool has_one = std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (has_one) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} has control characters, which a unit of systemd cannot say", what));
  }
}

// Text in a unit: `%` begins a specifier.
std::string unit_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c;
    if (c == '%') escaped += c;
  }
  return escaped;
}

// A word of a command in a unit whose variables are not expanded (`:`).
std::string unit_word(std::string_view text) {
  std::string escaped = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    if (c == '%') escaped += c;
    escaped += c;
  }
  return escaped + "\"";
}

// A folder in a unit, where blanks and a backslash at the end would not be its own.
std::string unit_folder(const std::string& folder) {
  const bool needs_end = folder.ends_with(' ') || folder.ends_with('\\');
  return unit_text(folder) + (needs_end ? "/" : "");
}

// The name in those of its units, each character that they cannot have as `\xNN`.
std::string unit_name(std::string_view name) {
  std::string escaped = "tidemark-";
  for (const char c : name) {
    const bool is_plain = kPlain.find(c) != std::string_view::npos;
    escaped +=
        is_plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  if (escaped.size() + std::string_view(".service").size() > kLongestUnitName) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("the schedule's name '{}' is too long for a unit of systemd", name));
  }
  return escaped;
}

// The first line of a unit: whose it is.
std::string mark_of(const project::Project& project, const std::string& name) {
  return fmt::format("# The schedule {} of {}, written by tidemark schedule export.\n", name,
                     project.root().native());
}

std::string timer_text(const std::string& name, const std::vector<std::string>& events) {
  std::string text =
      fmt::format("[Unit]\nDescription=Start the schedule {}\n\n[Timer]\n", unit_text(name));
  for (const std::string& event : events) text += fmt::format("OnCalendar={}\n", event);
  return text + "AccuracySec=1s\n\n[Install]\nWantedBy=timers.target\n";
}

std::string service_text(const project::Project& project, const std::string& name) {
  const os::Path program = os::resolve_links("/proc/self/exe");
  return fmt::format(
      "[Unit]\nDescription=Run the schedule {}\n\n"
      "[Service]\nType=oneshot\nWorkingDirectory={}\nExecStart=:{} schedule run {}\n",
      unit_text(name), unit_folder(project.root().native()), unit_word(program.native()),
      unit_word(name));
}

// Writes units into a folder.
class UnitWriter {
 public:
  UnitWriter(const Console& console, os::Path folder)
      : console_(console), folder_(std::move(folder)) {
    os::make_directories(folder_);
  }

  void write(const std::string& unit, const std::string& mark, const std::string& text) const {
    const os::Path file = folder_ / unit;
    const auto earlier = os::read_file_if_exists(file);
    if (earlier && !earlier->starts_with(mark)) {
      throw Error(ErrorCode::kConflict,
                  fmt::format("{} is there and belongs to something else; export into another "
                              "folder, or remove it",
                              file.native()));
    }
    os::replace_file(file, mark + text, folder_, *console_.context().random);
    console_.result(file.native());
  }

 private:
  const Console& console_;
  os::Path folder_;
};

}  // namespace

void export_schedules(const Console& console, const project::Project& project,
                      const std::string& directory) {
  const UnitWriter units(console, console.context().surroundings.current_directory / directory);
  refuse_control_characters(project.root().native(), "the project's folder");
  const auto schedules = project.document().optional_node("schedules");
  for (const config::Node& schedule :
       schedules ? schedules->items() : std::vector<config::Node>()) {
    const std::string name = schedule.require("name").string();
    refuse_control_characters(name, "a schedule's name");
    const std::string interval = schedule.optional_string("interval").value_or("@manual");
    const std::vector<std::string> events = project::calendar_events(interval);
    if (events.empty()) {
      console.note(fmt::format("{} has no timer: {} is never due by itself", name, interval));
      continue;
    }
    const std::string mark = mark_of(project, name);
    const std::string unit = unit_name(name);
    units.write(unit + ".service", mark, service_text(project, name));
    units.write(unit + ".timer", mark, timer_text(name, events));
  }
}

}  // namespace tidemark::cli
