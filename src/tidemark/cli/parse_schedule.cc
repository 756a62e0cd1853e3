#include <memory>
#include <string>

#include "tidemark/base/error.h"
#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {
namespace {

OptionSpec name_option(std::string* name) {
  return {.names = "NAME", .target = name, .help = "Its name", .is_required = true};
}

CommandSpec job_list_spec() {
  auto list = std::make_shared<JobListArguments>();
  return {.name = "list",
          .help = "Show the jobs with their tasks",
          .options = {{"NAME", &list->name, "Only this one"},
                      {.names = "--format",
                       .target = &list->format,
                       .help = "How",
                       .choices = {"text", "json"}}},
          .result = [list] { return JobArguments(*list); }};
}

CommandSpec job_write_spec(const std::string& name, bool is_new) {
  auto write = std::make_shared<JobWriteArguments>();
  write->is_new = is_new;
  return {.name = name,
          .help = is_new ? "Add a job" : "Replace the tasks of a job",
          .options = {name_option(&write->name),
                      {.names = "--tasks",
                       .target = &write->tasks,
                       .help = "'tap-x target-y', or a list of such texts, as YAML",
                       .is_required = true}},
          .result = [write] { return JobArguments(*write); }};
}

CommandSpec job_remove_spec() {
  auto remove = std::make_shared<JobRemoveArguments>();
  return {.name = "remove",
          .help = "Remove a job",
          .options = {name_option(&remove->name)},
          .result = [remove] { return JobArguments(*remove); }};
}

CommandSpec schedule_list_spec() {
  auto list = std::make_shared<ScheduleListArguments>();
  return {.name = "list",
          .help = "Show the schedules",
          .options = {{.names = "--format",
                       .target = &list->format,
                       .help = "How; cron: lines for a crontab",
                       .choices = {"text", "json", "cron"}}},
          .result = [list] { return ScheduleArguments(*list); }};
}

void check(const ScheduleAddArguments& add) {
  if (add.job && (add.extractor || add.loader)) {
    throw Error(ErrorCode::kInvalid, "Cannot mix --job with --extractor/--loader");
  }
  if (!add.job && (!add.extractor || !add.loader)) {
    throw Error(ErrorCode::kInvalid, "a schedule needs --job, or --extractor and --loader");
  }
}

CommandSpec schedule_add_spec() {
  auto add = std::make_shared<ScheduleAddArguments>();
  return {.name = "add",
          .help = "Add a schedule",
          .options = {name_option(&add->name),
                      {.names = "--interval",
                       .target = &add->interval,
                       .help = "Five fields of cron, or @hourly, @daily, @once, ...",
                       .is_required = true},
                      {"--job", &add->job, "The job to run"},
                      {"--extractor", &add->extractor, "Or a tap"},
                      {"--loader", &add->loader, "and a target"}},
          .result = [add] {
            check(*add);
            return ScheduleArguments(*add);
          }};
}

CommandSpec schedule_set_spec() {
  auto set = std::make_shared<ScheduleSetArguments>();
  return {.name = "set",
          .help = "Change a schedule",
          .options = {name_option(&set->name),
                      {"--interval", &set->interval, "When"},
                      {"--job", &set->job, "The job to run"},
                      {"--extractor", &set->extractor, "The tap"},
                      {"--loader", &set->loader, "The target"}},
          .result = [set] { return ScheduleArguments(*set); }};
}

CommandSpec schedule_remove_spec() {
  auto remove = std::make_shared<ScheduleRemoveArguments>();
  return {.name = "remove",
          .help = "Remove a schedule",
          .options = {name_option(&remove->name)},
          .result = [remove] { return ScheduleArguments(*remove); }};
}

CommandSpec schedule_run_spec() {
  auto run = std::make_shared<ScheduleRunArguments>();
  return {.name = "run",
          .help = "Run what a schedule names, now",
          .options = {name_option(&run->name),
                      {"ARGS", AllThatFollow{&run->words}, "Words for `run` or `el`"}},
          .result = [run] { return ScheduleArguments(*run); },
          .passes_words_on = true};
}

}  // namespace

CommandSpec job_spec() {
  return {.name = "job",
          .help = "Names for lines of `run`",
          .commands = {job_list_spec(), job_write_spec("add", true), job_write_spec("set", false),
                       job_remove_spec()}};
}

CommandSpec schedule_spec() {
  return {.name = "schedule",
          .help = "When jobs run",
          .commands = {schedule_list_spec(), schedule_add_spec(), schedule_set_spec(),
                       schedule_remove_spec(), schedule_run_spec()}};
}

}  // namespace tidemark::cli
