#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tidemark/blob/memory.h"
#include "tidemark/blob/test_stores.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/state/blob_state_store.h"
#include "tidemark/state/service.h"
#include "tidemark/state/testing.h"

namespace tidemark::state {

inline json::Value state(std::string_view bookmarks) {
  return json::read(R"({"singer_state": {"bookmarks": )" + std::string(bookmarks) + "}}");
}

// A service over a store in memory, with calls that can fail or let others write.
class StateServiceTest : public testing::Test {
 protected:
  StateServiceTest() { open(); }

  void open() {
    backend_.objects =
        std::make_unique<blob::FaultyStore>(*objects_, [this](const blob::Call& call) {
          calls_.push_back(std::string(call.operation) + " " + std::string(call.key));
          return on_call_ ? on_call_(call) : blob::Fault::kNone;
        });
    backend_.states = make_blob_state_store(*backend_.objects, BlobStateKind::kS3, world_.context);
    backend_.has_lock_objects = true;
    backend_.lock_timeout = std::chrono::seconds(10);
    backend_.settle_time = std::chrono::seconds(1);
  }

  // Meltano writes, without looking.
  void write_foreign(std::string_view id, std::string_view document) {
    objects_->put(state_key(id), document, blob::Always());
  }
  std::string stored(std::string_view id) {
    const auto blob = objects_->get(state_key(id));
    return blob ? blob->bytes : "nothing";
  }
  std::string effective(std::string_view id) {
    return json::write(effective_state(read_document(stored(id))));
  }
  // Before the first call like this one.
  void before(std::string_view operation, std::string_view key, const std::function<void()>& act) {
    on_call_ = [=, is_done = false](const blob::Call& call) mutable {
      if (!is_done && call.operation == operation && call.key == key) {
        is_done = true;
        act();
      }
      return blob::Fault::kNone;
    };
  }
  static testing::AssertionResult is_saved(const WriteResult& result) {
    if (std::holds_alternative<Saved>(result)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "alternative " << result.index();
  }

  TestWorld world_;
  std::unique_ptr<blob::BlobStore> objects_ = blob::make_memory_store(world_.clock);
  std::function<blob::Fault(const blob::Call& call)> on_call_;
  std::vector<std::string> calls_;
  Backend backend_;
  Author author_{.who = "me@host", .operation = "state set", .run_id = ""};
  StateService service_{backend_, author_, world_.context};
};

}  // namespace tidemark::state
