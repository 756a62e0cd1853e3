#pragma once

#include <string>
#include <string_view>

#include "tidemark/json/value.h"
#include "tidemark/schema/naming.h"
#include "tidemark/source/resource.h"

namespace tidemark::extract {

// The table of a resource in the destination.
std::string table_name(const source::Resource& resource, const schema::Naming& naming);

// The partial table that a resource's hints make. cursor_path is empty when it has no cursor.
json::Object hints_of(const source::Resource& resource, std::string_view cursor_path,
                      const schema::Naming& naming);

}  // namespace tidemark::extract
