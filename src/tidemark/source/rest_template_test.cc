#include "tidemark/source/rest_template.h"

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace tidemark::rest {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

json::Value value_of(std::string_view name) {
  if (name == "id") return 7;
  if (name == "flag") return true;
  if (name == "null") return {};
  if (name == "object") return json::Object();
  return std::string("<") + std::string(name) + ">";
}

TEST(Template, ReplacesPlaceholdersAndKeepsDoubledBraces) {
  EXPECT_EQ(Template("posts/{id}/x").expand(value_of), "posts/7/x");
  EXPECT_EQ(Template("{{\"a\": {id}, \"b\": {flag}}}").expand(value_of), "{\"a\": 7, \"b\": true}");
  EXPECT_EQ(Template("").expand(value_of), "");
  EXPECT_THAT(Template("{a}{resources.p.x[0].y}").names(), ElementsAre("a", "resources.p.x[0].y"));
  EXPECT_THAT(Template("{{a}}").names(), IsEmpty());
}

TEST(Template, RefusesBrokenBracesAndFormats) {
  for (const char* text : {"{", "}", "{a", "a}", "{}", "{a:>3}", "{a!r}", "{{a}"}) {
    EXPECT_THROW(Template{text}, Error) << text;
  }
}

TEST(Template, RefusesValuesThatAreNoText) {
  EXPECT_THROW(Template("a{null}").expand(value_of), Error);
  EXPECT_THROW(Template("a{object}").expand(value_of), Error);
}

TEST(Expand, KeepsTypesOnlyWhereAsked) {
  const json::Value value =
      json::read(R"({"a":"{id}","b":["{flag}","n={id}"],"{id}":1,"c":"{null}","d":null})");
  EXPECT_EQ(json::write(expand(value, value_of, true)),
            R"({"a":7,"b":[true,"n=7"],"7":1,"c":null,"d":null})");
  EXPECT_EQ(json::write(expand(value, value_of, false)),
            R"({"a":"7","b":["true","n=7"],"7":1,"c":null,"d":null})");
}

TEST(ToText, KeepsNumberText) {
  EXPECT_EQ(to_text(json::read("1.50")), "1.50");
  EXPECT_EQ(to_text(json::read("\"x\"")), "x");
  EXPECT_THROW(to_text(json::Value()), Error);
}

}  // namespace
}  // namespace tidemark::rest
