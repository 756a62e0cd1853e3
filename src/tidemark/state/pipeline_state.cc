#include "tidemark/state/pipeline_state.h"

#include <algorithm>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/typed.h"
#include "tidemark/json/write.h"
#include "tidemark/state/versioned.h"

namespace tidemark::state {
namespace {

constexpr std::string_view kLocal = "_local";
constexpr std::string_view kSources = "sources";
constexpr std::string_view kResources = "resources";
constexpr std::string_view kSchemaNames = "schema_names";
constexpr std::string_view kDefaultSchema = "default_schema_name";
constexpr std::string_view kDestinationLocation = "destination_location";
constexpr std::string_view kLastExtractedAt = "_last_extracted_at";
constexpr std::string_view kLastExtractedHash = "_last_extracted_hash";
const json::Value kNull;

std::optional<std::string_view> text_of(const json::Value* value) {
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->as_string();
}

bool is_true(const json::Value* value) {
  return value != nullptr && value->is_bool() && value->as_bool();
}

// The member as an object, made or replaced when it is not one.
json::Object& object_in(json::Object& parent, std::string_view key) {
  json::Value& value = parent[key];
  if (!value.is_object()) value = json::Object();
  return value.as_object();
}

std::vector<std::string> keys_of(const json::Value* value) {
  std::vector<std::string> keys;
  if (value == nullptr || !value->is_object()) return keys;
  for (const auto& [key, member] : value->as_object()) keys.push_back(key);
  return keys;
}

std::string_view last_component(std::string_view dotted) {
  return dotted.substr(dotted.rfind('.') + 1);
}

// `destination` became a type and a name.
void split_destination(json::Object& state, std::string_view role) {
  std::optional<std::string_view> reference = text_of(state.find(role));
  if (reference && !reference->empty()) {
    std::string type(*reference);
    state.set(fmt::format("{}_type", role), type);
    state.set(fmt::format("{}_name", role), last_component(type));
    state.erase(role);
  }
}

void clear_implied_name(json::Object& state, std::string_view role) {
  std::string name_key = fmt::format("{}_name", role);
  std::optional<std::string_view> type = text_of(state.find(fmt::format("{}_type", role)));
  if (type && text_of(state.find(name_key)) == last_component(*type)) {
    state.set(name_key, nullptr);
  }
}

void migrate(json::Object& state, int64_t engine) {
  if (engine < 2) state.set(kLocal, json::Object());
  if (engine < 3) state.set(kHashKey, versioned_hash(state, {kLocal}));
  if (engine < 4) {
    split_destination(state, "destination");
    split_destination(state, "staging");
  }
  clear_implied_name(state, "destination");
  clear_implied_name(state, "staging");
  state.set(kEngineKey, kStateEngineVersion);
}

// As Python's Path.as_uri().
std::string file_uri(std::string_view path) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~/";
  std::string uri = "file://";
  for (char c : path) {
    if (kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

}  // namespace

PipelineState PipelineState::create(std::string_view pipeline_name, std::string_view initial_cwd) {
  PipelineState state(json::Object{
      {std::string(kVersionKey), 0},
      {std::string(kEngineKey), kStateEngineVersion},
      {std::string(kLocal), json::Object{{"first_run", true},
                                         {"_dev_mode", false},
                                         {"initial_cwd", initial_cwd},
                                         {"last_run_context", nullptr}}},
      {"pipeline_name", pipeline_name},
      {std::string(kSchemaNames), json::Array()},
      {"dataset_name", nullptr},
      {std::string(kDefaultSchema), nullptr},
      {"destination_name", nullptr},
  });
  state.bump();
  return state;
}

PipelineState PipelineState::from_json(json::Value document) {
  const json::Value* engine = document.find(kEngineKey);
  const json::Value* version = document.find(kVersionKey);
  auto number = [](const json::Value* value) {
    return value != nullptr && value->is_number() ? value->as_number().to_int64() : std::nullopt;
  };
  if (!number(engine) || !number(version) || *number(engine) < 1) {
    throw Error(ErrorCode::kCorrupt, fmt::format("not a pipeline state: {} and {} must be numbers",
                                                 kVersionKey, kEngineKey));
  }
  if (*number(engine) > kStateEngineVersion) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("pipeline state of engine {} was written by a newer dlt; {} is the "
                            "newest one known",
                            *number(engine), kStateEngineVersion));
  }
  migrate(document.as_object(), *number(engine));
  return PipelineState(std::move(document));
}

PipelineState PipelineState::read(std::string_view text) { return from_json(json::read(text)); }

std::string PipelineState::write() const { return json::write(document_); }

int64_t PipelineState::version() const { return document_.find(kVersionKey)->as_int64(); }

std::string_view PipelineState::version_hash() const { return text(kHashKey).value_or(""); }

std::string PipelineState::content_hash() const {
  return versioned_hash(document_.as_object(), {kLocal});
}

bool PipelineState::bump() { return bump_version(object(), {kLocal}); }

void PipelineState::rehash() { object().set(kHashKey, versioned_hash(object(), {kLocal})); }

std::optional<std::string_view> PipelineState::text(std::string_view key) const {
  return text_of(document_.find(key));
}

std::string_view PipelineState::pipeline_name() const { return text("pipeline_name").value_or(""); }

std::optional<std::string_view> PipelineState::dataset_name() const { return text("dataset_name"); }

void PipelineState::set_dataset_name(std::string_view name) { object().set("dataset_name", name); }

std::optional<std::string_view> PipelineState::default_schema_name() const {
  return text(kDefaultSchema);
}

std::vector<std::string> PipelineState::schema_names() const {
  std::vector<std::string> names;
  const json::Value* stored = document_.find(kSchemaNames);
  if (stored == nullptr || !stored->is_array()) return names;
  for (const json::Value& name : stored->as_array()) {
    if (name.is_string()) names.push_back(name.as_string());
  }
  return names;
}

void PipelineState::set_schema_names(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::optional<std::string_view> current = default_schema_name();
  if (!current || !std::binary_search(names.begin(), names.end(), *current)) {
    object().set(kDefaultSchema, names.empty() ? json::Value() : json::Value(names.front()));
  }
  object().set(kSchemaNames, json::Array(names.begin(), names.end()));
}

void PipelineState::add_schema_name(std::string_view name) {
  std::vector<std::string> names = schema_names();
  names.emplace_back(name);
  set_schema_names(std::move(names));
}

std::optional<std::string_view> PipelineState::destination_type() const {
  return text("destination_type");
}

std::optional<std::string_view> PipelineState::destination_name() const {
  return text("destination_name");
}

void PipelineState::set_destination(std::string_view type, std::optional<std::string_view> name) {
  object().set("destination_type", type);
  object().set("destination_name", name ? json::Value(*name) : json::Value());
  clear_implied_name(object(), "destination");
}

json::Object& PipelineState::source_state(std::string_view source) {
  return object_in(object_in(object(), kSources), source);
}

json::Object& PipelineState::resource_state(std::string_view source, std::string_view resource) {
  return object_in(object_in(source_state(source), kResources), resource);
}

const json::Value* PipelineState::find_source_state(std::string_view source) const {
  const json::Value* sources = document_.find(kSources);
  return sources == nullptr ? nullptr : sources->find(source);
}

const json::Value* PipelineState::find_resource_state(std::string_view source,
                                                      std::string_view resource) const {
  const json::Value* state = find_source_state(source);
  const json::Value* resources = state == nullptr ? nullptr : state->find(kResources);
  return resources == nullptr ? nullptr : resources->find(resource);
}

std::vector<std::string> PipelineState::source_names() const {
  return keys_of(document_.find(kSources));
}

std::vector<std::string> PipelineState::resource_names(std::string_view source) const {
  const json::Value* state = find_source_state(source);
  return keys_of(state == nullptr ? nullptr : state->find(kResources));
}

bool PipelineState::drop_resource_state(std::string_view source, std::string_view resource) {
  if (find_resource_state(source, resource) == nullptr) return false;
  return source_state(source)[kResources].as_object().erase(resource);
}

std::vector<std::string> PipelineState::find_paths(std::string_view source,
                                                   const json::Path& path) const {
  const json::Value* state = find_source_state(source);
  if (state == nullptr) return {};
  std::vector<std::string> paths = path.full_paths(*state);
  std::erase(paths, kResources);
  return paths;
}

void PipelineState::drop_paths(std::string_view source, const json::Path& path) {
  if (find_source_state(source) == nullptr) return;
  json::Value& state = object()[kSources].as_object()[source];
  std::vector<std::string> paths = path.full_paths(state);
  std::optional<json::Value> resources;
  if (std::find(paths.begin(), paths.end(), kResources) != paths.end()) {
    resources = *state.find(kResources);
  }
  path.erase(state);
  if (resources && state.is_object()) state.as_object().set(kResources, std::move(*resources));
}

std::vector<Cursor> PipelineState::cursors() const {
  std::vector<Cursor> cursors;
  for (const std::string& source : source_names()) {
    for (const std::string& resource : resource_names(source)) {
      const json::Value* incremental = find_resource_state(source, resource)->find("incremental");
      for (const std::string& path : keys_of(incremental)) {
        const json::Value* last_value = incremental->find(path)->find("last_value");
        cursors.push_back({source, resource, path, last_value ? *last_value : json::Value()});
      }
    }
  }
  return cursors;
}

const json::Value& PipelineState::local() const {
  const json::Value* local = document_.find(kLocal);
  return local == nullptr ? kNull : *local;
}

json::Object& PipelineState::mutable_local() { return object_in(object(), kLocal); }

void PipelineState::set_local(std::string_view key, json::Value value) {
  mutable_local().set(key, std::move(value));
}

bool PipelineState::is_first_run() const { return is_true(local().find("first_run")); }

bool PipelineState::is_dev_mode() const { return is_true(local().find("_dev_mode")); }

std::optional<std::string_view> PipelineState::initial_cwd() const {
  return text_of(local().find("initial_cwd"));
}

std::optional<std::string_view> PipelineState::destination_location() const {
  return text_of(local().find(kDestinationLocation));
}

void PipelineState::set_destination_location(std::string_view location) {
  set_local(kDestinationLocation, location);
}

void PipelineState::set_last_run_context(const RunContext& context) {
  set_local("last_run_context", json::Object{{"settings_dir", context.settings_dir},
                                             {"local_dir", context.local_dir},
                                             {"run_dir", context.run_dir},
                                             {"uri", file_uri(context.run_dir)}});
}

bool PipelineState::must_extract() const {
  return text_of(local().find(kLastExtractedHash)) != version_hash();
}

void PipelineState::mark_extracted(Time now) {
  set_local(kLastExtractedAt, json::make_typed(json::TypedKind::kDatetime, format_iso(now)));
  set_local(kLastExtractedHash, version_hash());
}

void PipelineState::forget_extraction() {
  mutable_local().erase(kLastExtractedAt);
  mutable_local().erase(kLastExtractedHash);
}

json::Value PipelineState::synchronised_part() const {
  json::Value part = document_;
  part.as_object().erase(kLocal);
  return part;
}

void PipelineState::take_over(const PipelineState& remote) {
  json::Value local_part = local();
  json::Value dataset = document_.find("dataset_name") ? *document_.find("dataset_name") : nullptr;
  document_ = remote.document_;
  object().set(kLocal, std::move(local_part));
  if (!dataset.is_null()) object().set("dataset_name", std::move(dataset));
  set_local(kLastExtractedHash, remote.version_hash());
}

}  // namespace tidemark::state
