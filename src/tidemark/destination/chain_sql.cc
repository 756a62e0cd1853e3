#include "tidemark/destination/chain_sql.h"

#include <algorithm>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/db/quote.h"
#include "tidemark/destination/hints.h"

namespace tidemark::destination {
namespace {

constexpr std::string_view kGone = R"("_tidemark_gone")";  // row keys of the roots that go
constexpr std::string_view kKept = R"("_tidemark_kept")";  // new root rows that stay

using schema::TableView;

// The column of a nested table that names its root row.
std::string link_of(const TableView& table, std::string_view root) {
  std::string link = column_with(table, "root_key");
  if (!link.empty()) return link;
  // At the first level the parent is the root.
  if (table.parent() == root) return column_with(table, "parent_key");
  throw Error(
      ErrorCode::kInvalid,
      fmt::format(
          "table {} cannot be merged: it has no {}, and its parent {} is not the root table",
          table.name(), schema::kRootIdColumn, table.parent().value_or("")));
}

std::string deleted_condition(const TableView& root) {
  for (const schema::ColumnView& column : root.columns()) {
    if (!column.has_hint("hard_delete") || !column.is_complete()) continue;
    const std::string name = db::quote_identifier(column.name());
    const bool is_bool = column.data_type() == schema::DataType::kBool;
    return name + (is_bool ? " IS TRUE" : " IS NOT NULL");
  }
  return {};
}

std::vector<std::string> complete(const TableView& table, std::vector<std::string> names) {
  std::erase_if(names,
                [&](const std::string& name) { return !table.find_column(name)->is_complete(); });
  return names;
}

std::string insert_sql(const ChainTable& table, std::string_view condition) {
  const std::string columns = db::quote_identifiers(table.columns);
  return fmt::format("INSERT INTO {} ({}) SELECT {} FROM {}{}{}", table.target, columns, columns,
                     table.rows, condition.empty() ? "" : " WHERE ", condition);
}

std::string key_match(const std::vector<std::string>& key, const std::string& rows) {
  const std::string columns = db::quote_identifiers(key);
  return fmt::format("({}) IN (SELECT {} FROM {})", columns, columns, rows);
}

// Sets of keys, not EXISTS with OR as dlt has it: that one compares every row with every other.
std::string match(const MergePlan& plan, const std::string& rows) {
  if (plan.merge_key.empty()) return key_match(plan.primary_key, rows);
  if (plan.primary_key.empty()) return key_match(plan.merge_key, rows);
  return fmt::format("{} OR {}", key_match(plan.primary_key, rows),
                     key_match(plan.merge_key, rows));
}

// Row numbers of the one new row of each primary key.
std::string winners(const MergePlan& plan, const std::string& rows, const std::string& row_number) {
  const std::string key = db::quote_identifiers(plan.primary_key);
  if (plan.sort_column.empty()) {
    return fmt::format("SELECT max({}) FROM {} GROUP BY {}", row_number, rows, key);
  }
  return fmt::format(
      "SELECT {0} FROM {1} QUALIFY row_number() OVER (PARTITION BY {2} ORDER BY {3} {4}, {0} DESC) "
      "= 1",
      row_number, rows, key, db::quote_identifier(plan.sort_column),
      plan.is_descending ? "DESC" : "ASC");
}

// Which new root rows are inserted. A deleted row beats the older ones of its key before it goes
// itself: none of them comes back.
std::string survivors(const MergePlan& plan, const std::string& rows,
                      const std::string& row_number) {
  std::string condition;
  if (!plan.primary_key.empty() && !plan.is_deduplicated) {
    condition = fmt::format("{} IN ({})", row_number, winners(plan, rows, row_number));
  }
  if (!plan.deleted_condition.empty()) {
    condition +=
        fmt::format("{}NOT ({})", condition.empty() ? "" : " AND ", plan.deleted_condition);
  }
  return condition;
}

void add_deletes(const std::vector<ChainTable>& chain, const MergePlan& plan,
                 std::vector<LoadStep>& steps) {
  const ChainTable& root = chain.front();
  if (!plan.has_keys()) return;
  if (chain.size() == 1) {
    steps.push_back({fmt::format("DELETE FROM {} WHERE {}", root.target, match(plan, root.rows))});
    return;
  }
  const std::string row_key = db::quote_identifier(plan.row_key);
  steps.push_back({fmt::format("CREATE TEMP TABLE {} AS SELECT {} AS id FROM {} WHERE {}", kGone,
                               row_key, root.target, match(plan, root.rows))});
  for (size_t i = chain.size(); i-- > 0;) {
    const std::string link = i == 0 ? row_key : db::quote_identifier(plan.nested[i].link);
    steps.push_back({fmt::format("DELETE FROM {} WHERE {} IN (SELECT id FROM {})", chain[i].target,
                                 link, kGone)});
  }
  steps.push_back({fmt::format("DROP TABLE {}", kGone)});
}

void add_nested_insert(const std::vector<ChainTable>& chain, size_t index, const MergePlan& plan,
                       const std::string& row_number, std::vector<LoadStep>& steps) {
  const ChainTable& table = chain[index];
  std::string condition = fmt::format("{} IN (SELECT id FROM {})",
                                      db::quote_identifier(plan.nested[index].link), kKept);
  if (plan.has_repeated_row_keys) {
    condition += fmt::format(" AND {0} IN (SELECT max({0}) FROM {1} GROUP BY {2})", row_number,
                             table.rows, db::quote_identifier(plan.nested[index].row_key));
  }
  steps.push_back({insert_sql(table, condition), index});
}

}  // namespace

MergePlan make_merge_plan(const schema::Schema& schema, const std::vector<ChainTable>& chain) {
  const TableView root = table_of(schema, chain.front().name);
  MergePlan plan;
  plan.primary_key = complete(root, root.columns_with("primary_key"));
  plan.merge_key = complete(root, root.columns_with("merge_key"));
  plan.row_key = column_with(root, "row_key");
  if (chain.size() > 1 && plan.row_key.empty()) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("table {} cannot be merged: it has nested tables, but no {}",
                            root.name(), schema::kIdColumn));
  }
  plan.nested.emplace_back();
  for (size_t i = 1; i < chain.size(); ++i) {
    const TableView table = table_of(schema, chain[i].name);
    plan.nested.push_back({link_of(table, root.name()), column_with(table, "row_key")});
  }
  for (const std::string& name : complete(root, root.columns_with("dedup_sort"))) {
    plan.sort_column = name;
    const json::Value* order = root.find_column(name)->object().find("dedup_sort");
    plan.is_descending = order->is_string() && order->as_string() == "desc";
  }
  const json::Value* deduplicated = root.object().find("x-stage-data-deduplicated");
  plan.is_deduplicated =
      deduplicated != nullptr && deduplicated->is_bool() && deduplicated->as_bool();
  plan.deleted_condition = deleted_condition(root);
  return plan;
}

std::vector<LoadStep> append_steps(const std::vector<ChainTable>& chain) {
  std::vector<LoadStep> steps;
  for (size_t i = 0; i < chain.size(); ++i) {
    if (!chain[i].rows.empty()) steps.push_back({insert_sql(chain[i], ""), i});
  }
  return steps;
}

std::vector<LoadStep> replace_steps(const std::vector<ChainTable>& chain) {
  std::vector<LoadStep> steps;
  for (const ChainTable& table : chain) steps.push_back({"DELETE FROM " + table.target});
  std::ranges::copy(append_steps(chain), std::back_inserter(steps));
  return steps;
}

std::vector<LoadStep> delete_insert_steps(const std::vector<ChainTable>& chain,
                                          const MergePlan& plan, std::string_view row_number) {
  const ChainTable& root = chain.front();
  std::vector<LoadStep> steps;
  if (root.rows.empty()) return steps;
  add_deletes(chain, plan, steps);

  const std::string number = db::quote_identifier(row_number);
  const std::string condition = survivors(plan, root.rows, number);
  const bool has_nested_rows = std::any_of(
      chain.begin() + 1, chain.end(), [](const ChainTable& table) { return !table.rows.empty(); });
  if (condition.empty() || !has_nested_rows) {
    steps.push_back({insert_sql(root, condition), 0});
    for (size_t i = 1; i < chain.size(); ++i) {
      if (!chain[i].rows.empty()) steps.push_back({insert_sql(chain[i], ""), i});
    }
    return steps;
  }
  steps.push_back(
      {fmt::format("CREATE TEMP TABLE {} AS SELECT {} AS number, {} AS id FROM {} WHERE {}", kKept,
                   number, db::quote_identifier(plan.row_key), root.rows, condition)});
  steps.push_back(
      {insert_sql(root, fmt::format("{} IN (SELECT number FROM {})", number, kKept)), 0});
  for (size_t i = 1; i < chain.size(); ++i) {
    if (!chain[i].rows.empty()) add_nested_insert(chain, i, plan, number, steps);
  }
  steps.push_back({fmt::format("DROP TABLE {}", kKept)});
  return steps;
}

}  // namespace tidemark::destination
