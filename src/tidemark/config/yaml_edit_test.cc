#include "tidemark/config/yaml_edit.h"

#include <functional>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"

namespace tidemark::config {
namespace {

std::string set(std::string_view text, const YamlPath& path, const char* value) {
  return set_in_yaml(text, "t.yml", path, json::read(value));
}
std::string append(std::string_view text, const YamlPath& path, const char* value) {
  return append_in_yaml(text, "t.yml", path, json::read(value));
}
std::string remove(std::string_view text, const YamlPath& path) {
  return remove_from_yaml(text, "t.yml", path);
}

std::string fault(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

constexpr std::string_view kPlugins =
    "# head\n"
    "plugins:\n"
    "  extractors:\n"
    "  # before the tap\n"
    "  - name: tap   # end of line\n"
    "    config:\n"
    "      rows: 3   # keep me\n"
    "\n"
    "      plain: 'single quoted'\n"
    "    # about select\n"
    "    select: [a.*, 'b.*']\n"
    "# tail\n";
const YamlPath kTap{"plugins", "extractors", size_t{0}};

YamlPath tap(std::initializer_list<YamlStep> steps) {
  YamlPath path = kTap;
  path.insert(path.end(), steps);
  return path;
}

// The text with one part of it changed.
std::string changed(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text);
  out.replace(out.find(from), from.size(), to);
  return out;
}

TEST(SetInYaml, ChangesAValueAndNothingBesideIt) {
  EXPECT_EQ(set(kPlugins, tap({"config", "rows"}), "12"), changed(kPlugins, "3", "12"));
  EXPECT_EQ(set(kPlugins, tap({"config", "plain"}), R"("it's")"),
            changed(kPlugins, "'single quoted'", "'it''s'"));
  EXPECT_EQ(set(kPlugins, tap({"config", "rows"}), R"("5")"), changed(kPlugins, "3", "'5'"));
  EXPECT_EQ(set("a: \"x\"\n", {"a"}, R"("y\nz")"), "a: \"y\\nz\"\n");
}

TEST(SetInYaml, AddsAKeyBehindItsSiblings) {
  EXPECT_EQ(set(kPlugins, tap({"config", "new"}), "true"),
            changed(kPlugins, "quoted'\n", "quoted'\n      new: true\n"));
  EXPECT_EQ(set(kPlugins, {"elt", "buffer_size"}, "5"),
            changed(kPlugins, "'b.*']\n", "'b.*']\nelt:\n  buffer_size: 5\n"));
  EXPECT_EQ(set("a: {b: 1}\n", {"a", "c", "d"}, "[1]"), "a: {b: 1, c: {d: [1]}}\n");
  EXPECT_EQ(set("a: {}\n", {"a", "c"}, "1"), "a: {c: 1}\n");
  EXPECT_EQ(set("a: 1", {"b"}, "2"), "a: 1\nb: 2");
}

TEST(SetInYaml, MakesDocumentsAndEmptyValues) {
  EXPECT_EQ(set("", {"a", "b"}, "1"), "a:\n  b: 1\n");
  EXPECT_EQ(set("# only\n", {"a"}, "1"), "# only\na: 1\n");
  EXPECT_EQ(set("a:   # none\nb: 1\n", {"a", "c"}, "1"), "a:   # none\n  c: 1\nb: 1\n");
  EXPECT_EQ(set("a:   # none\nb: 1\n", {"a"}, "2"), "a: 2   # none\nb: 1\n");
  EXPECT_EQ(set("a: ~\n", {"a"}, "2"), "a: 2\n");
  EXPECT_EQ(set("{a: , b}\n", {"b"}, "2"), "{a: , b: 2}\n");
}

TEST(SetInYaml, PutsMapsAndListsInBlocks) {
  EXPECT_EQ(set("a: 5  # c\nb: 1\n", {"a"}, R"({"x":["v",{"z":1}]})"),
            "a:  # c\n  x:\n  - v\n  - z: 1\nb: 1\n");
  EXPECT_EQ(set("a:\n  # in\n  x: 1\nb: 1\n", {"a"}, R"(["v"])"), "a:\n- v\nb: 1\n");
  EXPECT_EQ(set("a:  # c\n  x: 1\nb: 1\n", {"a"}, "7"), "a: 7  # c\nb: 1\n");
  EXPECT_EQ(set("- a: 1\n  b: 2\n- c\n", {size_t{0}}, R"("x")"), "- x\n- c\n");
  EXPECT_EQ(set("a: |\n  text\n  more\nb: 1\n", {"a"}, "1"), "a: 1\nb: 1\n");
  EXPECT_EQ(set("a: [x]\n", {"a"}, R"({"v":{"z":null}})"), "a: {v: {z: null}}\n");
}

TEST(SetInYaml, FollowsTheLookOfTheFile) {
  EXPECT_EQ(set("a:\r\n    b: 1\r\n", {"a", "c", "d"}, "1"),
            "a:\r\n    b: 1\r\n    c:\r\n        d: 1\r\n");
  EXPECT_EQ(set("l:\n  - 1\nm: 2\n", {"m"}, "[3]"), "l:\n  - 1\nm:\n  - 3\n");
  EXPECT_EQ(set("\xef\xbb\xbf"
                "a: 1\n",
                {"a"}, "2"),
            "\xef\xbb\xbf"
            "a: 2\n");
}

TEST(SetInYaml, GoesIntoAMemberWithoutBraces) {
  EXPECT_EQ(set("l: [a b: {p}, c]\n", {"l", size_t{0}, "a b", "p"}, "1"), "l: [a b: {p: 1}, c]\n");
  EXPECT_EQ(set("l: [a b: 1\n, c]\n", {"l", size_t{0}, "a b"}, "2"), "l: [a b: 2\n, c]\n");
}

TEST(SetInYaml, RefusesWhatWouldChangeSomethingElse) {
  constexpr std::string_view kAnchors = "a: &x {k: 1}\nb: *x\nc: &unused 1\n";
  EXPECT_EQ(fault([&] { set(kAnchors, {"b", "k"}, "2"); }),
            "t.yml:2: this stands in place of what its anchor names; please edit it by hand");
  EXPECT_EQ(fault([&] { set(kAnchors, {"a", "k"}, "2"); }),
            "t.yml: a.k cannot be changed without changing something else, such as what an anchor "
            "there stands for; please edit it by hand");
  EXPECT_EQ(set(kAnchors, {"b"}, "2"), changed(kAnchors, "*x", "2"));
  EXPECT_EQ(set(kAnchors, {"c"}, "2"), changed(kAnchors, "&unused 1", "&unused 2"));
  EXPECT_EQ(set("b: &b {x: 1}\nm:\n  <<: *b\n", {"m", "x"}, "2"),
            "b: &b {x: 1}\nm:\n  <<: *b\n  x: 2\n");
  EXPECT_EQ(fault([&] { set("[1]", {"a"}, "1"); }),
            "t.yml:1: the document is no map; please edit it by hand");
  EXPECT_EQ(fault([&] { set("a: [1]\n", {"a", size_t{3}}, "1"); }),
            "there is no such element of a list");
}

TEST(AppendInYaml, AddsBehindTheLastElement) {
  EXPECT_EQ(append(kPlugins, tap({"select"}), R"("!c.d")"),
            changed(kPlugins, "'b.*']", "'b.*', '!c.d']"));
  EXPECT_EQ(append(kPlugins, {"plugins", "extractors"}, R"({"name":"tap-b","config":{"a":1}})"),
            changed(kPlugins, "'b.*']\n", "'b.*']\n  - name: tap-b\n    config:\n      a: 1\n"));
  EXPECT_EQ(append("a: 1\n", {"l"}, "1"), "a: 1\nl:\n- 1\n");
  EXPECT_EQ(append("l: []\n", {"l"}, "1"), "l: [1]\n");
  EXPECT_EQ(append("l:\n- 1\n# tail", {"l"}, "2"), "l:\n- 1\n- 2\n# tail");
}

TEST(SetInYaml, ATagGoesWithItsValue) {
  EXPECT_EQ(set_in_yaml("a: !!str 5 # c\n", "t.yml", {"a"}, 6), "a: 6 # c\n");
}

TEST(RemoveFromYaml, TakesTheLinesOfAnEntry) {
  EXPECT_EQ(remove(kPlugins, tap({"config", "rows"})),
            changed(kPlugins, "      rows: 3   # keep me\n", ""));
  EXPECT_EQ(
      remove(kPlugins, tap({"config"})),
      changed(kPlugins, "    config:\n      rows: 3   # keep me\n\n      plain: 'single quoted'\n",
              ""));
  EXPECT_EQ(remove(kPlugins, tap({"name"})),
            changed(kPlugins, "name: tap   # end of line\n    ", "   # end of line\n    "));
  EXPECT_EQ(remove("- name: x\n  b: 1\n", {size_t{0}, "name"}), "- b: 1\n");
  EXPECT_EQ(remove("- a\n# c\n- b\n", {size_t{1}}), "- a\n# c\n");
  EXPECT_EQ(remove("a: 1\nb: 2", {"b"}), "a: 1");
  EXPECT_EQ(remove("a: 1\r\nb: 2\r\n", {"a"}), "b: 2\r\n");
}

TEST(RemoveFromYaml, TakesAFlowEntryWithItsComma) {
  EXPECT_EQ(remove("a: {b: 1, c: 2, d: 3}\n", {"a", "b"}), "a: {c: 2, d: 3}\n");
  EXPECT_EQ(remove("a: {b: 1, c: 2, d: 3}\n", {"a", "d"}), "a: {b: 1, c: 2}\n");
  EXPECT_EQ(remove("[a, [b, c], d]\n", {size_t{1}, size_t{0}}), "[a, [c], d]\n");
  EXPECT_EQ(remove("a: {b: 1,}\n", {"a", "b"}), "a: {}\n");
  EXPECT_EQ(remove("{a: 1, # c\n b: 2}\n", {"b"}), "{a: 1, # c\n }\n");
  EXPECT_EQ(remove("{a: 1, # c\n b: 2}\n", {"a"}), "{ # c\n b: 2}\n");
}

TEST(RemoveFromYaml, TheLastOneLeavesAnEmptyCollection) {
  EXPECT_EQ(remove("a:  # c\n  b: 1\nc: 2\n", {"a", "b"}), "a: {}  # c\nc: 2\n");
  EXPECT_EQ(remove("a:\n- 1\n", {"a", size_t{0}}), "a: []\n");
  EXPECT_EQ(remove("a: 1\n", {"a"}), "{}\n");
}

TEST(EditYaml, RefusesAPathThroughAMerge) {
  constexpr std::string_view kMerged = "<<: &b {x: 1}\nk: 2\n";
  for (const auto& edit : std::vector<std::function<void()>>{
           [&] { remove(kMerged, {"<<", "x"}); }, [&] { set(kMerged, {"<<", "x"}, "2"); },
           [&] { append(kMerged, {"<<", "x"}, "2"); }}) {
    EXPECT_NE(fault(edit).find("t.yml: <<.x cannot be changed"), std::string::npos) << fault(edit);
  }
}

TEST(RemoveFromYaml, RefusesWhatIsNotThereOrUsedElsewhere) {
  EXPECT_EQ(fault([] { remove("a: 1\n", {"b"}); }), "there is nothing to remove");
  EXPECT_NE(fault([] { remove("a: &x 1\nb: *x\n", {"a"}); }), "no error");
  EXPECT_NE(fault([] { remove("b: &b {x: 1}\nm: {<<: *b, y: 2}\n", {"m", "x"}); }), "no error");
}

TEST(EditYaml, ReadsPastEveryKindOfNode) {
  constexpr std::string_view kAll =
      "%YAML 1.2\n---\n"
      "? explicit\n: value\n"
      "multi: a plain\n  scalar # comment\n"
      "double: \"a \\\" # b\n  c\"\n"
      "single: 'it''s\n  # no comment'\n"
      "folded: >-\n\n    x\n     y\n\n"
      "keep: |+\n  z\n\n"
      "digit: |2\n   w\n"
      "tagged: !!str 5\n"
      "anchored: &a !!map\n  k: v\n"
      "flow: {a: [x, 'y]', \"z}\"], 'q': {r: *a}, s, t: } # c ]\n"
      "pairs: [a: 1, {b: 2}]\n"
      "empty:\nnulls:\n-\n- ~\n- null\n-  # c\n- - nested\n  -\n"
      "last: 1\n...\n";
  EXPECT_EQ(set(kAll, {"last"}, "2"), changed(kAll, "last: 1", "last: 2"));
  EXPECT_EQ(set(kAll, {"nulls", size_t{3}}, "2"), changed(kAll, "-  # c", "- 2  # c"));
  EXPECT_EQ(append(kAll, {"nulls", size_t{4}}, "1"),
            changed(kAll, "  -\nlast", "  -\n  - 1\nlast"));
  EXPECT_EQ(set(kAll, {"flow", "q", "m"}, "1"), changed(kAll, "{r: *a}", "{r: *a, m: 1}"));
  EXPECT_EQ(remove(kAll, {"keep"}), changed(kAll, "keep: |+\n  z\n\n", ""));
  EXPECT_EQ(remove(kAll, {"multi"}), changed(kAll, "multi: a plain\n  scalar # comment\n", ""));
  EXPECT_EQ(set(kAll, {"new"}, "1"), changed(kAll, "last: 1\n", "last: 1\nnew: 1\n"));
}

}  // namespace
}  // namespace tidemark::config
