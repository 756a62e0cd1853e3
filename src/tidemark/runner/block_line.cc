#include "tidemark/runner/block_line.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/error.h"
#include "tidemark/project/plugin_installation.h"
#include "tidemark/runner/command_run.h"
#include "tidemark/state/document.h"
#include "tidemark/state/unsaved.h"

namespace tidemark::runner {
namespace {

using project::Block;
using project::BlockSet;
using project::CommandBlock;
using project::PipelineBlock;
using Steady = std::chrono::steady_clock;

double seconds_since(Steady::time_point start) {
  return std::chrono::duration<double>(Steady::now() - start).count();
}

std::string_view block_type(const Block& block) {
  if (std::holds_alternative<BlockSet>(block)) return "ExtractLoadBlocks";
  return std::holds_alternative<CommandBlock>(block) ? "InvokerCommand" : "Pipeline";
}

std::string comprised_of(const Block& block) {
  if (const auto* command = std::get_if<CommandBlock>(&block)) return command->plugin.name();
  if (const auto* pipeline = std::get_if<PipelineBlock>(&block)) return pipeline->name;
  std::string text;
  for (const std::string& name : std::get<BlockSet>(block).names()) {
    text += (text.empty() ? "" : "-") + name;
  }
  return text;
}

// The leases of a line's sets, renewed until the line has ended.
class HeldLeases {
 public:
  HeldLeases(const std::vector<std::string>& ids, const state::Author& author,
             const LineStores& stores, RunControl& control)
      : lease_(acquire(ids, author, stores)),
        keeper_(*lease_, state::kLeaseRenewal, [this, &control] {
          // Whoever took a lease over must not meet a target that still loads; a store that does
          // not answer is no reason to lose what is on its way.
          control.stop(lease_->is_lost() ? Stop::kKill : Stop::kDrain);
        }) {}

  state::Lease& lease() { return *lease_; }

 private:
  static std::unique_ptr<state::Lease> acquire(const std::vector<std::string>& ids,
                                               const state::Author& author,
                                               const LineStores& stores) {
    auto result = state::Lease::acquire(*stores.backend.objects, {.ids = ids, .author = author},
                                        stores.context);
    if (auto* lease = std::get_if<std::unique_ptr<state::Lease>>(&result)) {
      return std::move(*lease);
    }
    const auto& held = std::get<state::HeldLease>(result);
    throw Error(ErrorCode::kLocked,
                fmt::format("{0} is under way: {1}; 'tidemark state unlock {0}' takes it from a "
                            "holder that is gone",
                            held.id, state::describe(held)));
  }

  std::unique_ptr<state::Lease> lease_;
  state::LeaseKeeper keeper_;
};

// One line.
class Line {
 public:
  Line(const RunContext& context, const std::vector<Block>& blocks, const LineOptions& options,
       const LineStores& stores, const std::function<void(const PipelineBlock&)>& run_pipeline)
      : context_(context),
        blocks_(blocks),
        options_(options),
        stores_(stores),
        run_pipeline_(run_pipeline) {}

  std::optional<Error> run() {
    std::vector<std::string> names;
    names.reserve(blocks_.size());
    for (const Block& block : blocks_) names.push_back(comprised_of(block));
    author_ = {.who = stores_.who,
               .operation = fmt::format("run {}", fmt::join(names, " ")),
               .run_id = options_.run_id};
    const std::vector<std::string> ids = state_ids();
    if (options_.updates_state && !ids.empty()) {
      leases_ = std::make_unique<HeldLeases>(ids, author_, stores_, context_.control);
    }
    if (options_.requires_state) check_states();
    std::optional<Error> failure;
    for (size_t i = 0; i < blocks_.size() && !failure; ++i) failure = run_block(i);
    return failure;
  }

 private:
  std::string id_of(const BlockSet& set) const {
    if (options_.state_id) return *options_.state_id;
    return project::state_id(
        context_.project, set,
        options_.suffix ? *options_.suffix : project::environment_suffix(context_.project));
  }

  // Error kNotFound for a set whose tap would load everything.
  void check_states() const {
    for (const Block& block : blocks_) {
      const auto* set = std::get_if<BlockSet>(&block);
      if (set == nullptr) continue;
      const std::string id = id_of(*set);
      if (!project::has_capability(set->tap, "state")) {
        throw Error(ErrorCode::kNotFound,
                    fmt::format("{} takes no state (its capabilities lack `state`), and "
                                "--require-state forbids to load everything",
                                set->tap.name()));
      }
      if (!stored_state(*stores_.backend.states, id)) {
        throw Error(ErrorCode::kNotFound,
                    fmt::format("no state is stored under {0}, and --require-state forbids to load "
                                "everything; `tidemark state set {0}` says where to start",
                                id));
      }
    }
  }

  std::vector<std::string> state_ids() const {
    std::vector<std::string> ids;
    for (const Block& block : blocks_) {
      if (const auto* set = std::get_if<BlockSet>(&block)) ids.push_back(id_of(*set));
    }
    std::ranges::sort(ids);
    const auto repeated = std::ranges::unique(ids);
    ids.erase(repeated.begin(), repeated.end());
    return ids;
  }

  std::optional<Error> run_block(size_t index) {
    const Block& block = blocks_[index];
    const Steady::time_point start = Steady::now();
    json::Object fields{{"set_number", static_cast<int64_t>(index)},
                        {"block_type", block_type(block)}};
    const bool has_log_file = options_.updates_state && std::holds_alternative<BlockSet>(block);
    if (has_log_file) {
      context_.log.open_file(stores_.log_directory / "elt" /
                             log_directory_name(id_of(std::get<BlockSet>(block))) /
                             options_.run_id / "elt.log");
    }
    std::optional<Error> failure;
    try {
      context_.control.throw_if_stopped();
      run(block);
    } catch (const Error& error) {
      failure = error;
      context_.log.error(error.message());
    }
    log_end(!failure, start, std::move(fields));
    return failure;
  }

  void log_end(bool is_success, Steady::time_point start, json::Object fields) {
    fields.set("success", is_success);
    fields.set("duration_seconds", seconds_since(start));
    if (is_success) {
      context_.log.info("Block run completed", std::move(fields));
    } else {
      context_.log.error("Block run completed", std::move(fields));
    }
    context_.log.close_file();
  }

  void run(const Block& block) {
    if (const auto* pipeline = std::get_if<PipelineBlock>(&block)) {
      run_pipeline_(*pipeline);
      return;
    }
    const auto directory =
        RunDirectory::make(context_.project.system_directory(), context_.clock, context_.random);
    if (const auto* command = std::get_if<CommandBlock>(&block)) {
      run_command(context_, *directory, *command);
      return;
    }
    const auto& set = std::get<BlockSet>(block);
    if (options_.updates_state) {
      run_with_state(*directory, set);
    } else {
      run_without_state(*directory, set);
    }
  }

  void run_with_state(const RunDirectory& directory, const BlockSet& set) {
    run_recorded(
        context_, directory, set,
        {.state_id = id_of(set),
         .run_id = options_.run_id,
         .strategy = options_.strategy,
         .is_forced = options_.is_forced,
         .set = options_.set},
        {.backend = stores_.backend,
         .lease = leases_->lease(),
         .records = stores_.records,
         .context = stores_.context,
         .author = author_,
         .unsaved_directory = state::unsaved_directory(context_.project.system_directory())});
  }

  // What is stored is where the tap starts; nothing is written, so nobody is kept out.
  void run_without_state(const RunDirectory& directory, const BlockSet& set) {
    context_.log.info("The state is read and not updated (--no-state-update)");
    const auto start = stored_state(*stores_.backend.states, id_of(set));
    const auto failure = run_plugins(context_, directory, set, start, options_.set,
                                     {.started = {}, .output_line = [](std::string_view) {}});
    context_.control.throw_if_stopped();
    if (failure) {
      throw Error(ErrorCode::kInvalid, fmt::format("{}: {}", failure->reason, failure->detail));
    }
  }

  const RunContext& context_;
  const std::vector<Block>& blocks_;
  const LineOptions& options_;
  const LineStores& stores_;
  const std::function<void(const PipelineBlock&)>& run_pipeline_;
  state::Author author_;
  std::unique_ptr<HeldLeases> leases_;
};

}  // namespace

std::optional<Error> run_line(const RunContext& context, const std::vector<Block>& blocks,
                              const LineOptions& options, const LineStores& stores,
                              const std::function<void(const PipelineBlock&)>& run_pipeline) {
  const Steady::time_point start = Steady::now();
  std::optional<Error> failure = Line(context, blocks, options, stores, run_pipeline).run();
  context.log.info("Run completed", {{"duration_seconds", seconds_since(start)},
                                     {"status", failure ? "failure" : "success"}});
  return failure;
}

std::optional<json::Value> stored_state(state::StateStore& states, std::string_view id) {
  const std::optional<state::StoredState> stored = states.load(id);
  if (!stored) return std::nullopt;
  const json::Value effective = state::effective_state(stored->document);
  const json::Value* state = effective.find("singer_state");
  if (state == nullptr || state::is_empty_state(*state)) return std::nullopt;
  return *state;
}

void describe_line(Log& log, const std::vector<Block>& blocks) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    log.info(fmt::format("Dry run, but would have run block {}/{}.", i + 1, blocks.size()),
             {{"block_type", block_type(blocks[i])}, {"comprised_of", comprised_of(blocks[i])}});
  }
}

}  // namespace tidemark::runner
