#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/state/context.h"
#include "tidemark/state/state_store.h"
#include "tidemark/state/system_database.h"

namespace tidemark::state {

// The documents in the table `state` of Meltano's system database, each half in a column of its
// own. Keys of a document beside the two halves have no place there and are left out. A revision is
// the text of both columns: a save compares them inside its one statement, so it depends on nothing
// that others forget to write.
//
// A pattern is Meltano's: SQL LIKE after each `*` became `%`; without regard to the case of ASCII
// letters on SQLite, and with `\` as escape on PostgreSQL.
class DatabaseStateStore final : public StateStore, public ExclusiveSaving {
 public:
  // Both are borrowed.
  DatabaseStateStore(SystemDatabase& database, Clock& clock);

  std::optional<StoredState> load(std::string_view id) override;
  std::optional<RawState> load_raw(std::string_view id) override;
  std::optional<Revision> save(std::string_view id, const Document& document,
                               const std::optional<Revision>& expected) override;
  bool remove(std::string_view id, const Revision& expected) override;
  void list(std::string_view pattern,
            const std::function<void(std::string_view id)>& visit) override;
  void list_whole(std::string_view pattern,
                  const std::function<void(std::string_view id)>& visit) override;
  std::string describe() const override { return database_.describe(); }
  std::string_view label() const override { return "Database"; }

  // On PostgreSQL; on SQLite nothing can do it: Error kUnsupported.
  bool can_save_exclusively() const;
  std::optional<Revision> save_exclusively(std::string_view id, const Document& document,
                                           const std::optional<Revision>& expected) override;

 private:
  // preparation: what the transaction runs first.
  std::optional<Revision> compare_and_swap(std::string_view id, const Document& document,
                                           const std::optional<Revision>& expected,
                                           std::string_view preparation);

  SystemDatabase& database_;
  Clock& clock_;
};

}  // namespace tidemark::state
