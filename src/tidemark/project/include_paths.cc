#include "tidemark/project/include_paths.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/glob.h"
#include "tidemark/config/merge.h"

namespace tidemark::project {
namespace {

using Patterns = std::vector<std::string>;

Patterns split(const os::Path& pattern) {
  Patterns parts;
  for (const os::Path& part : pattern) {
    if (!part.empty() && part != ".") parts.push_back(part.native());
  }
  return parts;
}

bool is_directory_path(const os::Path& path) {
  return os::path_kind(path) == os::PathKind::kDirectory;
}

// Appends what the parts from `next` on match below directory.
void match_below(const os::Path& directory, const Patterns& parts, size_t next,
                 std::vector<os::Path>& matches) {
  if (next == parts.size()) {
    matches.push_back(directory);
    return;
  }
  const bool is_any_depth = parts[next] == "**";
  if (is_any_depth) match_below(directory, parts, next + 1, matches);
  for (const std::string& name : os::list_directory(directory)) {
    const os::Path entry = directory / name;
    if (is_any_depth) {
      // A linked directory could lead back to where we are. The root has no links.
      if (is_directory_path(entry) && os::resolve_links(entry) == entry) {
        match_below(entry, parts, next, matches);
      }
    } else if (glob_match(parts[next], name) &&
               (next + 1 == parts.size() || is_directory_path(entry))) {
      match_below(entry, parts, next + 1, matches);
    }
  }
}

bool is_inside(const os::Path& path, const os::Path& directory) {
  return std::ranges::mismatch(directory, path).in1 == directory.end();
}

}  // namespace

std::vector<os::Path> find_included_files(const config::Node& include_paths, const os::Path& root,
                                          const os::Path& project_file) {
  std::vector<os::Path> files;
  for (const config::Node& pattern : include_paths.items()) {
    std::vector<os::Path> matches;
    match_below(root, split(pattern.string()), 0, matches);
    std::ranges::sort(matches);
    for (os::Path& match : matches) {
      if (match == project_file || std::ranges::find(files, match) != files.end()) continue;
      if (os::path_kind(match) != os::PathKind::kFile ||
          !is_inside(os::resolve_links(match), root)) {
        throw pattern.error(
            fmt::format("matches {}, which is no file of the project", match.native()));
      }
      files.push_back(std::move(match));
    }
  }
  return files;
}

config::Node merge_documents(const config::Node& under, const config::Node& over) {
  if (under.is_list() && over.is_list()) {
    std::vector<config::Node> items = under.items();
    for (config::Node& item : over.items()) items.push_back(std::move(item));
    return config::Node::list(std::move(items), under.position());
  }
  if (!under.is_map() || !over.is_map()) return over;
  return config::Node::map(config::merge_members(under, over, merge_documents), under.position());
}

}  // namespace tidemark::project
