#include <fmt/format.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/state_commands.h"
#include "tidemark/cli/state_input.h"
#include "tidemark/cli/state_outcome.h"
#include "tidemark/json/write.h"

namespace tidemark::cli {
namespace {

// The whole file is looked at before anything is written.
void check_documents(const json::Object& documents) {
  for (const auto& [id, document] : documents) {
    if (!document.is_object()) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("state {} of the input: an object with 'completed' and 'partial' is "
                              "expected, this is: {}",
                              id, json::kind_name(document)));
    }
  }
}

}  // namespace

ExitCode run_verb(const Console& console, StateSession& session, const StateImportArguments& verb) {
  const json::Value input = parse_json(read_input(console, verb.file));
  if (!input.is_object()) {
    console.error(fmt::format("INPUT_FILE: a JSON object of states is expected, this is: {}",
                              json::kind_name(input)));
    return kUsage;
  }
  const json::Object& documents = input.as_object();
  check_documents(documents);
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
