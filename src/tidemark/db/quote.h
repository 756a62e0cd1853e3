#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tidemark::db {

// "a""b": any name as an identifier.
std::string quote_identifier(std::string_view name);
// "a", "b"
std::string quote_identifiers(std::span<const std::string> names);
// 'it''s': any text without NUL as a string literal.
std::string quote_literal(std::string_view text);

}  // namespace tidemark::db
