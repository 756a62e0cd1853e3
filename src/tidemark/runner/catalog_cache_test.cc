#include "tidemark/runner/catalog_cache.h"

#include <gtest/gtest.h>

#include "tidemark/os/lock_file.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::runner {
namespace {

TEST(CatalogCache, KeepsACatalogUnderItsKey) {
  const os::TempDirectory directory;
  SystemRandom random;
  CatalogCache cache(directory / "run" / "tap-x", random);
  EXPECT_EQ(cache.find("a"), std::nullopt);
  EXPECT_EQ(cache.find_any(), std::nullopt);
  cache.put("a", "{}");
  EXPECT_EQ(cache.find("a"), "{}");
  EXPECT_EQ(cache.find("b"), std::nullopt);
  EXPECT_EQ(cache.find_any(), "{}");
  cache.put("b", "{1}");
  EXPECT_EQ(cache.find("a"), std::nullopt);
  EXPECT_EQ(cache.find("b"), "{1}");
  EXPECT_EQ(os::list_directory(directory / "run" / "tap-x"),
            (std::vector<std::string>{".tap.properties.lock", "tap.properties.cache_key",
                                      "tap.properties.json"}));
}

TEST(CatalogCache, LeavesWhatIsThereWhileAnotherRunPutsItsOwn) {
  const os::TempDirectory directory;
  SystemRandom random;
  CatalogCache cache(directory.path(), random);
  cache.put("a", "{}");
  {
    const auto other = os::LockFile::try_acquire(directory / ".tap.properties.lock", {});
    cache.put("b", "{1}");
  }
  EXPECT_EQ(cache.find("a"), "{}");
  cache.put("b", "{1}");
  EXPECT_EQ(cache.find("b"), "{1}");
}

TEST(CatalogCache, OfAFolderThatCannotBeWrittenIsEmpty) {
  const os::TempDirectory directory;
  os::write_new_file(directory / "file", "");
  SystemRandom random;
  CatalogCache cache(directory / "file" / "tap-x", random);
  cache.put("a", "{}");
  EXPECT_FALSE(os::path_exists(directory / "file" / "tap-x"));
}

}  // namespace
}  // namespace tidemark::runner
