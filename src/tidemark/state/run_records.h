#pragma once

#include <string>
#include <string_view>

#include "tidemark/json/value.h"
#include "tidemark/state/context.h"
#include "tidemark/state/system_database.h"

namespace tidemark::state {

// Which half of a document a payload goes to: the column `payload_flags`.
enum class PayloadFlags { kNone = 0, kState = 1, kIncompleteState = 2 };

// Meltano's table `runs`, where it records what each run and each edit did, whichever state backend
// there is. Thread-safe; throws what the database throws.
class RunRecords {
 public:
  // The database is borrowed. trigger is $MELTANO_JOB_TRIGGER, else `cli`.
  RunRecords(SystemDatabase& database, std::string trigger, const Context& context);

  // Records that `state set`, `edit`, `merge`, `copy` or `move` gave an ID this payload. False when
  // there is no system database: none is made for that.
  bool insert_state_edit(std::string_view id, const json::Value& payload, PayloadFlags flags);

 private:
  SystemDatabase& database_;
  std::string trigger_;
  Context context_;
};

}  // namespace tidemark::state
