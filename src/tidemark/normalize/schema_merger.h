#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "tidemark/normalize/part.h"
#include "tidemark/schema/schema.h"

namespace tidemark::normalize {

// The schema at one moment of a run, and which source path each name belongs to. Immutable.
struct Snapshot {
  schema::Schema schema;
  // table -> column -> path; under "" table name -> path.
  std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>> owners;

  // Nothing when no path has taken the name yet.
  const std::string* owner(std::string_view table, std::string_view name) const;
};

// Joins what parts add to the schema, in page order, so that the result is that of one thread
// reading the pages one after the other.
class SchemaMerger {
 public:
  explicit SchemaMerger(schema::Schema schema);

  // Thread-safe.
  std::shared_ptr<const Snapshot> snapshot() const;

  // Gives the name to the path, as if a part had claimed it. Thread-safe.
  void claim(const Claim& claim);

  // Takes over what the part adds. False: an earlier page gave one of its columns another type, or
  // one of its names to another path; the part must be made again against snapshot(). Thread-safe,
  // but pages come in order only if the caller sees to it.
  bool merge(const Part& part);

  // Hints of a resource that starts (schema/hints.h). Thread-safe.
  void apply_hints(const json::Object& partial);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace tidemark::normalize
