#pragma once

#include <string>
#include <string_view>

namespace tidemark::cli {

// Text that somebody else wrote (a lock, a state ID, a service's answer) as it may reach a
// terminal: what would move the cursor, change colours or turn the direction of writing is shown as
// `\u001b`, a byte that is no UTF-8 as `\xff`. Line breaks and tabs stay.
std::string terminal_text(std::string_view text);

// The same for a part of one line, which it cannot end.
std::string terminal_line(std::string_view text);

}  // namespace tidemark::cli
