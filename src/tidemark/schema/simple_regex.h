#pragma once

#include <string_view>

namespace tidemark::schema {

// dlt's simple regex of a settings section: `re:<regex>` is searched in a name, anything else is
// the name. A pattern that check_simple_regex() refuses matches nothing.
bool matches_simple_regex(std::string_view pattern, std::string_view name);

// Error kUnsupported, which names where, for a regex that RE2 does not read: broken ones and
// Python's look-around and back references.
void check_simple_regex(std::string_view pattern, std::string_view where);

}  // namespace tidemark::schema
