#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tidemark/cli/streams.h"
#include "tidemark/destination/destination.h"

namespace tidemark::cli {

// A RowSink that prints what it receives; finish() comes after the last row.
class QueryOutput : public destination::RowSink {
 public:
  virtual void finish() = 0;
};

// Aligned columns for people, numbers to the right, with the number of rows below. Holds all rows.
class TableOutput final : public QueryOutput {
 public:
  explicit TableOutput(Output& out) : out_(out) {}

  void columns(std::span<const std::string> names, std::span<const std::string> types) override;
  bool row(std::span<const std::optional<std::string>> values) override;
  void finish() override;

 private:
  std::string line(const std::vector<std::string>& cells) const;

  Output& out_;
  std::vector<bool> is_number_;
  std::vector<size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

// RFC 4180 with a header; a null is an empty field, an empty text is "".
class CsvOutput final : public QueryOutput {
 public:
  explicit CsvOutput(Output& out) : out_(out) {}

  void columns(std::span<const std::string> names, std::span<const std::string> types) override;
  bool row(std::span<const std::optional<std::string>> values) override;
  void finish() override {}

 private:
  Output& out_;
};

// An array with one object a row: numbers, booleans and JSON as such, everything else as text.
class JsonOutput final : public QueryOutput {
 public:
  explicit JsonOutput(Output& out) : out_(out) {}

  void columns(std::span<const std::string> names, std::span<const std::string> types) override;
  bool row(std::span<const std::optional<std::string>> values) override;
  void finish() override;

 private:
  Output& out_;
  std::vector<std::string> names_;
  std::vector<std::string> types_;
  bool has_rows_ = false;
};

}  // namespace tidemark::cli
