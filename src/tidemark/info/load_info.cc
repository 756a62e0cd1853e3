#include "tidemark/info/load_info.h"

#include <algorithm>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/info/fields.h"
#include "tidemark/info/format.h"

namespace tidemark::info {
namespace {

LoadJobMetrics job_from_json(const json::Value& value) {
  Fields fields(value);
  return {fields.text("load_id"),
          fields.text("dataset_name"),
          fields.text("job_id"),
          fields.text("file_path"),
          fields.text("table_name"),
          fields.time("started_at"),
          fields.optional_time("finished_at"),
          fields.text("state"),
          fields.optional_text("remote_url"),
          static_cast<int>(fields.count("retry_count")),
          fields.texts("followup_jobs")};
}

std::string how_it_went(const LoadInfo& info) {
  if (info.started_at && info.finished_at) {
    return fmt::format("finished in {}", format_duration(*info.finished_at - *info.started_at));
  }
  if (info.started_at) {
    return fmt::format("started at {} and did not finish", format_datetime(*info.started_at));
  }
  return "did not start";
}

std::string packages_loaded(const LoadInfo& info) {
  auto loaded = static_cast<size_t>(std::count_if(
      info.load_packages.begin(), info.load_packages.end(),
      [](const LoadPackageInfo& package) { return package.state == PackageState::kLoaded; }));
  size_t all = info.loads_ids.size();
  return loaded == all ? fmt::format("{}", all) : fmt::format("{} of {}", loaded, all);
}

std::string rows_to_text(const LoadInfo& info, int verbosity) {
  if (verbosity == 0 || info.row_counts.empty()) return "";
  std::string text = fmt::format("\nLoaded {} row(s), {}, into {} table(s):\n",
                                 format_count(total(info.row_counts)), format_size(info.bytes),
                                 info.row_counts.size());
  text += to_text(info.row_counts);
  text.pop_back();
  return text;
}

}  // namespace

json::Value to_json(const LoadJobMetrics& job) {
  return json::Object{{"load_id", job.load_id},
                      {"dataset_name", job.dataset_name},
                      {"job_id", job.job_id},
                      {"file_path", job.file_path},
                      {"table_name", job.table_name},
                      {"started_at", time_value(job.started_at)},
                      {"finished_at", time_value(job.finished_at)},
                      {"state", job.state},
                      {"remote_url", text_value(job.remote_url)},
                      {"retry_count", job.retry_count},
                      {"followup_jobs", text_values(job.followup_jobs)}};
}

bool LoadInfo::has_failed_jobs() const {
  return std::any_of(load_packages.begin(), load_packages.end(),
                     [](const auto& package) { return package.count_jobs(JobState::kFailed) > 0; });
}

void LoadInfo::raise_on_failed_jobs() const {
  for (const LoadPackageInfo& package : load_packages) {
    for (const LoadJobInfo& job : package.jobs) {
      if (job.state != JobState::kFailed) continue;
      throw Error(
          ErrorCode::kUnavailable,
          fmt::format("load package {} has {} failed job(s) in destination {}; {}: {}",
                      package.load_id, package.count_jobs(JobState::kFailed), destination_name,
                      job.job_file_info.job_id(), job.failed_message.value_or("no message")));
    }
  }
}

std::string to_text(const LoadInfo& info, int verbosity) {
  std::string text = fmt::format(
      "Pipeline {} load step {}\n"
      "{} load package(s) were loaded to destination {} and into dataset {}\n",
      info.pipeline_name, how_it_went(info), packages_loaded(info), info.destination_name,
      info.dataset_name.value_or("None"));
  if (info.staging_name) {
    text += fmt::format("The {} staging destination used {} location to stage data\n",
                        *info.staging_name, info.staging_displayable_credentials.value_or("None"));
  }
  text += fmt::format("The {} destination used {} location to store data", info.destination_name,
                      info.destination_displayable_credentials);
  text += packages_to_text(info, verbosity);
  text += rows_to_text(info, verbosity);
  if (!info.losses.empty()) text += "\nLossy choices: " + to_text(info.losses);
  return text + warnings_to_text(info);
}

json::Value to_json(const LoadInfo& info) {
  json::Object object = step_to_json(info);
  json::Array jobs;
  for (const LoadJobMetrics& job : info.job_metrics) jobs.push_back(to_json(job));
  object.set("destination_type", info.destination_type);
  object.set("destination_displayable_credentials", info.destination_displayable_credentials);
  object.set("destination_name", info.destination_name);
  object.set("environment", text_value(info.environment));
  object.set("staging_type", text_value(info.staging_type));
  object.set("staging_name", text_value(info.staging_name));
  object.set("staging_displayable_credentials", text_value(info.staging_displayable_credentials));
  object.set("destination_fingerprint", info.destination_fingerprint);
  object.set("dataset_name", text_value(info.dataset_name));
  object.set("job_metrics", std::move(jobs));
  object.set("row_counts", to_json(info.row_counts));
  object.set("bytes", info.bytes);
  object.set("losses", to_json(info.losses));
  return object;
}

LoadInfo load_info_from_json(const json::Value& value) {
  LoadInfo info;
  read_step(value, info);
  Fields fields(value);
  info.destination_type = fields.text("destination_type");
  info.destination_displayable_credentials = fields.text("destination_displayable_credentials");
  info.destination_name = fields.text("destination_name");
  info.environment = fields.optional_text("environment");
  info.staging_type = fields.optional_text("staging_type");
  info.staging_name = fields.optional_text("staging_name");
  info.staging_displayable_credentials = fields.optional_text("staging_displayable_credentials");
  info.destination_fingerprint = fields.text("destination_fingerprint");
  info.dataset_name = fields.optional_text("dataset_name");
  for (const json::Value& job : fields.list("job_metrics")) {
    info.job_metrics.push_back(job_from_json(job));
  }
  info.row_counts = row_counts_from_json(fields.list("row_counts"));
  info.bytes = fields.count("bytes");
  info.losses = losses_from_json(fields.value("losses"));
  return info;
}

}  // namespace tidemark::info
