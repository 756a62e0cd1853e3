#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::project {

// Whether a schedule may have this interval: five fields of cron, or one of Meltano's words, such
// as `@daily` or `@once`.
bool is_interval(std::string_view interval);

// The five fields that it means; nothing for what cron does not start: `@once`, `@manual`, `@none`.
std::optional<std::string> cron_of(std::string_view interval);

// The same as events of systemd's calendar (systemd.time(7)): `Mon *-*-* 06:00:00`. Two where cron
// starts a job on days of the month and on days of the week; none for what cron does not start.
// Error kUnsupported names a part that not every cron reads in the same way.
std::vector<std::string> calendar_events(std::string_view interval);

}  // namespace tidemark::project
