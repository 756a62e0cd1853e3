#include "tidemark/project/discovery.h"

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace tidemark::project {
namespace {

constexpr std::array<std::string_view, 2> kFileNames{"tidemark.yml", "meltano.yml"};
constexpr std::array<std::string_view, 2> kRootVariables{"TIDEMARK_PROJECT_ROOT",
                                                         "MELTANO_PROJECT_ROOT"};

std::optional<os::Path> project_file_in(const os::Path& directory) {
  for (std::string_view name : kFileNames) {
    const os::Path file = directory / name;
    if (os::path_kind(file) == os::PathKind::kFile) return os::resolve_links(directory) / name;
  }
  return std::nullopt;
}

}  // namespace

std::optional<os::Path> find_project_file(const os::Environment& environment,
                                          const os::Path& from) {
  for (std::string_view variable : kRootVariables) {
    const std::string* root = environment.find_not_empty(variable);
    if (root == nullptr) continue;
    if (std::optional<os::Path> file = project_file_in(*root)) return file;
    throw Error(
        ErrorCode::kNotFound,
        fmt::format("{} is {}, which has neither tidemark.yml nor meltano.yml", variable, *root));
  }
  for (os::Path directory = os::resolve_links(from);; directory = directory.parent_path()) {
    if (std::optional<os::Path> file = project_file_in(directory)) return file;
    if (directory == directory.parent_path()) return std::nullopt;
  }
}

}  // namespace tidemark::project
