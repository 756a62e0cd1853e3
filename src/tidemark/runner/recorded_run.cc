#include "tidemark/runner/recorded_run.h"

#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "tidemark/base/datetime.h"
#include "tidemark/base/error.h"
#include "tidemark/state/periodic.h"

namespace tidemark::runner {
namespace {

constexpr std::chrono::seconds kHeartbeat{1};

// Why a run did not succeed: for Meltano's record in its words, for people with all there is.
struct Failure {
  std::string reason;
  Error error;
};

std::string meltano_time(Time time) { return format_iso(time, ' '); }

// One run of one set.
class RecordedRun {
 public:
  RecordedRun(const RunContext& context, const RunDirectory& directory,
              const project::BlockSet& set, const RecordedRunOptions& options,
              const StateAccess& access)
      : context_(context), directory_(directory), set_(set), options_(options), access_(access) {}

  void run() {
    context_.log.info(fmt::format("Running job with name '{}' and run ID '{}'", options_.state_id,
                                  options_.run_id));
    check_other_runs();
    record_ = access_.records.start(options_.state_id, options_.run_id);
    std::optional<Failure> failure;
    try {
      failure = run_with_state();
    } catch (const Error& error) {
      failure = Failure{error.message(), error};
    }
    settle(failure);
  }

 private:
  // Runs that died leave records behind; Meltano's runs know nothing of leases.
  void check_other_runs() {
    for (const state::StaleRun& stale :
         access_.records.fail_stale(options_.state_id, access_.lease.earlier_runs())) {
      context_.log.info(fmt::format("Marked stale run that started at {} as failed: {}",
                                    meltano_time(stale.started_at), stale.error));
    }
    if (options_.is_forced) {
      context_.log.warning("Force option is enabled, ignoring stale job check.");
      return;
    }
    if (const auto running = access_.records.find_running(options_.state_id)) {
      throw Error(ErrorCode::kLocked,
                  fmt::format("Another '{}' pipeline is already running which started at {}. Wait "
                              "until {} when the job will be automatically cancelled if stale, or "
                              "ignore this check using the '--force' option.",
                              options_.state_id, meltano_time(running->started_at),
                              meltano_time(running->stale_at())));
    }
  }

  std::optional<Failure> run_with_state() {
    state::RunState state(access_.backend, access_.lease,
                          {.id = options_.state_id,
                           .author = access_.author,
                           .strategy = options_.strategy,
                           .is_full_refresh = options_.set.is_full_refresh,
                           .unsaved_directory = access_.unsaved_directory,
                           .saved = [this](const state::RunSave& save) { note_save(save); }},
                          access_.context);
    std::optional<Failure> failure = run_plugins_with(state);
    if (auto unsaved = end_of(state.finish())) return unsaved;
    return failure;
  }

  // A failure of the plugins is a result here: what they acknowledged is still to be saved.
  std::optional<Failure> run_plugins_with(state::RunState& state) {
    try {
      const state::Periodic heartbeat(kHeartbeat, [this] {
        beat();
        return kHeartbeat;
      });
      const state::RunStateSaver saver(state, [this](const Error& error) { give_up(error); });
      const auto failure = run_plugins(
          context_, directory_, set_, state.start(), options_.set,
          {.started = [this](const Chain& chain) { access_.lease.set_children(chain.processes()); },
           .output_line = [&](std::string_view line) { take_state(state, line); }});
      return failure_with(failure);
    } catch (const Error& error) {
      return failure_with(SetFailure{error.message(), error.message()}, error.code());
    }
  }

  // What stopped the run comes in front of what the plugins made of being stopped.
  std::optional<Failure> failure_with(const std::optional<SetFailure>& failure,
                                      ErrorCode code = ErrorCode::kInvalid) {
    if (const std::lock_guard lock(mutex_); save_error_) {
      return Failure{save_error_->message(), *save_error_};
    }
    try {
      context_.control.throw_if_stopped();
    } catch (const Error& error) {
      return Failure{
          error.code() == ErrorCode::kTimeout ? "The process was interrupted" : error.message(),
          error};
    }
    if (!failure) return std::nullopt;
    const std::string message = failure->reason == failure->detail
                                    ? failure->detail
                                    : fmt::format("{}: {}", failure->reason, failure->detail);
    return Failure{failure->reason, Error(code, message)};
  }

  void take_state(state::RunState& state, std::string_view line) {
    switch (state.accept(line)) {
      case state::StateLine::kAccepted:
        return;
      case state::StateLine::kEmpty:
        context_.log.warning("Received empty state, incremental state has not been updated");
        return;
      case state::StateLine::kNoObject:
      case state::StateLine::kNoJson:
        context_.log.warning("Received state is invalid, incremental state has not been updated");
        return;
    }
  }

  // From the saver's thread.
  void note_save(const state::RunSave& save) {
    for (const std::string& warning : save.warnings) context_.log.warning(warning);
    try {
      record_->note_state(save.state, save.flags);
    } catch (const Error& error) {
      context_.log.warning(fmt::format("the record of the run: {}", error.message()));
    }
    context_.log.info(fmt::format("Incremental state has been updated at {}.",
                                  meltano_time(context_.clock.now())));
  }

  // From the saver's thread.
  void give_up(const Error& error) {
    const std::lock_guard lock(mutex_);
    save_error_ = error;
    context_.control.stop(Stop::kDrain);
  }

  // From a thread of its own. A database that does not answer now may do so the next time.
  void beat() {
    try {
      record_->beat();
    } catch (const Error& error) {
      context_.log.debug(fmt::format("no heartbeat: {}", error.message()));
    }
  }

  std::optional<Failure> end_of(const state::RunStateEnd& end) {
    if (const auto* kept = std::get_if<state::Kept>(&end)) {
      Error error = kept->error;
      error.add_context(
          fmt::format("the state is not saved, but kept in {}; `tidemark state "
                      "recover` saves it",
                      kept->file.native()));
      return Failure{"Failed to persist state to the configured state backend", error};
    }
    if (const auto* taken = std::get_if<state::TakenOver>(&end)) {
      const state::Author& author = taken->taker.record.author;
      const std::string message = fmt::format("{} was taken over by {} ({})", taken->taker.id,
                                              author.who, author.operation);
      return Failure{message, Error(ErrorCode::kLocked, message)};
    }
    return std::nullopt;
  }

  void settle(const std::optional<Failure>& failure) {
    try {
      if (failure) {
        record_->fail(failure->reason);
      } else {
        record_->succeed();
      }
    } catch (const Error& error) {
      if (!failure) throw;
      context_.log.warning(fmt::format("the record of the run: {}", error.message()));
    }
    if (failure) throw Error(failure->error);
  }

  const RunContext& context_;
  const RunDirectory& directory_;
  const project::BlockSet& set_;
  const RecordedRunOptions& options_;
  const StateAccess& access_;
  std::unique_ptr<state::RunRecord> record_;
  std::mutex mutex_;
  std::optional<Error> save_error_;
};

}  // namespace

void run_recorded(const RunContext& context, const RunDirectory& directory,
                  const project::BlockSet& set, const RecordedRunOptions& options,
                  const StateAccess& access) {
  RecordedRun(context, directory, set, options, access).run();
}

}  // namespace tidemark::runner
