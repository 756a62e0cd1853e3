#include <memory>
#include <string>

#include "tidemark/base/error.h"
#include "tidemark/cli/parse_commands.h"

namespace tidemark::cli {
namespace {

OptionSpec name_option(std::string* name, NamedThing thing) {
  return {.names = "NAME", .target = name, .help = "Its name", .is_required = true, .thing = thing};
}

CommandSpec job_list_spec() {
  auto list = std::make_shared<JobListArguments>();
  return {.name = "list",
          .help = "Show the jobs with their tasks",
          .options = {{.names = "NAME",
                       .target = &list->name,
                       .help = "Only this one",
                       .thing = NamedThing::kJob},
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
          .options = {name_option(&write->name, NamedThing::kJob),
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
          .options = {name_option(&remove->name, NamedThing::kJob)},
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

OptionSpec transform_option(std::optional<std::string>* transform) {
  return {.names = "--transform",
          .target = transform,
          .help = "Whether the transformer dbt runs too; skip unless it says otherwise",
          .choices = {"skip", "run", "only"}};
}

void check(const ScheduleAddArguments& add) {
  if (add.job && (add.extractor || add.loader || add.transform)) {
    throw Error(ErrorCode::kInvalid, "Cannot mix --job with --extractor/--loader/--transform");
  }
  if (!add.job && (!add.extractor || !add.loader)) {
    throw Error(ErrorCode::kInvalid, "a schedule needs --job, or --extractor and --loader");
  }
}

CommandSpec schedule_add_spec() {
  auto add = std::make_shared<ScheduleAddArguments>();
  return {.name = "add",
          .help = "Add a schedule",
          .options = {name_option(&add->name, NamedThing::kSchedule),
                      {.names = "--interval",
                       .target = &add->interval,
                       .help = "Five fields of cron, or @hourly, @daily, @once, ...",
                       .is_required = true},
                      {.names = "--job",
                       .target = &add->job,
                       .help = "The job to run",
                       .thing = NamedThing::kJob},
                      {.names = "--extractor",
                       .target = &add->extractor,
                       .help = "Or a tap",
                       .thing = NamedThing::kPlugin},
                      {.names = "--loader",
                       .target = &add->loader,
                       .help = "and a target",
                       .thing = NamedThing::kPlugin},
                      transform_option(&add->transform)},
          .result = [add] {
            check(*add);
            return ScheduleArguments(*add);
          }};
}

CommandSpec schedule_set_spec() {
  auto set = std::make_shared<ScheduleSetArguments>();
  return {.name = "set",
          .help = "Change a schedule",
          .options = {name_option(&set->name, NamedThing::kSchedule),
                      {"--interval", &set->interval, "When"},
                      {.names = "--job",
                       .target = &set->job,
                       .help = "The job to run",
                       .thing = NamedThing::kJob},
                      {.names = "--extractor",
                       .target = &set->extractor,
                       .help = "The tap",
                       .thing = NamedThing::kPlugin},
                      {.names = "--loader",
                       .target = &set->loader,
                       .help = "The target",
                       .thing = NamedThing::kPlugin},
                      transform_option(&set->transform)},
          .result = [set] { return ScheduleArguments(*set); }};
}

CommandSpec schedule_remove_spec() {
  auto remove = std::make_shared<ScheduleRemoveArguments>();
  return {.name = "remove",
          .help = "Remove a schedule",
          .options = {name_option(&remove->name, NamedThing::kSchedule)},
          .result = [remove] { return ScheduleArguments(*remove); }};
}

CommandSpec schedule_run_spec() {
  auto run = std::make_shared<ScheduleRunArguments>();
  return {.name = "run",
          .help = "Run what a schedule names, now",
          .options = {name_option(&run->name, NamedThing::kSchedule),
                      {"ARGS", AllThatFollow{&run->words}, "Words for `run` or `el`"}},
          .result = [run] { return ScheduleArguments(*run); },
          .passes_words_on = true};
}

CommandSpec schedule_export_spec() {
  auto units = std::make_shared<ScheduleExportArguments>();
  return {.name = "export",
          .help = "Write the schedules as timers of systemd",
          .options = {{.names = "DIRECTORY",
                       .target = &units->directory,
                       .help = "Where the units go, such as ~/.config/systemd/user",
                       .is_required = true}},
          .result = [units] { return ScheduleArguments(*units); }};
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
                       schedule_remove_spec(), schedule_run_spec(), schedule_export_spec()}};
}

}  // namespace tidemark::cli
