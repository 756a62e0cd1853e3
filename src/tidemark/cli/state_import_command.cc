#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/state_commands.h"
#include "tidemark/cli/state_input.h"
#include "tidemark/cli/state_outcome.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

using Documents = std::vector<std::pair<std::string, state::Document>>;

// The whole file is looked at before anything is written.
Documents read_documents(const json::Object& input) {
  Documents documents;
  for (const auto& [id, document] : input) {
    try {
      documents.emplace_back(id, state::read_exported(document));
    } catch (Error& error) {
      error.add_context(fmt::format("state {} of the input", id));
      throw;
    }
  }
  return documents;
}

}  // namespace

ExitCode run_verb(const Console& console, StateSession& session, const StateImportArguments& verb) {
  const json::Value input = parse_json(read_input(console, verb.file));
  if (!input.is_object()) {
    console.error(fmt::format("INPUT_FILE: a JSON object of states is expected, this is: {}",
                              json::kind_name(input)));
    return kUsage;
  }
  const Documents documents = read_documents(input.as_object());
  json::Array imported;
  std::optional<Error> first;
  for (const auto& [id, document] : documents) {
    try {
      const auto result = session.service().import(id, document, {.is_forced = verb.is_forced});
      expect_saved(console, result);
      imported.emplace_back(id);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kLocked && error.code() != ErrorCode::kConflict) throw;
      console.error(error.message());
      if (!first) first = error;
    }
  }
  const size_t count = imported.size();
  if (console.is_json()) {
    console.result(json::write(json::Object{{"imported", std::move(imported)}}));
  }
  if (first) {
    throw Error(first->code(),
                fmt::format("{} of {} states were imported", count, documents.size()));
  }
  console.note(fmt::format("Successfully imported {} state(s).", count));
  return kDone;
}

}  // namespace tidemark::cli
