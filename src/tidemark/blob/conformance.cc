#include "tidemark/blob/conformance.h"

#include <latch>
#include <optional>
#include <thread>

#include "tidemark/base/error.h"
#include "tidemark/blob/conformance_parts.h"

namespace tidemark::blob {

void PrintTo(const Check& check, std::ostream* out) { *out << check.name; }

std::vector<Check> conformance_checks() {
  std::vector<Check> checks;
  for (const auto& part : {object_checks(), race_checks(), listing_checks(), key_checks()}) {
    checks.insert(checks.end(), part.begin(), part.end());
  }
  return checks;
}

std::string name_of_check(const testing::TestParamInfo<Check>& info) { return info.param.name; }

std::string bytes_of(BlobStore& store, std::string_view key) {
  const std::optional<Blob> blob = store.get(key);
  return blob ? blob->bytes : "(nothing)";
}

std::vector<std::string> keys_of(BlobStore& store, const Listing& listing) {
  std::vector<std::string> keys;
  store.list(listing, [&](std::string_view key) { keys.emplace_back(key); });
  return keys;
}

void at_once(int count, const std::function<void(int number)>& work) {
  std::latch start(count);
  std::vector<std::jthread> threads;
  threads.reserve(count);
  for (int number = 0; number < count; ++number) {
    threads.emplace_back([&, number] {
      start.arrive_and_wait();
      try {
        work(number);
      } catch (const Error& error) {
        ADD_FAILURE() << error.message();
      }
    });
  }
}

void expect_refused(const std::function<void()>& call, std::string_view what) {
  try {
    call();
    ADD_FAILURE() << what << " is not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid) << error.message();
  }
}

}  // namespace tidemark::blob
