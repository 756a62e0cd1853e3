#include "tidemark/workdir/package_files.h"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/typed.h"
#include "tidemark/json/write.h"
#include "tidemark/state/versioned.h"
#include "tidemark/workdir/load_id.h"

namespace tidemark::workdir {
namespace {

constexpr int64_t kManifestVersion = 1;

json::Value read_json(const os::Path& file, std::string_view text) {
  try {
    return json::read(text);
  } catch (const Error& error) {
    throw Error(ErrorCode::kCorrupt, fmt::format("{}: {}", file.native(), error.message()));
  }
}

json::Object object_of(const os::Path& file, json::Value value) {
  if (!value.is_object()) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: expected an object, found {}", file.native(), kind_name(value)));
  }
  return std::move(value.as_object());
}

PartSummary part_from_json(const json::Value& value) {
  const json::Object& object = value.as_object();
  auto text = [&](std::string_view key) { return object.find(key)->as_string(); };
  auto count = [&](std::string_view key) {
    return static_cast<uint64_t>(object.find(key)->as_int64());
  };
  return {text("file_name"), text("table"), count("rows"), count("bytes"), text("checksum")};
}

json::Value part_to_json(const PartSummary& part) {
  return json::Object{{"file_name", part.file_name},
                      {"table", part.table},
                      {"rows", part.rows},
                      {"bytes", part.bytes},
                      {"checksum", part.checksum}};
}

bool has_keys(const json::Object& object, std::initializer_list<std::string_view> keys) {
  for (std::string_view key : keys) {
    if (!object.contains(key)) return false;
  }
  return true;
}

}  // namespace

std::vector<Job> list_jobs(const os::Path& package) {
  std::vector<Job> jobs;
  for (info::JobState state : info::kJobStates) {
    for (const std::string& name : os::list_directory(package / to_string(state))) {
      if (auto file = info::JobFile::parse(name)) jobs.push_back({state, *std::move(file)});
    }
  }
  return jobs;
}

void move_job(const os::Path& package, const Job& job, info::JobState state,
              const info::JobFile& as) {
  os::Path to = package / to_string(state);
  os::make_directories(to);
  os::move_file(job.path(package), to / as.file_name());
}

void sync_jobs(const os::Path& package) {
  for (info::JobState state : info::kJobStates) {
    if (os::path_exists(package / to_string(state))) os::sync_directory(package / to_string(state));
  }
}

void fail_job(const Layout& layout, const os::Path& package, const Job& job,
              std::string_view message) {
  os::Path to = package / to_string(info::JobState::kFailed);
  os::make_directories(to);
  layout.replace(to / (job.file.file_name() + std::string(kExceptionSuffix)), message);
  move_job(package, job, info::JobState::kFailed, job.file);
}

json::Object read_object(const os::Path& file) {
  return object_of(file, read_json(file, os::read_file(file)));
}

std::optional<json::Object> read_object_if_exists(const os::Path& file) {
  std::optional<std::string> text = os::read_file_if_exists(file);
  if (!text) return std::nullopt;
  return object_of(file, read_json(file, *text));
}

json::Object make_package_state(std::string_view load_id) {
  int64_t micros = std::llround(parse_load_id(load_id).value_or(0) * 1e6);
  Time created_at{std::chrono::microseconds(micros)};
  json::Object state{
      {std::string(state::kVersionKey), 0},
      {std::string(state::kEngineKey), 1},
      {"created_at", json::make_typed(json::TypedKind::kDatetime, format_iso(created_at))}};
  bump_package_state(state);
  return state;
}

void bump_package_state(json::Object& state) { state::bump_version(state, {"load_metrics"}); }

std::optional<Transition> read_transition(const os::Path& package, const info::JobFile& file) {
  auto note = read_object_if_exists(package / kTransitionsFolder / file.file_name());
  if (!note) return std::nullopt;
  const json::Value* state = note->find("state");
  const json::Value* message = note->find("failed_message");
  Transition transition;
  transition.is_completed = state != nullptr && *state == json::Value("completed");
  if (message != nullptr && message->is_string()) transition.failed_message = message->as_string();
  return transition;
}

std::optional<std::string> last_failure(const os::Path& package, const info::JobFile& file) {
  info::JobFile last_try = file;
  --last_try.retry_count;
  auto text = os::read_file_if_exists(package / kExceptionsFolder / last_try.exception_file_name());
  // The first line says whether trying again helps.
  if (text) text->erase(0, text->find('\n') + 1);
  return text;
}

Time modification_time(const os::Path& file) {
  std::error_code fault;
  auto time = std::filesystem::last_write_time(file, fault);
  if (fault) throw os::file_error(fault.value(), "look at", file);
  return std::chrono::time_point_cast<std::chrono::microseconds>(
      std::chrono::file_clock::to_sys(time));
}

const std::string& table_of(const std::optional<Manifest>& manifest, const info::JobFile& file) {
  const PartSummary* part = manifest ? manifest->find(file) : nullptr;
  return part == nullptr ? file.table_name : part->table;
}

const PartSummary* Manifest::find(const info::JobFile& file) const {
  for (const PartSummary& part : parts) {
    auto name = info::JobFile::parse(part.file_name);
    if (name && name->job_id() == file.job_id()) return &part;
  }
  return nullptr;
}

std::optional<Manifest> read_manifest(const Layout& layout, std::string_view load_id) {
  os::Path file = layout.manifest_file(load_id);
  std::optional<json::Object> object = read_object_if_exists(file);
  if (!object) return std::nullopt;
  if (!has_keys(*object, {"version", "parts", "losses", "replaced_tables", "state"})) {
    throw Error(ErrorCode::kCorrupt, fmt::format("{} is no manifest", file.native()));
  }
  if (object->find("version")->as_int64() > kManifestVersion) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} was written by a newer tidemark", file.native()));
  }
  Manifest manifest;
  try {
    for (const json::Value& part : object->find("parts")->as_array()) {
      if (!has_keys(part.as_object(), {"file_name", "table", "rows", "bytes", "checksum"})) {
        throw Error(ErrorCode::kCorrupt, "a part lacks a key");
      }
      manifest.parts.push_back(part_from_json(part));
    }
    manifest.losses = info::losses_from_json(*object->find("losses"));
    for (const json::Value& table : object->find("replaced_tables")->as_array()) {
      manifest.replaced_tables.push_back(table.as_string());
    }
    manifest.state = *object->find("state");
  } catch (const Error& error) {
    throw Error(ErrorCode::kCorrupt, fmt::format("{}: {}", file.native(), error.message()));
  }
  return manifest;
}

void write_manifest(const Layout& layout, std::string_view load_id, const Manifest& manifest) {
  json::Array parts;
  for (const PartSummary& part : manifest.parts) parts.push_back(part_to_json(part));
  json::Array replaced(manifest.replaced_tables.begin(), manifest.replaced_tables.end());
  json::Object object{{"version", kManifestVersion},
                      {"load_id", load_id},
                      {"parts", std::move(parts)},
                      {"losses", info::to_json(manifest.losses)},
                      {"replaced_tables", std::move(replaced)},
                      {"state", manifest.state}};
  os::make_directories(layout.manifests());
  layout.replace(layout.manifest_file(load_id), json::write_pretty(object));
}

}  // namespace tidemark::workdir
