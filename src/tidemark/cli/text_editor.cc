#include "tidemark/cli/text_editor.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/os/foreground.h"

namespace tidemark::cli {
namespace {

std::string editor_command(const os::Environment& environment) {
  for (const std::string_view name : {"VISUAL", "EDITOR"}) {
    if (const std::string* command = environment.find_not_empty(name)) return *command;
  }
  return "vi";
}

}  // namespace

TextEditor::TextEditor(const CliContext& context, std::string original)
    : command_(editor_command(*context.environment)),
      original_(std::move(original)),
      file_(context.surroundings.temp_directory /
            fmt::format("tidemark-edit-{}.json", random_hex(*context.random, 8))) {
  os::write_new_private_file(file_, original_);
}

std::string TextEditor::run() {
  // The variable may hold options too: `code --wait`.
  const int code = os::run_in_foreground({"sh", "-c", command_ + " \"$1\"", "sh", file_.string()});
  if (code != 0) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("the editor '{}' ended with code {}; $VISUAL or $EDITOR names another",
                            command_, code));
  }
  return os::read_file(file_);
}

void TextEditor::remove_file() { os::remove_file(file_); }

}  // namespace tidemark::cli
