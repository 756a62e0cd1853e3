#pragma once

// For tests: destinations, and packages made by hand.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/destination/destination.h"
#include "tidemark/destination/text_sink.h"
#include "tidemark/json/value.h"
#include "tidemark/os/temp_directory.h"
#include "tidemark/schema/schema.h"

namespace tidemark::destination {

inline constexpr std::string_view kDataset = "test_data";

// A schema with these tables: JSON text of a list of partial tables.
schema::Schema make_schema(std::string_view tables);

// Rows as JSON objects of the values by column, in the form that columns hold them: timestamps and
// times in microseconds, dates in days, decimals as the text of their unscaled digits.
using Rows = json::Array;
Rows rows_from(std::string_view text);

// Writes the rows as a part file of the table, a new chunk after every so many.
std::filesystem::path write_part(const std::filesystem::path& folder, const schema::Schema& schema,
                                 const std::string& table, const Rows& rows,
                                 size_t rows_per_chunk = 1000);

std::vector<std::string> ask(Session& session, std::string_view sql);

// A dataset in a new database, and packages for it.
class TestDataset {
 public:
  using Make = std::function<std::unique_ptr<Destination>(const std::filesystem::path& folder)>;

  explicit TestDataset(const Make& make) : destination_(make(scratch_.path())) {}

  Destination& destination() { return *destination_; }
  const std::filesystem::path& folder() const { return scratch_.path(); }
  // The session that writes; opened at the first call.
  Session& session();
  void close() { session_.reset(); }

  // The chain of a root table with the rows that are given by table.
  TableChain chain(const schema::Schema& schema, const std::string& root,
                   const std::map<std::string, Rows>& rows);
  // Loads the chain as a package of its own.
  std::vector<LoadedTable> load(const schema::Schema& schema, const TableChain& chain);
  std::vector<LoadedTable> load(const schema::Schema& schema, const std::string& root,
                                const std::map<std::string, Rows>& rows) {
    return load(schema, chain(schema, root, rows));
  }
  std::vector<std::string> ask(std::string_view sql) { return destination::ask(session(), sql); }

 private:
  os::TempDirectory scratch_;
  std::unique_ptr<Destination> destination_;
  std::unique_ptr<Session> session_;
  int packages_ = 0;
};

}  // namespace tidemark::destination
