#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tidemark/base/random.h"
#include "tidemark/json/page.h"
#include "tidemark/normalize/part.h"
#include "tidemark/normalize/schema_merger.h"
#include "tidemark/schema/coerce.h"
#include "tidemark/schema/naming.h"

namespace tidemark::normalize {

struct NormalizerOptions {
  std::string table;  // of the resource, in the schema already with its hints
  std::string load_id;
  std::shared_ptr<const schema::Naming> naming;
  schema::Detections detections;
  bool as_json = false;  // rows stay whole: objects and lists go into the JSON column `value`
};

// Turns pages of one resource into columns by dlt's relational rules (dlt 1.31): objects are
// flattened, lists become nested tables, types are inferred or coerced, ids are made. One thread
// each; several work on the pages of one resource side by side and meet in a SchemaMerger.
class Normalizer {
 public:
  // Whether a row is wanted; may throw.
  using Filter = std::function<bool(json::Node)>;

  Normalizer(NormalizerOptions options, Random& random);
  ~Normalizer();
  Normalizer(const Normalizer&) = delete;
  Normalizer& operator=(const Normalizer&) = delete;

  // Fills part with what the page's rows are under that snapshot. The filter sees each row once or,
  // when a page has duplicate keys, twice: make_filter is called before each pass. Error kInvalid
  // for bad JSON, a missing key, too many columns, naming origin, line, table or column.
  void run(std::shared_ptr<const Snapshot> snapshot, const json::Page& page,
           const std::function<Filter()>& make_filter, Part& part);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemark::normalize
