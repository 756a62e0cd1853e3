#include "tidemark/source/rest_endpoint.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/source/rest_template.h"

namespace tidemark::rest {
namespace {

using source::Incremental;

[[noreturn]] void fail(std::string message) {
  throw Error(ErrorCode::kInvalid, std::move(message));
}

// last_value is the start as well: the moving one would make a child's filter depend on which
// parents were read before it, and lose rows.
const json::Value& cursor_value(const Incremental* cursor, std::string_view name) {
  if (cursor != nullptr && (name == "start_value" || name == "last_value")) {
    return cursor->start_value();
  }
  if (cursor != nullptr && name == "initial_value") return cursor->initial_value();
  if (cursor != nullptr && name == "end_value") return cursor->end_value();
  fail(fmt::format("there is no incremental.{}", name));
}

class Expansion {
 public:
  // parent_row is nothing for a resource without a parent.
  Expansion(const DeclaredEndpoint& declared, const Incremental* cursor,
            std::optional<json::Node> parent_row)
      : declared_(declared), cursor_(cursor), parent_row_(parent_row) {}

  Endpoint run() const {
    Endpoint endpoint = declared_.endpoint;
    const Template::Lookup value_of = [this](std::string_view name) { return value(name); };
    endpoint.path =
        Template(endpoint.path).expand([this](std::string_view name) { return path_value(name); });
    endpoint.params = expand(endpoint.params, value_of, false).as_object();
    endpoint.json = expand(endpoint.json, value_of, true);
    endpoint.data = expand(endpoint.data, value_of, false);
    endpoint.headers = {};
    for (const auto& [name, text] : declared_.endpoint.headers) {
      endpoint.headers.set(Template(name).expand(value_of), Template(text).expand(value_of));
    }
    if (!declared_.start_param.empty()) {
      endpoint.params.set(declared_.start_param, cursor_->start_value());
    }
    if (!declared_.end_param.empty()) {
      endpoint.params.set(declared_.end_param, cursor_->end_value());
    }
    return endpoint;
  }

 private:
  json::Value value(std::string_view name) const {
    constexpr std::string_view kIncremental = "incremental.";
    if (name.starts_with(kIncremental)) {
      return cursor_value(cursor_, name.substr(kIncremental.size()));
    }
    const auto field = declared_.parent_fields.find(name);
    if (field == declared_.parent_fields.end() || !parent_row_) fail("it stands for nothing");
    const std::vector<json::Node> found = field->second.find(*parent_row_);
    if (found.empty() || found.front().is_null()) {
      fail(fmt::format("a row of {} has no '{}'{}", declared_.parent, field->second.text(),
                       found.empty() ? "" : " but null"));
    }
    return to_value(found.front());
  }

  // A # in a value is part of it and not the start of a fragment, unless the value is a whole link.
  json::Value path_value(std::string_view name) const {
    std::string text = to_text(value(name));
    if (text.starts_with("http://") || text.starts_with("https://")) return text;
    for (size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at)) {
      text.replace(at, 1, "%23");
    }
    return text;
  }

  const DeclaredEndpoint& declared_;
  const Incremental* cursor_;
  std::optional<json::Node> parent_row_;
};

using ParentColumns = std::vector<std::pair<std::string, json::Node>>;

ParentColumns parent_columns(const DeclaredEndpoint& declared, json::Node parent_row) {
  ParentColumns columns;
  for (const std::string& field : declared.include_from_parent) {
    const auto value = parent_row.find(field);
    if (!value) {
      fail(fmt::format("include_from_parent: a row of {} has no '{}'", declared.parent, field));
    }
    columns.emplace_back(fmt::format("_{}_{}", declared.parent, field), *value);
  }
  return columns;
}

// The same rows with the parent's columns behind their own.
json::Page with_columns(const json::Page& page, const ParentColumns& columns,
                        json::Parser& parser) {
  json::DocumentBuilder out;
  out.begin_array();
  json::RowReader rows(page, parser);
  while (const auto row = rows.next()) {
    if (!row->is_object()) fail("include_from_parent: a child row is no object");
    out.begin_object();
    for (json::Node key = row->first(); !(key == row->end()); key = key.next().next()) {
      out.key(key.string());
      out.node(key.next());
    }
    for (const auto& [name, value] : columns) {
      out.key(name);
      out.node(value);
    }
    out.end_object();
  }
  out.end_array();
  auto document = out.finish();
  const json::Node root = document->root();
  return json::Page::rows(std::move(document), root, page.origin());
}

const Incremental* open_cursor(const DeclaredEndpoint& declared, source::Extraction& extraction) {
  if (!declared.incremental) return nullptr;
  return &extraction.incremental(declared.incremental->first, declared.incremental->second);
}

void run(const Client& client, const DeclaredEndpoint& declared, source::Extraction& extraction) {
  const Incremental* cursor = open_cursor(declared, extraction);
  Pages pages = client.paginate(extraction, Expansion(declared, cursor, std::nullopt).run());
  while (auto page = pages.next()) {
    if (!extraction.yield(std::move(*page))) return;
  }
}

void run_for_parent(const Client& client, const DeclaredEndpoint& declared,
                    source::Extraction& extraction, const json::Page& parent_rows) {
  const Incremental* cursor = open_cursor(declared, extraction);
  json::Parser parser;
  json::Parser child_parser;
  json::RowReader parents(parent_rows, parser);
  while (const auto parent = parents.next()) {
    const ParentColumns columns = parent_columns(declared, *parent);
    Pages pages = client.paginate(extraction, Expansion(declared, cursor, *parent).run());
    while (auto page = pages.next()) {
      if (!columns.empty()) page = with_columns(*page, columns, child_parser);
      if (!extraction.yield(std::move(*page))) return;
    }
  }
}

}  // namespace

source::Resource make_resource(source::ResourceOptions options, Client client,
                               DeclaredEndpoint declared) {
  // Rows are in order within one parent only, so order may not end a child's reading early.
  if (!declared.parent.empty() && declared.incremental) {
    declared.incremental->second.row_order = source::RowOrder::kNone;
  }
  options.incremental = declared.incremental;
  declared.endpoint.row_key = options.primary_key;
  if (declared.parent.empty()) {
    return {std::move(options),
            [client = std::move(client), declared = std::move(declared)](
                source::Extraction& extraction) { run(client, declared, extraction); }};
  }
  std::string parent = declared.parent;
  return {std::move(options), std::move(parent),
          [client = std::move(client), declared = std::move(declared)](
              source::Extraction& extraction, const json::Page& parent_rows) {
            run_for_parent(client, declared, extraction, parent_rows);
          }};
}

}  // namespace tidemark::rest
