#pragma once

#include <vector>

#include "tidemark/json/value.h"
#include "tidemark/singer/catalog_rules.h"

namespace tidemark::singer {

// Rules on one stream of a catalog, which has a `tap_stream_id`. A property is reached when its
// name and those of all it lies in are letters, digits and `_`. Error kInvalid, which names stream
// and key, for a part that is not of the kind it must be.

// A property that a rule names is made when it is missing, unless the name starts with a wildcard.
void apply_schema_rules(const std::vector<SchemaRule>& rules, json::Object& stream);

// Makes the metadata entries that are missing, sets what the rules say, and sets what they say of
// the stream on the stream itself too, `-` being `_` there, where old taps look for it.
void apply_metadata_rules(const std::vector<MetadataRule>& rules, json::Object& stream);

}  // namespace tidemark::singer
