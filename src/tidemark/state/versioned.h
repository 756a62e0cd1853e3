#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "tidemark/json/value.h"

namespace tidemark::state {

// Keys of dlt's versioned documents: the pipeline's state and a package's.
inline constexpr std::string_view kVersionKey = "_state_version";
inline constexpr std::string_view kEngineKey = "_state_engine_version";
inline constexpr std::string_view kHashKey = "_version_hash";

// base64(SHA3-256(document with sorted keys)), without the keys above and the excluded ones.
std::string versioned_hash(const json::Object& document,
                           std::initializer_list<std::string_view> excluded);

// Stores the hash. When another one was stored before, the version counts up. Whether it did.
bool bump_version(json::Object& document, std::initializer_list<std::string_view> excluded);

}  // namespace tidemark::state
