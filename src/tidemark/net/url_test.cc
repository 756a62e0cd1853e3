#include "tidemark/net/url.h"

#include <gmock/gmock.h>

#include "tidemark/base/error.h"

namespace tidemark::net {
namespace {

TEST(PercentEncode, LeavesOnlyUnreservedCharacters) {
  EXPECT_EQ(percent_encode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(percent_encode("2024-12-01T00:00+02:00 é/&=?"),
            "2024-12-01T00%3A00%2B02%3A00%20%C3%A9%2F%26%3D%3F");
}

TEST(PercentDecode, UndoesItAndLeavesALonePercentSign) {
  EXPECT_EQ(percent_decode("%C3%a9%2f+%25"), "é/+%");
  EXPECT_EQ(percent_decode("100%, %4, %zz, %"), "100%, %4, %zz, %");
}

TEST(WithQuery, KeepsTheQueryThatIsThere) {
  EXPECT_EQ(with_query("http://h/r", {}), "http://h/r");
  EXPECT_EQ(with_query("http://h/r", {{"a", "1"}, {"b", "x y"}}), "http://h/r?a=1&b=x%20y");
  EXPECT_EQ(with_query("http://h/r?z=%2F", {{"a", "1"}}), "http://h/r?z=%2F&a=1");
  EXPECT_EQ(with_query("http://h/r?", {{"a", "1"}}), "http://h/r?a=1");
  EXPECT_EQ(with_query("http://h/r#top", {{"a", "1"}}), "http://h/r?a=1");
}

TEST(QueryParams, AreDecodedInTheirOrder) {
  using testing::ElementsAre;
  using testing::Pair;
  EXPECT_THAT(query_params("https://a/b?z=1%2F2&a%20b=&c&d=x=y#?e=1"),
              ElementsAre(Pair("z", "1/2"), Pair("a b", ""), Pair("c", ""), Pair("d", "x=y")));
  EXPECT_TRUE(query_params("https://a/b").empty());
}

TEST(HasQueryParam, ReadsEncodedNames) {
  EXPECT_TRUE(has_query_param("http://h/?a=1&app%5Fid=2", "app_id"));
  EXPECT_TRUE(has_query_param("http://h/?flag", "flag"));
  EXPECT_FALSE(has_query_param("http://h/?b=a", "a"));
  EXPECT_FALSE(has_query_param("http://h/#?a=1", "a"));
}

TEST(ResolveUrl, FollowsRfc3986) {
  const std::string base = "http://h:8080/v1/items?page=1";
  EXPECT_EQ(resolve_url(base, "https://other/x?p=%2F"), "https://other/x?p=%2F");
  EXPECT_EQ(resolve_url(base, "/r?page=2&p=1"), "http://h:8080/r?page=2&p=1");
  EXPECT_EQ(resolve_url(base, "?page=2"), "http://h:8080/v1/items?page=2");
  EXPECT_EQ(resolve_url(base, "more"), "http://h:8080/v1/more");
  EXPECT_EQ(resolve_url(base, "//other/x"), "http://other/x");
  EXPECT_EQ(resolve_url(base, "/a#frag"), "http://h:8080/a");
}

TEST(ResolveUrl, NamesAnUnusableReferenceWithoutItsSecrets) {
  try {
    resolve_url("http://h/", "http://user:pw@ho st/?token=t0p");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_EQ(error.message().find("pw"), std::string::npos);
    EXPECT_EQ(error.message().find("t0p"), std::string::npos);
    EXPECT_NE(error.message().find("ho st"), std::string::npos);
  }
}

TEST(UrlOrigin, IsWhoGetsTheRequest) {
  EXPECT_EQ(url_origin("HTTPS://API.example.com/x"), "https://api.example.com:443");
  EXPECT_EQ(url_origin("http://h:8080/"), "http://h:8080");
  EXPECT_EQ(url_origin("http://good.com@evil.com/"), "http://evil.com:80");
}

TEST(MaskUrl, HidesUserInfoAndKeepsTheHost) {
  EXPECT_EQ(mask_url("https://me:pw@host/x"), "https://me:***@host/x");
  EXPECT_EQ(mask_url("https://tok3n@host/x"), "https://***@host/x");
  EXPECT_EQ(mask_url("https://me:p@ss@host"), "https://me:***@host");
  EXPECT_EQ(mask_url("https://me:p%40ss@host"), "https://me:***@host");
  EXPECT_EQ(mask_url("https://host/a@b"), "https://host/a@b");
}

TEST(MaskUrl, HidesValuesOfSecretParametersOnly) {
  EXPECT_EQ(mask_url("http://h/x?a=1&API_KEY=s&b=2#f"), "http://h/x?a=1&API_KEY=***&b=2#f");
  EXPECT_EQ(mask_url("http://h/x?api%5Fkey=s"), "http://h/x?api%5Fkey=***");
  EXPECT_EQ(mask_url("http://h/x?token"), "http://h/x?token");
  EXPECT_EQ(mask_url("/relative?access_token=s"), "/relative?access_token=***");
  const std::vector<std::string> more = {"appid"};
  EXPECT_EQ(mask_url("http://h/x?appid=s&q=1", more), "http://h/x?appid=***&q=1");
}

TEST(SecretValues, AreGivenAsWrittenAndDecoded) {
  const std::vector<std::string> more = {"appid"};
  EXPECT_EQ(secret_values("http://h/x?a=1&appid=s%20t&token=u", more),
            (std::vector<std::string>{"s%20t", "s t", "u", "u"}));
}

}  // namespace
}  // namespace tidemark::net
