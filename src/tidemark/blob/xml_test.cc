#include "tidemark/blob/xml.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tidemark/base/error.h"

namespace tidemark::blob {
namespace {

using testing::ElementsAre;

std::vector<std::string> leaves(std::string_view document) {
  std::vector<std::string> found;
  read_xml(document, [&](const XmlLeaf& leaf) {
    found.push_back(std::string(leaf.path) + std::string(leaf.attributes) + "=" +
                    std::string(leaf.text));
  });
  return found;
}

TEST(ReadXml, GivesLeavesInTheirOrder) {
  EXPECT_THAT(leaves("\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n"
                     "<List xmlns=\"x\">\n <Blob><Key>a</Key><Size >1</Size ></Blob>"
                     "<!-- <Key> --><Blob><Key Encoded=\"true\">b</Key><Size/></Blob>\n</List>\n"),
              ElementsAre("List/Blob/Key=a", "List/Blob/Size =1",
                          "List/Blob/Key Encoded=\"true\"=b", "List/Blob/Size="));
  EXPECT_THAT(leaves("<a/>"), ElementsAre("a="));
  EXPECT_THAT(leaves("<a><b x=\"/>\" y='>'>1</b></a>"), ElementsAre("a/b x=\"/>\" y='>'=1"));
}

TEST(ReadXml, DecodesText) {
  EXPECT_THAT(leaves("<a>&lt;&gt;&amp;&quot;&apos;&#233;&#x2603;&amp;lt;</a>"),
              ElementsAre("a=<>&\"'é☃&lt;"));
  EXPECT_THAT(leaves("<a>1<![CDATA[<&amp;>]]>2<!-- 3 -->4</a>"), ElementsAre("a=1<&amp;>24"));
  EXPECT_THAT(leaves("<a> b\t\n</a>"), ElementsAre("a= b\t\n"));
}

TEST(ReadXml, RefusesWhatIsNoWholeDocument) {
  for (const char* text : {"",
                           "a",
                           "<",
                           "<a",
                           "<a>",
                           "<a><b></a>",
                           "<a></b>",
                           "</a>",
                           "<a></a></a>",
                           "<a/><b/>",
                           "<a></a>x",
                           "<a>&nbsp;</a>",
                           "<a>&#x110000;</a>",
                           "<a>&#xD800;</a>",
                           "<a>&#;</a>",
                           "<a>&#1x;</a>",
                           "<a>&amp</a>",
                           "<a><![CDATA[</a>",
                           "<a><!-- </a>",
                           "<!DOCTYPE a><a/>",
                           "<>",
                           "< a/>",
                           "<a/b></a/b>",
                           "<a <b></a>",
                           "<a x=\">",
                           "<a=\"1\"/>",
                           "{\"a\": 1}"}) {
    try {
      (void)leaves(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << text;
    }
  }
  std::string deep;
  for (int depth = 0; depth < 200'000; ++depth) deep += "<a>";
  EXPECT_THROW((void)leaves(deep), Error);
}

}  // namespace
}  // namespace tidemark::blob
