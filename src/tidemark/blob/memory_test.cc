#include "tidemark/blob/memory.h"

#include "tidemark/blob/conformance.h"

namespace tidemark::blob {
namespace {

class MemoryStore : public testing::TestWithParam<Check> {};

TEST_P(MemoryStore, Conforms) {
  SystemClock clock;
  std::shared_ptr<BlobStore> store = make_memory_store(clock);
  GetParam().run([&] { return store; });
}

INSTANTIATE_TEST_SUITE_P(Blob, MemoryStore, testing::ValuesIn(conformance_checks()), name_of_check);

TEST(MemoryStoreTime, IsThatOfItsClock) {
  ManualClock clock(Time(std::chrono::seconds(1'700'000'000)));
  const auto store = make_memory_store(clock);
  EXPECT_EQ(store->store_time(), clock.now());
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(store->store_time(), clock.now());
}

}  // namespace
}  // namespace tidemark::blob
