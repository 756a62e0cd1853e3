#include "tidemark/project/required_version.h"

#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark::project {
namespace {

TEST(RequiredVersion, IsReadAsPythonReadsIt) {
  for (const char* specifiers :
       {"",          ">=3.5",        ">=4.4.1",      "<=4.4.1",       "==4.4.1",      "==4.4.1.0",
        "==4.*",     "==4.4.*",      "~=4.4.0",      "~=4.1",         "!=4.4.0",      "!=3.*",
        "<5",        "<4.4.2",       ">4.4",         ">=3, <5",       " >= 3 , < 5 ", "===4.4.1",
        ">4.4.1rc1", ">=4.4.1.dev3", "<4.4.1.post1", "<=4.4.1.post1", "<1!1.0",       ">=v4.0",
        "<4.5.0a1",  ">=4.4.1-rc.1", ">=3,"}) {
    EXPECT_TRUE(allows_version(specifiers, "4.4.1")) << specifiers;
  }
  for (const char* specifiers :
       {">=5", "<4", ">4.4.1", "<4.4.1", "==4.4", "==3.*", "==4.4.1rc1", "!=4.4.1", "!=4.*",
        "~=4.5", "~=3.9", "~=4.3.0", ">=3,<4", "===4.4.1.0", ">=4.4.1.post1", "<4.4.1rc1",
        "==4.4.1+local", ">=1!0"}) {
    EXPECT_FALSE(allows_version(specifiers, "4.4.1")) << specifiers;
  }
}

TEST(RequiredVersion, IsRefusedWhenItIsNone) {
  for (const char* specifiers :
       {"4.4.1", ">=", ">=x", "=>4", "~=4", ">=4.4.1foo", ">=3,soon", ">=-1"}) {
    try {
      (void)allows_version(specifiers, "4.4.1");
      ADD_FAILURE() << specifiers;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalid);
      EXPECT_NE(error.message().find("is no version specifier"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tidemark::project
