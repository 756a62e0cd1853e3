#pragma once

#include <string_view>

#include "tidemark/json/value.h"
#include "tidemark/project/layered_settings.h"

namespace tidemark::project {

// Puts the value at `a.b.c` of an object as maps in maps; `\.` is a dot of a key. Maps are put in
// key by key, so that they meet those of settings below them.
void put_setting(json::Value& object, std::string_view name, json::Value value);

// The document that a plugin gets as its configuration: its settings that are not null, extras left
// out, numbers as Python writes them.
json::Value plugin_config(const LayeredSettings& settings);

}  // namespace tidemark::project
