#include "tidemark/cli/destination_url.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::cli {
namespace {

DestinationChoice file_database(std::string_view type, std::string_view path,
                                const std::filesystem::path& directory) {
  if (path.empty()) {
    throw Error(
        ErrorCode::kInvalid,
        fmt::format("destination {}: expected a file, as in {}:///data.{}", type, type, type));
  }
  return {std::string(type),
          json::Object{{"path", (directory / path).lexically_normal().string()}}};
}

}  // namespace

DestinationChoice parse_destination(std::string_view text, const std::filesystem::path& directory) {
  constexpr std::string_view kMark = "://";
  if (const size_t mark = text.find(kMark); mark != text.npos) {
    const std::string_view scheme = text.substr(0, mark);
    std::string_view rest = text.substr(mark + kMark.size());
    if (scheme != "duckdb" && scheme != "sqlite") {
      return {std::string(scheme), json::Object{{"url", text}}};
    }
    if (rest.starts_with('/')) {
      rest.remove_prefix(1);  // behind it, a path that starts with another one is absolute
    }
    return file_database(scheme, rest, directory);
  }
  const std::string suffix = std::filesystem::path(text).extension().string();
  if (suffix == ".duckdb" || suffix == ".db" || suffix == ".ddb") {
    return file_database("duckdb", text, directory);
  }
  if (suffix == ".sqlite" || suffix == ".sqlite3") {
    return file_database("sqlite", text, directory);
  }
  throw Error(ErrorCode::kInvalid,
              fmt::format("destination {}: expected a file such as data.duckdb, or a URL such as "
                          "duckdb:///data.duckdb",
                          text));
}

}  // namespace tidemark::cli
