#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tidemark/base/clock.h"

namespace tidemark::info {

// `0.26 seconds`, `1 minute and 1.25 seconds`, `1 hour, 1 minute and 1.50 seconds`: as dlt prints
// durations (humanize's precise delta). The sign is left out.
std::string format_duration(std::chrono::microseconds duration);

// `0B`, `623B`, `1.5K`, `5.0G`: GNU suffixes, powers of 1024.
std::string format_size(uint64_t bytes);

// `2026-11-30 11:30:12.690831+00:00`, without the fraction when it is zero.
std::string format_datetime(Time time);

// `1,234,567`.
std::string format_count(uint64_t count);

}  // namespace tidemark::info
