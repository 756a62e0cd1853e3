#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/state/document.h"

namespace tidemark::state {

// Names what was read of one state ID. Opaque: a save compares it with what is stored.
struct Revision {
  std::string text;

  bool operator==(const Revision&) const = default;
};

struct StoredState {
  Document document;
  Revision revision;
};

// What is stored, as it is.
struct RawState {
  std::string text;
  Revision revision;
};

// Of the error about a document that cannot be read.
inline constexpr std::string_view kHowToRepair =
    "'tidemark state set --force' and 'tidemark state clear' replace it, and keep what it was";

// Where the state documents of a project are kept: Meltano's `state_backend.uri`. Thread-safe.
//
// Every call throws Error with the store, the operation and the state ID; kInvalid for an ID that
// would leave the store's root or names what is ours. After kUnavailable or kTimeout of a write
// nobody knows whether it took effect: load again and compare.
class StateStore {
 public:
  virtual ~StateStore() = default;

  // Nothing when there is no document of this ID. Reading makes nothing: no directory, no table.
  // Error kCorrupt, with kHowToRepair, for one that is no document.
  virtual std::optional<StoredState> load(std::string_view id) = 0;
  // The same without reading what it says.
  virtual std::optional<RawState> load_raw(std::string_view id) = 0;
  // Compare and swap: without `expected` there must be no document yet. The new revision, or
  // nothing when somebody else was first. Durable when it returns.
  virtual std::optional<Revision> save(std::string_view id, const Document& document,
                                       const std::optional<Revision>& expected) = 0;
  // Whether the stored document was the expected one; a missing one is removed already.
  virtual bool remove(std::string_view id, const Revision& expected) = 0;
  // The IDs in byte order that match the pattern by the rule of Meltano's store of this kind; an
  // empty pattern is all. Costs no request an ID.
  virtual void list(std::string_view pattern,
                    const std::function<void(std::string_view id)>& visit) = 0;
  // The same states by the IDs that load() takes: of an ID with a `/` Meltano's stores of objects
  // show the last part. Without a pattern it leaves out none, as Meltano's file store does.
  virtual void list_whole(std::string_view pattern,
                          const std::function<void(std::string_view id)>& visit) = 0;

  // `s3://bucket/prefix`, `postgresql://host/db`; never a credential.
  virtual std::string describe() const = 0;
  // Meltano's name of this kind of store: `AWS S3`, `Database`.
  virtual std::string_view label() const = 0;
};

// A rare ability of a StateStore: to keep every other writer out of a save, Meltano included, which
// writes back what it read without looking again.
class ExclusiveSaving {
 public:
  virtual ~ExclusiveSaving() = default;

  // As StateStore::save(). Error kLocked when others kept the store busy for 2 s: nothing was
  // written.
  virtual std::optional<Revision> save_exclusively(std::string_view id, const Document& document,
                                                   const std::optional<Revision>& expected) = 0;
};

}  // namespace tidemark::state
