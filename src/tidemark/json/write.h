#pragma once

#include <string>

#include "tidemark/json/value.h"

namespace tidemark::json {

// {"a":1,"b":[2]} with number text kept.
std::string write(const Value& value);
// Two-space indentation, as dlt's schema files have it (orjson's OPT_INDENT_2).
std::string write_pretty(const Value& value);

// What orjson writes after reading the text: numbers as Python would hold them (integers of up to
// 64 bits as they are, everything else as a double in orjson's layout), optionally with keys sorted
// by code point at every level. Input of dlt's hashes.
std::string write_orjson(const Value& value, bool sort_keys);
// Appends a string literal in orjson's escaping: only `"`, `\` and controls below 0x20.
void append_quoted(std::string& out, std::string_view text);
// A double in the layout of orjson 3.13 (releases before 3.12 left out the + of an exponent): 1.0,
// 1e+16, 0.00001, 1e-7. Beyond the range of a double: null.
void append_double(std::string& out, double value);

// Python's json.dumps with default separators and ensure_ascii: how Meltano writes documents. What
// read_python() reads comes out as it was.
std::string write_python(const Value& value);
// The same with `,` and `:`, and with an indentation of 2: what `state get` prints.
std::string write_python_compact(const Value& value);
std::string write_python_pretty(const Value& value);

}  // namespace tidemark::json
