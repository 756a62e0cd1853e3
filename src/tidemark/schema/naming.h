#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemark::schema {

// How names of the source become names in the destination (dlt 1.31). Immutable, thread-safe.
class Naming {
 public:
  virtual ~Naming() = default;

  // A single component; Error kInvalid for an empty one.
  virtual std::string normalize_identifier(std::string_view name) const = 0;
  // A path whose components are joined by the separator; blank components are dropped.
  virtual std::string normalize_path(std::string_view path) const = 0;
  // A key of data, or the name of a table that it goes to: a path, or a single component when the
  // schema does not split names, or when the path has none. Error kInvalid for a blank one.
  virtual std::string normalize_name(std::string_view name) const = 0;
  // Joins components that are normalized already, and shortens the whole.
  virtual std::string shorten_fragments(std::span<const std::string> fragments) const = 0;
  virtual std::string_view path_separator() const = 0;
  virtual bool is_case_sensitive() const = 0;
};

// convention: "snake_case", "sql_cs_v1", "sql_ci_v1", "duck_case", "direct", or the dotted class
// path that Python writes. max_length counts code points; nothing = no limit. splits_names: see
// Schema::splits_names. Error kUnsupported for another convention.
std::shared_ptr<const Naming> make_naming(std::string_view convention,
                                          std::optional<size_t> max_length, bool splits_names);

// The column name of source_path when another path of the table has normalized to name already:
// `<name>_<tag of source_path>`, shortened as the convention does.
std::string collision_name(const Naming& naming, std::string_view name,
                           std::string_view source_path);

// dlt's six-letter tag of an identifier: lower(base64(SHAKE-128(text, 4 bytes))) with / and + as
// letters.
std::string name_tag(std::string_view text);

}  // namespace tidemark::schema
