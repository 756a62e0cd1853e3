#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemark::project {

// Whether a schedule may have this interval: five fields of cron, or one of Meltano's words, such
// as
// `@daily` or `@once`.
bool is_interval(std::string_view interval);

// The five fields that it means; nothing for what cron does not start: `@once`, `@manual`, `@none`.
std::optional<std::string> cron_of(std::string_view interval);

}  // namespace tidemark::project
