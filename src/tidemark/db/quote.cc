#include "tidemark/db/quote.h"

namespace tidemark::db {
namespace {

std::string quote(std::string_view text, char mark) {
  std::string quoted(1, mark);
  for (const char c : text) {
    if (c == mark) quoted += mark;
    quoted += c;
  }
  quoted += mark;
  return quoted;
}

}  // namespace

std::string quote_identifier(std::string_view name) { return quote(name, '"'); }

std::string quote_identifiers(std::span<const std::string> names) {
  std::string list;
  for (const std::string& name : names) {
    if (!list.empty()) list += ", ";
    list += quote_identifier(name);
  }
  return list;
}

std::string quote_literal(std::string_view text) { return quote(text, '\''); }

}  // namespace tidemark::db
