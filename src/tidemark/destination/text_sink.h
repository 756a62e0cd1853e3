#pragma once

// For tests.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tidemark/destination/destination.h"

namespace tidemark::destination {

// Keeps a query's answer as text: a line a row, values separated by |, null as null.
class TextSink final : public RowSink {
 public:
  void columns(std::span<const std::string> column_names,
               std::span<const std::string> column_types) override {
    names.assign(column_names.begin(), column_names.end());
    types.assign(column_types.begin(), column_types.end());
  }
  bool row(std::span<const std::optional<std::string>> values) override {
    std::string line;
    for (const auto& value : values) {
      if (&value != values.data()) line += '|';
      line += value.value_or("null");
    }
    lines.push_back(std::move(line));
    return lines.size() < limit;
  }

  std::vector<std::string> names;
  std::vector<std::string> types;
  std::vector<std::string> lines;
  size_t limit = SIZE_MAX;
};

}  // namespace tidemark::destination
