#include "tidemark/cli/selection_text.h"

#include <vector>

#include <gtest/gtest.h>

namespace tidemark::cli {
namespace {

TEST(SelectionText, ShowsWhatCannotBeExtractedWithAll) {
  const std::vector<singer::PropertySelection> selections = {
      {"users", "raw", singer::Selection::kUnsupported},
      {"users", "at", singer::Selection::kExcluded}};
  EXPECT_EQ(selection_text({}, selections, false),
            "Legend:\n\tselected\n\texcluded\n\tautomatic\n\tunsupported\n\nEnabled patterns:\n\n"
            "Selected properties:\n");
  EXPECT_TRUE(selection_text({}, selections, true)
                  .ends_with("\t[unsupported] users.raw\n\t[excluded   ] users.at\n"));
}

}  // namespace
}  // namespace tidemark::cli
