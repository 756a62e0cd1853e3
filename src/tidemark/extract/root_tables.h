#pragma once

#include <map>
#include <string>

#include "tidemark/schema/naming.h"
#include "tidemark/schema/schema.h"
#include "tidemark/source/resource.h"

namespace tidemark::extract {

// The table that the rows of a resource go to.
struct RootTable {
  std::string name;
  // The name before normalizing, when the table does not have the name it normalizes to.
  std::string source_path = {};
};

// The tables of a source's resources, by Resource::table_name. Resources that name one table share
// it; two names that only normalize to one get a table each: the one that the schema knows as the
// plain table's, else the first, keeps the plain name, the others get schema::collision_name, and
// their hint kSourcePathHint keeps them there whatever the order of later runs. Error kInvalid for
// a table that would be one of the pipeline's own.
std::map<std::string, RootTable> root_tables(const source::Source& source,
                                             const schema::Schema& schema,
                                             const schema::Naming& naming);

}  // namespace tidemark::extract
