// The suite goes red on stores that are wrong in one way each.
#include "tidemark/blob/conformance.h"

#include <algorithm>
#include <set>
#include <thread>

#include <gtest/gtest-spi.h>

#include "tidemark/blob/memory.h"
#include "tidemark/blob/test_stores.h"

namespace tidemark::blob {
namespace {

using BreakStore = std::function<std::shared_ptr<BlobStore>(BlobStore& inner)>;

// Whether the check fails on a store that is right but for what break_store does to it.
bool is_red(const Check& check, const BreakStore& break_store) {
  SystemClock clock;
  const auto memory = make_memory_store(clock);
  DistantStore inner(*memory, std::chrono::microseconds(200));
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    check.run([&] { return break_store(inner); });
  }
  for (int at = 0; at < results.size(); ++at) {
    if (results.GetTestPartResult(at).failed()) return true;
  }
  return false;
}

void expect_red(const std::set<std::string>& names, const BreakStore& break_store) {
  size_t found = 0;
  for (const Check& check : conformance_checks()) {
    if (!names.contains(check.name)) continue;
    ++found;
    EXPECT_TRUE(is_red(check, break_store)) << check.name;
  }
  EXPECT_EQ(found, names.size());
}

template <typename Store>
void expect_red(const std::set<std::string>& names) {
  expect_red(names, [](BlobStore& inner) { return std::make_shared<Store>(inner); });
}

TEST(Conformance, IsGreenOnWhatForwardsToARightStore) {
  for (const Check& check : conformance_checks()) {
    EXPECT_FALSE(is_red(check, [](BlobStore& inner) {
      return std::make_shared<ForwardingStore>(inner);
    })) << check.name;
  }
}

class Unconditional : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::optional<Version> put(std::string_view key, std::string_view bytes,
                             const Condition& /*condition*/) override {
    return ForwardingStore::put(key, bytes, Always{});
  }
};

TEST(Conformance, SeesConditionsIgnored) {
  expect_red<Unconditional>({"CreatesOnlyWhatIsAbsent", "ReplacesOnlyTheExpectedVersion",
                             "MatchesNothingWhereNothingIs", "NeverReplacesByAVersionThatNeverWas",
                             "LetsOneOfManyCreate", "LetsOneOfManyReplace", "LosesNoUpdate"});
}

// Looks first and writes then, as Meltano takes its lock.
class ChecksThenActs : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::optional<Version> put(std::string_view key, std::string_view bytes,
                             const Condition& condition) override {
    if (std::holds_alternative<Always>(condition))
      return ForwardingStore::put(key, bytes, condition);
    const auto info = stat(key);
    const auto* match = std::get_if<IfMatch>(&condition);
    if (match == nullptr ? info.has_value() : !info || info->version != match->version) {
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return ForwardingStore::put(key, bytes, Always{});
  }
};

TEST(Conformance, SeesALookBeforeAWrite) {
  expect_red<ChecksThenActs>({"LetsOneOfManyCreate", "LetsOneOfManyReplace", "LosesNoUpdate"});
}

class WritesInTwoHalves : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::optional<Version> put(std::string_view key, std::string_view bytes,
                             const Condition& condition) override {
    if (std::holds_alternative<Always>(condition) && bytes.size() > 1) {
      ForwardingStore::put(key, bytes.substr(0, bytes.size() / 2), Always{});
    }
    return ForwardingStore::put(key, bytes, condition);
  }
};

TEST(Conformance, SeesHalfAWrite) { expect_red<WritesInTwoHalves>({"ShowsNoReaderHalfAWrite"}); }

class EndsAtNul : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::optional<Version> put(std::string_view key, std::string_view bytes,
                             const Condition& condition) override {
    return ForwardingStore::put(key, bytes.substr(0, bytes.find('\0')), condition);
  }
};

TEST(Conformance, SeesBytesLost) { expect_red<EndsAtNul>({"GivesBackWhatWasPut"}); }

class TreatsEmptyAsMissing : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::optional<Blob> get(std::string_view key) override {
    auto blob = ForwardingStore::get(key);
    return blob && blob->bytes.empty() ? std::nullopt : blob;
  }
};

TEST(Conformance, SeesEmptyObjectsDenied) {
  expect_red<TreatsEmptyAsMissing>({"KeepsEmptyObjects"});
}

class RemovesAlways : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  bool remove(std::string_view key, const Condition& /*condition*/) override {
    return ForwardingStore::remove(key, Always{});
  }
};

TEST(Conformance, SeesARemovalThatClaimsAConditionAndHeedsNone) {
  expect_red<RemovesAlways>({"RemovesOnlyTheExpectedVersion"});
}

class SameVersionAlways : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::optional<Version> put(std::string_view key, std::string_view bytes,
                             const Condition& condition) override {
    const auto version = ForwardingStore::put(key, bytes, condition);
    return version ? std::optional(Version{"1"}) : std::nullopt;
  }
};

TEST(Conformance, SeesAVersionThatIsNoVersion) {
  expect_red<SameVersionAlways>({"ReplacesAsAWhole"});
}

class OnePage : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  void list(const Listing& listing,
            const std::function<void(const Listed& listed)>& visit) override {
    int left = 1'000;
    ForwardingStore::list(listing, [&](const Listed& listed) {
      if (left-- > 0) visit(listed);
    });
  }
};

TEST(Conformance, SeesAListingThatEndsWithItsFirstPage) {
  expect_red<OnePage>({"ListsPageAfterPage"});
}

class ListsOneByteMore : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  void list(const Listing& listing,
            const std::function<void(const Listed& listed)>& visit) override {
    ForwardingStore::list(listing, [&](const Listed& listed) {
      visit({.key = listed.key, .size = get(listed.key)->bytes.size() + 1});
    });
  }
};

TEST(Conformance, SeesAListingWithAWrongSize) {
  expect_red<ListsOneByteMore>({"ListsNoWrongSize"});
}

// The keys are listed as `change` leaves them.
class ListsOtherwise : public ForwardingStore {
 public:
  using Change = void (*)(std::vector<std::string>& keys, const Listing& listing);
  ListsOtherwise(BlobStore& inner, Change change) : ForwardingStore(inner), change_(change) {}

  void list(const Listing& listing,
            const std::function<void(const Listed& listed)>& visit) override {
    std::vector<std::string> keys;
    ForwardingStore::list(listing, [&](std::string_view key) { keys.emplace_back(key); });
    change_(keys, listing);
    for (const std::string& key : keys) visit({.key = key});
  }

 private:
  Change change_;
};

void expect_red_when_listed(const char* name, ListsOtherwise::Change change) {
  expect_red({name},
             [=](BlobStore& inner) { return std::make_shared<ListsOtherwise>(inner, change); });
}

TEST(Conformance, SeesAListingThatPassesOverALeaf) {
  expect_red_when_listed("ListsLeaves", [](std::vector<std::string>& keys, const Listing& listing) {
    if (listing.leaf && !keys.empty()) keys.pop_back();
  });
}

TEST(Conformance, SeesAListingOutOfOrder) {
  expect_red_when_listed("ListsInByteOrder", [](std::vector<std::string>& keys, const Listing&) {
    std::ranges::reverse(keys);
  });
}

TEST(Conformance, SeesAListingThatTakesAPlusForABlank) {
  expect_red_when_listed("TakesOddKeys", [](std::vector<std::string>& keys, const Listing&) {
    for (std::string& key : keys) std::ranges::replace(key, '+', ' ');
  });
}

TEST(Conformance, SeesAListingThatBeginsWithTheKeyItIsToBeginAfter) {
  expect_red_when_listed("ListsWhatIsAfter",
                         [](std::vector<std::string>& keys, const Listing& listing) {
                           if (!listing.after.empty()) keys.insert(keys.begin(), listing.after);
                         });
}

TEST(Conformance, SeesAListingThatEndsWhereItIsToSkip) {
  expect_red_when_listed("PassesOverWhatIsSkipped",
                         [](std::vector<std::string>& keys, const Listing& listing) {
                           std::erase_if(keys, [&](const std::string& key) {
                             return !listing.skipped.empty() && key > listing.skipped;
                           });
                         });
}

class TakesAnyKey : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::optional<Version> put(std::string_view key, std::string_view bytes,
                             const Condition& condition) override {
    std::string plain(key);
    if (const size_t dots = plain.find(".."); dots != std::string::npos)
      plain.replace(dots, 2, "x");
    return ForwardingStore::put(plain, bytes, condition);
  }
};

TEST(Conformance, SeesAKeyThatLeavesThePlace) {
  expect_red<TakesAnyKey>({"RefusesKeysThatLeaveThePlace"});
}

class StandsStill : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Time store_time() override {
    static const Time first = ForwardingStore::store_time();
    return first;
  }
};

TEST(Conformance, SeesATimeThatStandsStill) { expect_red<StandsStill>({"TellsATimeThatGoesOn"}); }

}  // namespace
}  // namespace tidemark::blob
