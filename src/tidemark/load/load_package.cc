#include "tidemark/load/load_package.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/destination/interrupt_watch.h"

namespace tidemark::load {

namespace {

using destination::TableChain;
using destination::TableParts;

constexpr std::chrono::milliseconds kFirstWait{1000};

bool is_worth_another_attempt(ErrorCode code) {
  return code == ErrorCode::kUnavailable || code == ErrorCode::kTimeout;
}

// A failure of one table's rows, apart from failures of the connection or the whole.
struct ChainFailure {
  std::string root;
  Error error;
};

const TableParts* find_parts(const PackageContent& package, std::string_view table) {
  for (const TableParts& parts : package.parts) {
    if (parts.table == table) return &parts;
  }
  return nullptr;
}

bool has_columns(const schema::Schema& schema, std::string_view table) {
  const auto view = schema.find_table(table);
  if (!view) return false;
  const auto columns = view->columns();
  return std::any_of(columns.begin(), columns.end(),
                     [](const schema::ColumnView& column) { return column.is_complete(); });
}

TableChain chain_of(const PackageContent& package, const std::string& root, bool is_replaced) {
  const auto table = package.schema->find_table(root);
  if (!table) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("package {} has rows for table {}, which its schema {} lacks",
                            package.load_id, root, package.schema->name()));
  }
  TableChain chain;
  chain.write_disposition = is_replaced ? "replace" : table->write_disposition().value_or("append");
  chain.merge_strategy = table->merge_strategy().value_or("delete-insert");
  for (const std::string& name : package.schema->table_chain(root)) {
    const TableParts* parts = find_parts(package, name);
    // What has no rows is still emptied by replace and deleted from by merge.
    if (parts == nullptr &&
        (chain.write_disposition == "append" || !has_columns(*package.schema, name))) {
      continue;
    }
    chain.tables.push_back(parts != nullptr ? *parts : TableParts{name, {}});
  }
  return chain;
}

std::vector<std::pair<std::string, TableChain>> chains_of(const PackageContent& package,
                                                          const std::set<std::string>& left_out) {
  std::set<std::string> roots(package.replaced_tables.begin(), package.replaced_tables.end());
  for (const TableParts& parts : package.parts) roots.insert(package.schema->root_of(parts.table));
  std::vector<std::pair<std::string, TableChain>> chains;
  for (const std::string& root : roots) {
    if (left_out.contains(root)) continue;
    const bool is_replaced =
        std::find(package.replaced_tables.begin(), package.replaced_tables.end(), root) !=
        package.replaced_tables.end();
    chains.emplace_back(root, chain_of(package, root, is_replaced));
  }
  return chains;
}

std::vector<std::string> tables_of(const std::vector<std::pair<std::string, TableChain>>& chains) {
  std::vector<std::string> tables;
  for (const auto& [root, chain] : chains) {
    for (const TableParts& parts : chain.tables) tables.push_back(parts.table);
  }
  return tables;
}

// One transaction over everything that is not left out.
class Attempt {
 public:
  Attempt(destination::Destination& destination, const std::string& dataset,
          const PackageContent& package, const LoadOptions& options)
      : destination_(destination), dataset_(dataset), package_(package), options_(options) {}

  LoadOutcome run(const std::set<std::string>& left_out) {
    LoadOutcome outcome;
    const auto session = destination_.connect(dataset_, destination::Access::kWrite);
    if (session->is_committed(package_.load_id)) {
      outcome.was_committed = true;
      return outcome;
    }
    const auto chains = chains_of(package_, left_out);
    const auto load = session->begin();
    std::optional<destination::InterruptWatch> watch(std::in_place, *session,
                                                     *options_.cancellation);
    if (!package_.dropped_tables.empty()) {
      load->drop_tables(package_.schema->name(), package_.dropped_tables);
    }
    outcome.schema_update = load->apply(*package_.schema, tables_of(chains), options_.clock->now());
    if (!package_.truncated_tables.empty()) load->truncate_tables(package_.truncated_tables);
    for (const auto& [root, chain] : chains) load_chain(*load, root, chain, outcome);
    // What is left is short, and better done than told as not done.
    watch.reset();
    options_.cancellation->throw_if_cancelled();
    load->commit({package_.load_id, std::string(package_.schema->name()),
                  std::string(package_.schema->version_hash()), options_.clock->now()});
    return outcome;
  }

 private:
  void load_chain(destination::PackageLoad& load, const std::string& root, const TableChain& chain,
                  LoadOutcome& outcome) const {
    options_.cancellation->throw_if_cancelled();
    try {
      for (auto& table : load.load(*package_.schema, chain)) {
        if (options_.progress != nullptr) options_.progress->loaded(table.table, table.rows);
        outcome.tables.push_back(std::move(table));
      }
    } catch (Error& error) {
      error.add_context(fmt::format("table {}", root));
      if (error.code() == ErrorCode::kCancelled) throw;
      throw ChainFailure{root, std::move(error)};
    }
  }

  destination::Destination& destination_;
  const std::string& dataset_;
  const PackageContent& package_;
  const LoadOptions& options_;
};

// How often a package is tried again, and the pauses between.
class Patience {
 public:
  Patience(const std::string& load_id, const LoadOptions& options)
      : load_id_(load_id), options_(options) {}

  // Waits before another attempt; false when there is to be none.
  bool waits(const Error& error) {
    if (!is_worth_another_attempt(error.code()) || attempts_ >= options_.max_attempts) return false;
    ++attempts_;
    if (options_.progress != nullptr) {
      options_.progress->warning(fmt::format("load package {}: {}; attempt {} of {} follows",
                                             load_id_, error.message(), attempts_,
                                             options_.max_attempts));
    }
    options_.sleeper->sleep(wait_, *options_.cancellation);
    wait_ *= 2;
    return true;
  }

 private:
  const std::string& load_id_;
  const LoadOptions& options_;
  int attempts_ = 1;
  std::chrono::milliseconds wait_ = kFirstWait;
};

}  // namespace

LoadOutcome load_package(destination::Destination& destination, const std::string& dataset,
                         const PackageContent& package, const LoadOptions& options) {
  Attempt attempt(destination, dataset, package, options);
  Patience patience(package.load_id, options);
  std::set<std::string> left_out;
  std::vector<FailedTable> failed;
  while (true) {
    try {
      LoadOutcome outcome = attempt.run(left_out);
      outcome.failed = std::move(failed);
      return outcome;
    } catch (const ChainFailure& failure) {
      if (patience.waits(failure.error)) continue;
      FailedTable table{failure.root, failure.error.message(),
                        is_worth_another_attempt(failure.error.code())};
      if (options.raise_on_failed_jobs || table.is_transient) {
        if (options.failed) options.failed(table);
        throw failure.error;
      }
      // A destination with transactions keeps nothing of a failed one: the rest is loaded anew.
      left_out.insert(table.table);
      failed.push_back(std::move(table));
    } catch (const Error& error) {
      // Says which signal it was, where the destination knows only that it was interrupted.
      if (error.code() == ErrorCode::kCancelled) options.cancellation->throw_if_cancelled();
      if (!patience.waits(error)) throw;
    }
  }
}

}  // namespace tidemark::load
