#include "tidemark/source/link_header.h"

#include <gtest/gtest.h>

namespace tidemark::rest {
namespace {

std::string next(net::Headers headers) { return find_link(headers, "next").value_or("none"); }

TEST(FindLink, ReadsAllFormsOfTheHeader) {
  EXPECT_EQ(next({{"Link", "<http://h/2>; rel=\"next\""}}), "http://h/2");
  EXPECT_EQ(next({{"link", "<http://h/1>; rel=\"prev\", <http://h/3>; rel=\"next\""}}),
            "http://h/3");
  EXPECT_EQ(next({{"Link", "<http://h/1,2>;rel=first , </p?a=1;b=2> ; rel=next"}}), "/p?a=1;b=2");
  EXPECT_EQ(next({{"Link", "<a>; title=\"x, <b>; rel=next\", <c>; REL=\"NEXT last\""}}), "c");
  EXPECT_EQ(next({{"Link", "<a>; title=\"say \\\"hi\\\"\"; rel=next"}}), "a");
  EXPECT_EQ(next({{"Link", "<a>; rel=prev"}, {"Link", "<b>; rel=next"}}), "b");
}

TEST(FindLink, FindsNothingWhereThereIsNone) {
  EXPECT_EQ(next({}), "none");
  EXPECT_EQ(next({{"Link", ""}}), "none");
  EXPECT_EQ(next({{"Link", "<a>; rel=\"nextish\""}}), "none");
  EXPECT_EQ(next({{"Link", "<a; rel=next"}}), "none");
  EXPECT_EQ(next({{"Link", "a; rel=next"}}), "none");
  EXPECT_EQ(next({{"Link", "<a>; rel=\"next"}}), "a");
  EXPECT_EQ(next({{"Link", "<a>; rel; ="}}), "none");
}

}  // namespace
}  // namespace tidemark::rest
