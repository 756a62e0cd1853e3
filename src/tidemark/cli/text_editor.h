#pragma once

#include <string>

#include "tidemark/cli/context.h"
#include "tidemark/os/files.h"

namespace tidemark::cli {

// A text in a file of the temporary directory that the user changes with $VISUAL, else $EDITOR,
// else vi. The file stays when this goes: only remove_file() takes it away, so that nothing typed
// is lost.
class TextEditor {
 public:
  TextEditor(const CliContext& context, std::string original);

  // Opens the file, waits for the editor's end, and returns what the file holds then. Error
  // kInvalid when the editor fails.
  std::string run();
  void remove_file();

  const std::string& original() const { return original_; }
  const os::Path& file() const { return file_; }

 private:
  std::string command_;
  std::string original_;
  os::Path file_;
};

}  // namespace tidemark::cli
