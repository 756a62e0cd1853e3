#include "tidemark/cli/progress.h"

#include <algorithm>

#include <fmt/format.h>

#include "tidemark/cli/terminal_text.h"
#include "tidemark/info/format.h"

namespace tidemark::cli {
namespace {

constexpr auto kLiveInterval = std::chrono::milliseconds(100);
constexpr auto kPlainInterval = std::chrono::seconds(5);

std::string count_of(uint64_t count, std::string_view unit) {
  return fmt::format("{} {}{}", info::format_count(count), unit, count == 1 ? "" : "s");
}

}  // namespace

Progress::Progress(const Console& console)
    : console_(console),
      is_live_(console.context().err->is_terminal() && !console.options().json_log),
      last_draw_(console.context().clock->steady_now()) {}

Progress::~Progress() {
  try {
    std::lock_guard lock(mutex_);
    finish_step();
  } catch (const std::exception&) {
    // stderr is gone: there is nobody left to show the last figures to.
  }
}

void Progress::step(std::string_view name) {
  std::lock_guard lock(mutex_);
  finish_step();
  step_ = name;
}

void Progress::extracted(std::string_view resource, uint64_t pages, uint64_t rows, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  Line& line = line_of(resource);
  line.text = fmt::format("{} {}: {}{}, {}, {}", step_, resource, count_of(rows, "row"),
                          rate(line, rows), info::format_size(bytes), count_of(pages, "page"));
  line.is_drawn = false;
  draw_if_due();
}

void Progress::loaded(std::string_view table, uint64_t rows) {
  std::lock_guard lock(mutex_);
  Line& line = line_of(table);
  line.text = fmt::format("{} {}: {}{}", step_, table, count_of(rows, "row"), rate(line, rows));
  line.is_drawn = false;
  draw_if_due();
}

void Progress::warning(std::string_view message) {
  std::lock_guard lock(mutex_);
  erase_live();
  console_.warning(message);
  if (is_live_) {
    draw_live();
  }
}

Progress::Line& Progress::line_of(std::string_view name) {
  auto found = std::ranges::find(lines_, name, &std::pair<std::string, Line>::first);
  if (found == lines_.end()) {
    lines_.push_back({std::string(name), {"", console_.context().clock->steady_now(), false}});
    return lines_.back().second;
  }
  return found->second;
}

std::string Progress::rate(const Line& line, uint64_t rows) const {
  const std::chrono::duration<double> elapsed =
      console_.context().clock->steady_now() - line.started;
  constexpr double kTooShort = 0.5;
  return elapsed.count() < kTooShort
             ? ""
             : fmt::format(" ({} rows/s)", info::format_count(static_cast<uint64_t>(
                                               static_cast<double>(rows) / elapsed.count())));
}

void Progress::draw_if_due() {
  const auto now = console_.context().clock->steady_now();
  if (now - last_draw_ >= (is_live_ ? Moment::duration(kLiveInterval) : kPlainInterval)) {
    last_draw_ = now;
    draw();
  }
}

void Progress::draw() {
  if (is_live_) {
    erase_live();
    draw_live();
    return;
  }
  for (auto& [name, line] : lines_) {
    if (!line.is_drawn) {
      console_.note(line.text);
      line.is_drawn = true;
    }
  }
}

void Progress::draw_live() {
  const size_t width = console_.context().err->width();
  std::string text;
  for (const auto& [name, line] : lines_) {
    // A line that wraps could not be erased again.
    text += terminal_line(line.text).substr(0, width - 1) + '\n';
  }
  console_.context().err->write(text);
  live_lines_ = lines_.size();
}

void Progress::erase_live() {
  if (live_lines_ > 0) {
    console_.context().err->write(fmt::format("\x1b[{}A\x1b[J", live_lines_));
    live_lines_ = 0;
  }
}

void Progress::finish_step() {
  draw();
  lines_.clear();
  live_lines_ = 0;
}

}  // namespace tidemark::cli
