#include "tidemark/workdir/load_id.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "tidemark/base/datetime.h"

namespace tidemark::workdir {

std::optional<double> parse_load_id(std::string_view load_id) {
  double seconds = 0;
  const char* end = load_id.data() + load_id.size();
  auto [stop, error] = std::from_chars(load_id.data(), end, seconds, std::chars_format::fixed);
  if (error != std::errc() || stop != end || !std::isfinite(seconds) || seconds < 0) {
    return std::nullopt;
  }
  return seconds;
}

std::string make_load_id(Time now, double newest) {
  double seconds = static_cast<double>(now.time_since_epoch().count()) / 1e6;
  double next = std::nextafter(newest, std::numeric_limits<double>::max());
  return format_unix_seconds(std::max(seconds, next));
}

}  // namespace tidemark::workdir
