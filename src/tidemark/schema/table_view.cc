#include "tidemark/schema/table_view.h"

namespace tidemark::schema {
namespace {

// Readers of a document that somebody else wrote: a member of another kind counts as absent.
const json::Value* find_path(const json::Object& object, std::string_view first,
                             std::string_view second) {
  const json::Value* outer = object.find(first);
  return outer == nullptr ? nullptr : outer->find(second);
}

std::optional<std::string_view> text_of(const json::Value* value) {
  if (value == nullptr || !value->is_string()) {
    return std::nullopt;
  }
  return value->as_string();
}

std::optional<int> int_of(const json::Value* value) {
  if (value == nullptr || !value->is_number()) {
    return std::nullopt;
  }
  std::optional<int64_t> number = value->as_number().to_int64();
  if (!number || *number != static_cast<int>(*number)) {
    return std::nullopt;
  }
  return static_cast<int>(*number);
}

bool is_false(const json::Value* value) {
  return value != nullptr && value->is_bool() && !value->as_bool();
}

}  // namespace

bool is_default_hint(std::string_view hint, const json::Value& value) {
  if (hint == "x-active-record-timestamp") {
    return false;  // null is a choice there: records stay open
  }
  if (hint == "nullable" || hint == "timezone") {
    return value.is_null() || (value.is_bool() && value.as_bool());
  }
  return value.is_null() || is_false(&value);
}

std::string_view ColumnView::name() const { return text_of(object_->find("name")).value_or(""); }

std::optional<DataType> ColumnView::data_type() const {
  std::optional<std::string_view> type = text_of(object_->find("data_type"));
  return type ? data_type_from(*type) : std::nullopt;
}

bool ColumnView::is_nullable() const { return !is_false(object_->find("nullable")); }

bool ColumnView::has_timezone() const { return !is_false(object_->find("timezone")); }

std::optional<int> ColumnView::precision() const { return int_of(object_->find("precision")); }

std::optional<int> ColumnView::scale() const { return int_of(object_->find("scale")); }

bool ColumnView::has_hint(std::string_view hint) const {
  const json::Value* value = object_->find(hint);
  return value != nullptr && !is_default_hint(hint, *value);
}

std::string_view TableView::name() const { return text_of(object_->find("name")).value_or(""); }

std::optional<std::string_view> TableView::parent() const {
  std::optional<std::string_view> parent = text_of(object_->find("parent"));
  return parent && parent->empty() ? std::nullopt : parent;
}

std::optional<std::string_view> TableView::resource() const {
  return text_of(object_->find("resource"));
}

std::optional<std::string_view> TableView::write_disposition() const {
  return text_of(object_->find("write_disposition"));
}

std::optional<std::string_view> TableView::merge_strategy() const {
  return text_of(object_->find("x-merge-strategy"));
}

std::optional<int> TableView::max_nesting() const {
  return int_of(find_path(*object_, "x-normalizer", "max_nesting"));
}

bool TableView::has_seen_data() const {
  const json::Value* seen = find_path(*object_, "x-normalizer", "seen-data");
  return seen != nullptr && seen->is_bool() && seen->as_bool();
}

std::vector<ColumnView> TableView::columns() const {
  std::vector<ColumnView> result;
  const json::Value* columns = object_->find("columns");
  if (columns == nullptr || !columns->is_object()) {
    return result;
  }
  result.reserve(columns->as_object().size());
  for (const auto& [name, column] : columns->as_object()) {
    if (column.is_object()) {
      result.emplace_back(column.as_object());
    }
  }
  return result;
}

std::optional<ColumnView> TableView::find_column(std::string_view name) const {
  const json::Value* column = find_path(*object_, "columns", name);
  if (column == nullptr || !column->is_object()) {
    return std::nullopt;
  }
  return ColumnView(column->as_object());
}

std::vector<std::string> TableView::columns_with(std::string_view hint) const {
  std::vector<std::string> result;
  for (const ColumnView& column : columns()) {
    if (column.has_hint(hint)) {
      result.emplace_back(column.name());
    }
  }
  return result;
}

}  // namespace tidemark::schema
