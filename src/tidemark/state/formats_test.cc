#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "tidemark/state/history.h"
#include "tidemark/state/lease.h"
#include "tidemark/state/unsaved.h"
#include "tidemark/state/write_lock.h"

namespace tidemark::state {
namespace {

// The block of docs/formats/state.md that is fenced with this name.
std::string example(const std::string& name) {
  std::ifstream file(TIDEMARK_GOLDEN_DIR "/../../docs/formats/state.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string fence = "```" + name + "\n";
  const size_t start = text.find(fence);
  if (start == std::string::npos) return {};
  const size_t begin = start + fence.size();
  return text.substr(begin, text.find("```", begin) - begin);
}

std::string line(const std::string& name) {
  std::string text = example(name);
  if (!text.empty()) text.pop_back();
  return text;
}

TEST(StateFormats, TheDocumentIsWhatIsWritten) {
  EXPECT_EQ(write_document(read_document(line("state.json"))), line("state.json"));
}

TEST(StateFormats, TheLockIsOneOfOurs) { EXPECT_TRUE(is_own_lock(line("lock"))); }

TEST(StateFormats, TheLeaseIsWhatIsWritten) {
  for (const char* name : {"lease.json", "released-lease.json"}) {
    EXPECT_EQ(write_lease(read_lease(example(name))), example(name));
  }
}

TEST(StateFormats, TheHistoryIsWhatIsWritten) {
  const auto entries = read_history(example("history.jsonl"));
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(write_history(entries), example("history.jsonl"));
  for (const HistoryEntry& entry : entries) EXPECT_EQ(entry.hash, document_hash(entry.document));
  EXPECT_TRUE(entries[1].is_foreign());
  EXPECT_TRUE(entries[2].is_tombstone());
}

TEST(StateFormats, TheUnsavedStateIsWhatIsWritten) {
  EXPECT_EQ(write_unsaved(read_unsaved(example("unsaved.json"))), example("unsaved.json"));
}

}  // namespace
}  // namespace tidemark::state
