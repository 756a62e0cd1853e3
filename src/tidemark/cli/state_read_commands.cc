#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/state_commands.h"
#include "tidemark/cli/state_id.h"
#include "tidemark/cli/state_outcome.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

// Results in blocks: one write a line would cost a system call each.
class BlockOutput {
 public:
  explicit BlockOutput(const Console& console) : console_(console) {}

  void add(std::string_view text) {
    block_ += text;
    if (block_.size() >= kBlockSize) flush();
  }
  void flush() {
    console_.result_part(block_);
    block_.clear();
  }

 private:
  static constexpr size_t kBlockSize = 1 << 16;

  const Console& console_;
  std::string block_;
};

std::string state_json(const state::StateDetails& details, std::string_view id) {
  json::Object object{{"state_id", id},
                      {"completed", details.state.document.completed},
                      {"partial", details.state.document.partial},
                      {"hash", state::document_hash(details.state.document)}};
  if (details.written) {
    object.set("written", json::Object{{"revision", details.written->sequence},
                                       {"time", time_text(details.written->time)},
                                       {"who", details.written->author.who},
                                       {"operation", details.written->author.operation},
                                       {"run_id", details.written->author.run_id}});
  }
  if (details.lease) {
    object.set("held_by", holder_text(*details.lease));
  }
  return json::write_pretty(object);
}

std::string written_text(const std::optional<state::HistoryEntry>& written) {
  if (!written) {
    return "unknown: nobody recorded it";
  }
  return fmt::format("{} by {} (revision {}, hash {:.8})", time_text(written->time),
                     author_text(*written), written->sequence, written->hash);
}

}  // namespace

ExitCode run_verb(const Console& console, StateSession& session, const StateListArguments& verb) {
  BlockOutput out(console);
  bool is_first = true;
  session.states().list(verb.pattern, [&](std::string_view id) {
    if (console.is_json()) {
      out.add(fmt::format("{}{}", is_first ? "[" : ",\n ", json::write(json::Value(id))));
    } else {
      out.add(fmt::format("{}\n", id));
    }
    is_first = false;
  });
  if (console.is_json()) {
    out.add(is_first ? "[]\n" : "]\n");
  }
  out.flush();
  if (is_first) {
    console.note("No state IDs found.");
  }
  return kDone;
}

ExitCode run_verb(const Console& console, StateSession& session, const StateGetArguments& verb) {
  session.warn_of_environment(verb.id);
  const auto stored = session.states().load(verb.id);
  const json::Value state =
      stored ? state::effective_state(stored->document) : json::Value(json::Object{});
  console.result(verb.format == "pretty" ? json::write_python_pretty(state)
                                         : json::write_python_compact(state));
  return kDone;
}

ExitCode run_verb(const Console& console, StateSession& session, const StateExportArguments& verb) {
  std::vector<std::string> ids;
  session.states().list_whole(verb.pattern, [&](std::string_view id) { ids.emplace_back(id); });
  BlockOutput out(console);
  std::vector<std::string> faulty;
  std::string_view separator = "{";
  for (const std::string& id : ids) {
    try {
      const auto stored = session.states().load(id);
      if (!stored) continue;  // gone since it was listed
      out.add(fmt::format(
          "{}{}:{}", separator, json::write_python(json::Value(id)),
          json::write_python_compact(json::Object{{"completed", stored->document.completed},
                                                  {"partial", stored->document.partial}})));
      separator = ",";
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kCorrupt) throw;
      console.error(error.message());
      faulty.push_back(id);
    }
  }
  out.add(separator == "{" ? "{}\n" : "}\n");
  out.flush();
  if (!faulty.empty()) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{} of {} states cannot be read and are left out; all others are there",
                            faulty.size(), ids.size()));
  }
  return kDone;
}

ExitCode run_verb(const Console& console, StateSession& session, const StateShowArguments& verb) {
  session.warn_of_environment(verb.id);
  const auto details = session.service().show(verb.id);
  if (!details) {
    throw Error(
        ErrorCode::kNotFound,
        fmt::format("there is no state {}; 'tidemark state list' shows what there is", verb.id));
  }
  if (console.is_json()) {
    console.result(state_json(*details, verb.id));
    return kDone;
  }
  const state::Document& document = details->state.document;
  std::string text =
      fmt::format("state ID:  {}\nwritten:   {}\n", verb.id, written_text(details->written));
  if (details->lease) {
    text += fmt::format("held by:   {}\n", holder_text(*details->lease));
  }
  text +=
      fmt::format("completed: {}\npartial:   {}\n", json::write_python_pretty(document.completed),
                  json::write_python_pretty(document.partial));
  console.result(text);
  return kDone;
}

}  // namespace tidemark::cli
