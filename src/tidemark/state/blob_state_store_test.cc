#include "tidemark/state/blob_state_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/blob/memory.h"
#include "tidemark/state/golden_cases.h"
#include "tidemark/state/state_store_conformance.h"
#include "tidemark/state/testing.h"

namespace tidemark::state {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class BlobStateStoreTest : public testing::Test {
 protected:
  std::unique_ptr<StateStore> make(BlobStateKind kind) {
    return make_blob_state_store(*objects_, kind, world_.context);
  }

  std::vector<std::string> list(BlobStateKind kind, std::string_view pattern) {
    std::vector<std::string> ids;
    make(kind)->list(pattern, [&](std::string_view id) { ids.emplace_back(id); });
    return ids;
  }

  TestWorld world_;
  std::unique_ptr<blob::BlobStore> objects_ = blob::make_memory_store(world_.clock);
};

TEST_F(BlobStateStoreTest, Conforms) {
  for (const BlobStateKind kind : {BlobStateKind::kFile, BlobStateKind::kS3}) {
    EXPECT_THAT(state_store_faults(*make(kind), {.lists_whole_ids = false}), IsEmpty());
  }
}

TEST_F(BlobStateStoreTest, HasMeltanosLayoutAndBytes) {
  const auto store = make(BlobStateKind::kS3);
  store->save("dev:a", {.completed = json::read(R"({"singer_state":{"k":"\u00e9"}})")}, {});
  EXPECT_EQ(objects_->get("dev:a/state.json")->bytes,
            R"({"completed": {"singer_state": {"k": "\u00e9"}}, "partial": {}})");
}

TEST_F(BlobStateStoreTest, ListsWhatMeltanoLists) {
  const json::Value golden = read_golden("state_list.json");
  for (const json::Value& id : golden.find("ids")->as_array()) {
    objects_->put(state_key(id.as_string()), "{}", blob::Always());
  }
  objects_->put("state.json", "{}", blob::Always());
  objects_->put("a/lock", "1", blob::Always());
  objects_->put(".tidemark/a/state.json", "{}", blob::Always());
  for (const json::Value& vector : golden.find("cases")->as_array()) {
    const json::Value& pattern = *vector.find("pattern");
    const std::string text = pattern.is_null() ? std::string() : pattern.as_string();
    for (const auto& [key, kind] :
         {std::pair("file", BlobStateKind::kFile), std::pair("cloud", BlobStateKind::kS3)}) {
      json::Array ids;
      for (const std::string& id : list(kind, text)) ids.emplace_back(id);
      EXPECT_EQ(ids, vector.find(key)->as_array()) << key << " " << text;
    }
  }
}

TEST_F(BlobStateStoreTest, RefusesIdsThatLeaveTheRootOrAreOurs) {
  const auto store = make(BlobStateKind::kFile);
  for (const std::string id : {"", "/etc", "..", "../x", "a/../b", "a/..", ".", "a/./b", "a//b",
                               "a/", ".tidemark", ".tidemark/x"}) {
    try {
      store->load(id);
      ADD_FAILURE() << id;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalid) << id;
    }
    EXPECT_THROW(store->save(id, {}, {}), Error) << id;
    EXPECT_THROW(store->remove(id, {}), Error) << id;
  }
  for (const char* id : {"...", "..a", ".tidemarks", "a/.tidemark", "n/e"}) {
    EXPECT_TRUE(store->save(id, {}, {}).has_value()) << id;
  }
}

// Meltano truncates the file, then writes it.
TEST_F(BlobStateStoreTest, ReadsATornFileAgainUntilItIsWhole) {
  objects_->put("a/state.json", R"({"completed": {"singer)", blob::Always());
  world_.sleeper.meanwhile = [&] {
    if (world_.sleeper.slept < std::chrono::seconds(1)) return;
    objects_->put("a/state.json", R"({"completed": {"x": 1}})", blob::Always());
  };
  EXPECT_EQ(make(BlobStateKind::kFile)->load("a")->document.completed.find("x")->as_int64(), 1);
}

TEST_F(BlobStateStoreTest, AFileThatStaysTornIsCorrupt) {
  objects_->put("a/state.json", "", blob::Always());
  try {
    make(BlobStateKind::kFile)->load("a");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    EXPECT_THAT(error.message(), HasSubstr("state a in memory:"));
  }
  EXPECT_GE(world_.sleeper.slept, std::chrono::seconds(2));
  EXPECT_LE(world_.sleeper.slept, std::chrono::milliseconds(2100));
  world_.sleeper.slept = {};
  EXPECT_THROW(make(BlobStateKind::kS3)->load("a"), Error);
  EXPECT_EQ(world_.sleeper.slept.count(), 0) << "an object is never torn";
}

// Stores that break one promise each.
class BrokenStore : public StateStore {
 public:
  explicit BrokenStore(StateStore& store) : store_(store) {}

  std::optional<StoredState> load(std::string_view id) override { return store_.load(id); }
  std::optional<RawState> load_raw(std::string_view id) override { return store_.load_raw(id); }
  std::optional<Revision> save(std::string_view id, const Document& document,
                               const std::optional<Revision>& expected) override {
    return store_.save(id, document, expected);
  }
  bool remove(std::string_view id, const Revision& expected) override {
    return store_.remove(id, expected);
  }
  void list(std::string_view pattern,
            const std::function<void(std::string_view id)>& visit) override {
    store_.list(pattern, visit);
  }
  void list_whole(std::string_view pattern,
                  const std::function<void(std::string_view id)>& visit) override {
    store_.list_whole(pattern, visit);
  }
  std::string describe() const override { return store_.describe(); }
  std::string_view label() const override { return store_.label(); }

 protected:
  StateStore& store_;
};

class BlindStore final : public BrokenStore {
 public:
  using BrokenStore::BrokenStore;
  std::optional<Revision> save(std::string_view id, const Document& document,
                               const std::optional<Revision>&) override {
    const auto stored = store_.load(id);
    return store_.save(id, document, stored ? std::optional(stored->revision) : std::nullopt);
  }
};

class HalfStore final : public BrokenStore {
 public:
  using BrokenStore::BrokenStore;
  std::optional<StoredState> load(std::string_view id) override {
    auto stored = store_.load(id);
    if (stored) stored->document.partial = json::Object{};
    return stored;
  }
};

class BackwardStore final : public BrokenStore {
 public:
  using BrokenStore::BrokenStore;
  void list(std::string_view pattern,
            const std::function<void(std::string_view id)>& visit) override {
    std::vector<std::string> ids;
    store_.list(pattern, [&](std::string_view id) { ids.insert(ids.begin(), std::string(id)); });
    for (const std::string& id : ids) visit(id);
  }
};

class ForgetfulStore final : public BrokenStore {
 public:
  using BrokenStore::BrokenStore;
  void list_whole(std::string_view pattern,
                  const std::function<void(std::string_view id)>& visit) override {
    store_.list(pattern, visit);
  }
};

class CarelessRemovalStore final : public BrokenStore {
 public:
  using BrokenStore::BrokenStore;
  bool remove(std::string_view id, const Revision&) override {
    const auto stored = store_.load(id);
    return !stored || store_.remove(id, stored->revision);
  }
};

TEST_F(BlobStateStoreTest, TheSuiteFindsStoresThatBreakAPromise) {
  const auto store = make(BlobStateKind::kS3);
  const StateStorePromises promises{.lists_whole_ids = false};
  BlindStore blind(*store);
  EXPECT_THAT(state_store_faults(blind, promises),
              Contains("a save with an old revision is refused"));
  HalfStore half(*store);
  EXPECT_THAT(state_store_faults(half, promises),
              Contains("number text, key order and characters survive"));
  BackwardStore backward(*store);
  EXPECT_THAT(state_store_faults(backward, promises),
              Contains("a list has every ID, in byte order"));
  ForgetfulStore forgetful(*store);
  EXPECT_THAT(state_store_faults(forgetful, promises), Contains("a whole list has every ID whole"));
  CarelessRemovalStore careless(*store);
  EXPECT_THAT(state_store_faults(careless, promises),
              Contains("a removal with an old revision is refused"));
}

}  // namespace
}  // namespace tidemark::state
