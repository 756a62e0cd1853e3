#pragma once

namespace tidemark::cli {

// Whether plugins that are missing are installed before they are used.
struct InstallFlags {
  bool install = false;  // also what happens without any of the three
  bool no_install = false;
  bool only_install = false;
};

}  // namespace tidemark::cli
