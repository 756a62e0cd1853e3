#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/cli/console.h"
#include "tidemark/extract/progress.h"

namespace tidemark::cli {

// Shows on stderr how a run gets on: on a terminal one live line a resource, elsewhere a plain line
// for each every few seconds, so that a log stays short. Drawn by whichever thread has news.
class Progress final : public extract::ProgressListener {
 public:
  explicit Progress(const Console& console);
  // Leaves the last figures on the screen.
  ~Progress() override;

  void step(std::string_view name) override;
  void extracted(std::string_view resource, uint64_t pages, uint64_t rows, uint64_t bytes) override;
  void loaded(std::string_view table, uint64_t rows) override;
  void warning(std::string_view message) override;

 private:
  using Moment = std::chrono::steady_clock::time_point;
  struct Line {
    std::string text;
    Moment started;
    bool is_drawn = false;  // in its present form
  };

  Line& line_of(std::string_view name);
  std::string rate(const Line& line, uint64_t rows) const;
  void draw_if_due();
  void draw();
  void draw_live();
  void erase_live();
  void finish_step();

  const Console& console_;
  const bool is_live_;
  std::mutex mutex_;
  std::string step_;
  std::vector<std::pair<std::string, Line>> lines_;
  size_t live_lines_ = 0;
  Moment last_draw_;
};

}  // namespace tidemark::cli
