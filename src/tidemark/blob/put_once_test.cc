#include "tidemark/blob/put_once.h"

#include <gtest/gtest.h>

#include "tidemark/blob/memory.h"
#include "tidemark/blob/test_stores.h"

namespace tidemark::blob {
namespace {

class PutOnce : public testing::Test {
 protected:
  std::optional<Version> put(std::string_view bytes, const Condition& condition) {
    return put_once(store_, "k", bytes, condition);
  }

  SystemClock clock_;
  std::unique_ptr<BlobStore> objects_ = make_memory_store(clock_);
  Fault fault_ = Fault::kNone;
  std::function<void()> meanwhile_ = [] {};
  FaultyStore store_{*objects_, [this](const Call& call) {
                       if (call.operation != "put") return Fault::kNone;
                       meanwhile_();
                       return fault_;
                     }};
};

TEST_F(PutOnce, FindsAWriteWhoseAnswerGotLost) {
  for (const Fault fault : {Fault::kAnswerLost, Fault::kAnswerLate}) {
    fault_ = fault;
    const auto before = objects_->get("k");
    const Condition condition =
        before ? Condition(IfMatch{before->version}) : Condition(IfAbsent());
    const auto version = put(before ? "second" : "first", condition);
    ASSERT_TRUE(version);
    EXPECT_EQ(*version, objects_->get("k")->version);
  }
}

TEST_F(PutOnce, ThrowsWhenTheStoreDidNotTakeIt) {
  fault_ = Fault::kRefused;
  EXPECT_THROW(put("mine", IfAbsent()), Error);
  const auto version = objects_->put("k", "theirs", Always());
  EXPECT_THROW(put("mine", IfMatch{*version}), Error);
  EXPECT_EQ(objects_->get("k")->bytes, "theirs");
}

TEST_F(PutOnce, SaysThatAnotherWasFaster) {
  for (const Fault fault : {Fault::kNone, Fault::kRefused, Fault::kNoAnswer}) {
    fault_ = fault;
    meanwhile_ = [this] { objects_->put("k", "theirs", Always()); };
    EXPECT_EQ(put("mine", IfAbsent()), std::nullopt);
  }
}

TEST_F(PutOnce, DoesNotHideAnotherFailure) {
  fault_ = Fault::kForbidden;
  EXPECT_THROW(put("mine", IfAbsent()), Error);
}

}  // namespace
}  // namespace tidemark::blob
