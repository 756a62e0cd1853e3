#include "tidemark/source/rest_config.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/config/merge.h"
#include "tidemark/source/hints.h"
#include "tidemark/source/rest_endpoint.h"
#include "tidemark/source/rest_settings.h"
#include "tidemark/source/rest_template.h"

namespace tidemark::rest {
namespace {

using config::Node;

template <size_t A, size_t B>
constexpr std::array<std::string_view, A + B> join(const std::array<std::string_view, A>& a,
                                                   const std::array<std::string_view, B>& b) {
  std::array<std::string_view, A + B> all{};
  std::ranges::copy(b, std::ranges::copy(a, all.begin()).out);
  return all;
}

constexpr auto kResourceKeys = join(
    source::kHintKeys, std::array<std::string_view, 3>{"name", "endpoint", "include_from_parent"});
constexpr std::array<std::string_view, 11> kEndpointKeys = {
    "path",      "method",        "params",           "json",       "data", "headers", "auth",
    "paginator", "data_selector", "response_actions", "incremental"};
constexpr auto kIncrementalKeys =
    join(source::kIncrementalKeys, std::array<std::string_view, 2>{"start_param", "end_param"});
constexpr auto kIncrementalParamKeys =
    join(source::kIncrementalKeys, std::array<std::string_view, 1>{"type"});

// A resource's settings over the defaults of all.
struct Layers {
  std::optional<Node> own;
  std::optional<Node> fallback;

  // The member that counts: an own null switches a default off.
  std::optional<Node> find(std::string_view key) const {
    std::optional<Node> member = own ? own->find(key) : std::nullopt;
    if (!member && fallback) member = fallback->find(key);
    return member && member->is_null() ? std::nullopt : member;
  }
  // The members of both maps, an own one in the place of a default.
  std::vector<Node::Member> merged(std::string_view key) const {
    const auto map_of = [key](const std::optional<Node>& layer) {
      const auto map = layer ? layer->optional_node(key) : std::nullopt;
      return map.value_or(Node::map({}));
    };
    return config::merge_members(map_of(fallback), map_of(own),
                                 [](const Node&, const Node& over) { return over; });
  }
};

// Reads one resource.
class ResourceReader {
 public:
  // node: a name, or a map. defaults: resource_defaults.
  ResourceReader(Node node, std::optional<Node> defaults) : node_(std::move(node)) {
    if (node_.is_map()) node_.expect_keys(kResourceKeys);
    name_ = node_.is_map() ? node_.require("name").string() : node_.string();
    resource_ = {.own = node_.is_map() ? std::optional(node_) : std::nullopt,
                 .fallback = std::move(defaults)};
    const auto own = resource_.own ? resource_.own->optional_node("endpoint") : std::nullopt;
    if (own && !own->is_string()) endpoint_.own = own;
    if (own && own->is_string()) path_ = own->string();
    endpoint_.fallback =
        resource_.fallback ? resource_.fallback->optional_node("endpoint") : std::nullopt;
    for (const auto& layer : {endpoint_.own, endpoint_.fallback}) {
      if (layer) layer->expect_keys(kEndpointKeys);
    }
  }

  const std::string& name() const { return name_; }
  const Node& node() const { return node_; }

  source::ResourceOptions options() const {
    source::ResourceOptions options;
    if (resource_.fallback) read_hints(*resource_.fallback, options);
    if (resource_.own) read_hints(*resource_.own, options);
    options.name = name_;
    return options;
  }

  // source is the one it belongs to.
  DeclaredEndpoint endpoint(std::string_view source) {
    read_request(source);
    read_single_entity();
    read_params();
    read_incremental();
    bind_path();
    read_placeholders();
    if (const auto fields = resource_.find("include_from_parent")) {
      declared_.include_from_parent = fields->strings();
      if (declared_.parent.empty()) throw fields->error("this resource has no parent");
    }
    return std::move(declared_);
  }

 private:
  void read_request(std::string_view source) {
    Endpoint& endpoint = declared_.endpoint;
    // A default path would be that of every resource.
    const auto own_path = endpoint_.own ? endpoint_.own->optional_string("path") : std::nullopt;
    endpoint.path = path_.value_or(own_path.value_or(name_));
    if (const auto method = endpoint_.find("method")) {
      endpoint.method = method->choice({"GET", "POST"});
    }
    if (const auto json = endpoint_.find("json")) endpoint.json = read_json(*json);
    if (const auto data = endpoint_.find("data")) {
      if (!endpoint.json.is_null()) throw data->error("json and data exclude each other");
      endpoint.data = data->to_json();
    }
    if (const auto headers = endpoint_.find("headers")) endpoint.headers = read_headers(*headers);
    read_endpoint_auth(source);
    if (const auto paginator = endpoint_.find("paginator")) {
      endpoint.paginator = read_paginator(*paginator);
    }
    if (const auto selector = endpoint_.find("data_selector")) {
      endpoint.data_selector = selector->string();
    }
    if (const auto actions = endpoint_.find("response_actions")) {
      endpoint.response_actions = read_response_actions(*actions);
    }
  }

  // Null switches off what the client has.
  void read_endpoint_auth(std::string_view source) {
    const bool is_own_null =
        endpoint_.own && endpoint_.own->find("auth") && !endpoint_.own->optional_node("auth");
    if (is_own_null) declared_.endpoint.auth = no_auth();
    if (const auto auth = endpoint_.find("auth"))
      declared_.endpoint.auth = read_auth(*auth, source);
  }

  json::Value read_json(const Node& json) const {
    if (!json.is_map()) return json.to_json();
    json::Object body;
    for (const auto& [key, value, position] : endpoint_.merged("json")) {
      body.set(key, value.to_json());
    }
    return body;
  }

  // posts/{id}: one entity, not a list.
  void read_single_entity() {
    std::string_view path = declared_.endpoint.path;
    path = path.substr(0, path.find_last_not_of('/') + 1);
    const std::string_view last = path.substr(path.rfind('/') + 1);
    if (Template(last).names().empty()) return;
    if (!declared_.endpoint.data_selector) declared_.endpoint.data_selector = "$";
    if (!endpoint_.find("paginator")) declared_.endpoint.paginator = single_page();
  }

  void read_params() {
    for (const auto& [name, value, position] : endpoint_.merged("params")) {
      if (value.is_map())
        read_bound_param(name, value);
      else
        declared_.endpoint.params.set(name, value.to_json());
    }
  }

  // {type: resolve, resource, field} or {type: incremental, cursor_path, ...}
  void read_bound_param(const std::string& name, const Node& node) {
    if (node.require("type").choice({"resolve", "incremental"}) == "resolve") {
      node.expect_keys({"type", "resource", "field"});
      resolved_.insert(name);
      add_parent_field(name, node.require("resource").string(), node.require("field").string(),
                       node);
      return;
    }
    node.expect_keys(kIncrementalParamKeys);
    if (declared_.incremental) throw node.error("a second incremental parameter");
    if (node.optional_node("end_value")) {
      throw node.error("end_value needs endpoint.incremental, which has an end_param");
    }
    declared_.incremental = source::read_incremental(node);
    declared_.start_param = name;
  }

  void read_incremental() {
    const auto node = endpoint_.find("incremental");
    if (!node) return;
    node->expect_keys(kIncrementalKeys);
    if (declared_.incremental) throw node->error("a parameter is incremental already");
    declared_.incremental = source::read_incremental(*node);
    declared_.start_param = node->optional_string("start_param").value_or("");
    declared_.end_param = node->optional_string("end_param").value_or("");
  }

  // {name} in the path takes the parameter of that name, which is then not sent.
  void bind_path() {
    std::set<std::string> unbound = resolved_;
    std::string& path = declared_.endpoint.path;
    for (const std::string& name : parse(path).names()) {
      if (is_context(name) || unbound.erase(name) > 0) continue;
      const json::Value* value = declared_.endpoint.params.find(name);
      if (value == nullptr) {
        throw node_.error(fmt::format(
            "path '{}': {{{}}} is neither a parameter nor resources.<parent>.<field> nor "
            "incremental.<value>",
            declared_.endpoint.path, name));
      }
      replace(path, "{" + name + "}", to_text(*value));
      declared_.endpoint.params.erase(name);
    }
    if (!unbound.empty()) {
      throw node_.error(
          fmt::format("parameter {} is of type resolve, so path needs {{{}}}; elsewhere write "
                      "{{resources.<parent>.<field>}}",
                      *unbound.begin(), *unbound.begin()));
    }
  }

  static void replace(std::string& text, const std::string& what, const std::string& by) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
      text.replace(at, what.size(), by);
      at += by.size();
    }
  }

  void read_placeholders() {
    const Endpoint& endpoint = declared_.endpoint;
    for (const std::string& name : parse(endpoint.path).names()) read_placeholder(name);
    json::Array values = {endpoint.params, endpoint.json, endpoint.data};
    for (const auto& [name, value] : endpoint.headers) {
      values.emplace_back(name);
      values.emplace_back(value);
    }
    try {
      for (const std::string& name : placeholder_names(values)) read_placeholder(name);
    } catch (const Error& error) {
      throw node_.error(error.message());
    }
  }

  void read_placeholder(const std::string& name) {
    if (resolved_.contains(name)) return;
    constexpr std::string_view kResources = "resources.";
    constexpr std::string_view kIncremental = "incremental.";
    if (name.starts_with(kIncremental)) {
      const std::string value = name.substr(kIncremental.size());
      const bool is_known = value == "start_value" || value == "initial_value" ||
                            value == "last_value" || value == "end_value";
      if (is_known && declared_.incremental) return;
    } else if (name.starts_with(kResources)) {
      const std::string rest = name.substr(kResources.size());
      const size_t dot = rest.find('.');
      if (dot != std::string::npos) {
        return add_parent_field(name, rest.substr(0, dot), rest.substr(dot + 1), node_);
      }
    }
    throw Error(ErrorCode::kInvalid,
                fmt::format("placeholder {{{}}}: expected resources.<parent>.<field>, or "
                            "incremental.start_value, initial_value or end_value of an endpoint "
                            "with a cursor; a brace that means itself is doubled",
                            name));
  }

  void add_parent_field(const std::string& name, const std::string& parent,
                        const std::string& field, const Node& node) {
    if (!declared_.parent.empty() && declared_.parent != parent) {
      throw node.error(
          fmt::format("two parents, {} and {}; a resource can have one", declared_.parent, parent));
    }
    declared_.parent = parent;
    declared_.parent_fields.insert_or_assign(name, json::Path::parse(field));
  }

  static bool is_context(const std::string& name) {
    return name.starts_with("resources.") || name.starts_with("incremental.");
  }
  Template parse(const std::string& text) const {
    try {
      return Template(text);
    } catch (const Error& error) {
      throw node_.error(error.message());
    }
  }

  Node node_;
  std::string name_;
  Layers resource_;
  Layers endpoint_;
  std::optional<std::string> path_;
  std::set<std::string> resolved_;
  DeclaredEndpoint declared_;
};

}  // namespace

source::Source make_source(std::string name, const Node& node, Transport transport) {
  node.expect_keys({"type", "name", "client", "resource_defaults", "resources"});
  ClientOptions options = read_client(node.require("client"), name);
  options.transport = std::move(transport);
  const Client client(std::move(options));
  const auto defaults = node.optional_node("resource_defaults");
  if (defaults) defaults->expect_keys(kResourceKeys);

  std::vector<source::Resource> resources;
  std::set<std::string> names;
  for (const Node& item : node.require("resources").items()) {
    ResourceReader reader(item, defaults);
    if (!names.insert(reader.name()).second) {
      throw item.error(fmt::format("a second resource {}", reader.name()));
    }
    resources.push_back(make_resource(reader.options(), client, reader.endpoint(name)));
  }
  return {std::move(name), std::move(resources)};
}

}  // namespace tidemark::rest
