#include "tidemark/state/database_text.h"

#include <fmt/format.h>

namespace tidemark::state {

std::string operation(std::string_view verb, std::string_view name) {
  return fmt::format("{} '{}'", verb, name);
}

std::string timestamp_text(const DateTime& time) {
  const std::string text = format_iso({.wall_micros = time.wall_micros, .offset = {}}, ' ');
  return text.find('.') == std::string::npos ? text + ".000000" : text;
}

std::string timestamp_text(Time time) {
  return timestamp_text(DateTime{.wall_micros = time.time_since_epoch().count(), .offset = {}});
}

}  // namespace tidemark::state
