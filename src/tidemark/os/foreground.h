#pragma once

#include <string>
#include <vector>

namespace tidemark::os {

// Runs a program that uses our terminal, such as an editor, and waits for its end: its exit code,
// or 128 and the number of the signal that ended it. Meanwhile an interrupt from the keyboard is
// the program's alone. argv[0] is looked for in the path. Error kNotFound or kUnauthorized when it
// cannot be started.
int run_in_foreground(const std::vector<std::string>& argv);

}  // namespace tidemark::os
