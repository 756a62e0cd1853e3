#pragma once

#include <string_view>

#include "tidemark/extract/root_tables.h"
#include "tidemark/json/value.h"
#include "tidemark/schema/naming.h"
#include "tidemark/source/resource.h"

namespace tidemark::extract {

// The partial table that a resource's hints make. cursor_path is empty when it has no cursor.
json::Object hints_of(const source::Resource& resource, const RootTable& table,
                      std::string_view cursor_path, const schema::Naming& naming);

}  // namespace tidemark::extract
