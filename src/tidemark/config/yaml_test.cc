#include "tidemark/config/yaml.h"

#include <string>

#include <gtest/gtest.h>

#include "tidemark/json/write.h"

namespace tidemark::config {
namespace {

std::string as_json(std::string_view yaml) {
  return json::write(read_yaml(yaml, "t.yml").to_json());
}

std::string fault(std::string_view yaml) {
  try {
    read_yaml(yaml, "t.yml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    return error.message();
  }
  return "no error";
}

TEST(ReadYaml, ScalarsFollowTheCoreSchemaOfYaml12) {
  EXPECT_EQ(as_json("[yes, no, on, off, y, n, TrUe]"), R"(["yes","no","on","off","y","n","TrUe"])");
  EXPECT_EQ(as_json("[true, True, TRUE, false]"), "[true,true,true,false]");
  EXPECT_EQ(as_json("[null, Null, NULL, ~, nil]"), R"([null,null,null,null,"nil"])");
  EXPECT_EQ(as_json("[0777, 0o17, 0x1F, +5, -0, 007, 1_000, 0b11, 1:30]"),
            R"([777,15,31,5,0,7,1000,3,"1:30"])");
  EXPECT_EQ(as_json("[1_0.5, 0x1_F, _1, 1_a, a_1, 1_, 0b12]"),
            R"([10.5,31,"_1","1_a","a_1",1,"0b12"])");
  EXPECT_EQ(as_json("[1.50, 1., .5, -.5e3, +1E+05, 00.1, 1e, ., -, 1.2.3]"),
            R"([1.50,1.0,0.5,-0.5e3,1E+05,0.1,"1e",".","-","1.2.3"])");
  EXPECT_EQ(as_json("[123456789012345678901234567890, 2024-01-02, 12:30:45]"),
            R"([123456789012345678901234567890,"2024-01-02","12:30:45"])");
}

TEST(ReadYaml, DatesWithATimeAreTheirIsoText) {
  EXPECT_EQ(
      as_json("[2026-01-02 3:04:05, 2026-01-02T03:04:05Z, 2026-1-2t03:04:05.5 -3]"),
      R"(["2026-01-02T03:04:05","2026-01-02T03:04:05+00:00","2026-01-02T03:04:05.500000-03:00"])");
  EXPECT_EQ(as_json("[2026-01-02T03:04:05.1234567890+02:30, 2001-12-14 21:59:43.]"),
            R"(["2026-01-02T03:04:05.123457+02:30","2001-12-14T21:59:43"])");
  EXPECT_EQ(
      as_json("['2026-01-02 3:04:05', 2026-02-30 03:04:05, 2026-01-02 24:00:00, 2026-01-02 03:04]"),
      R"(["2026-01-02 3:04:05","2026-02-30 03:04:05","2026-01-02 24:00:00","2026-01-02 03:04"])");
  EXPECT_EQ(as_json("[2026-01-02 03:04:05 x, 2026-01-02 03:04:05+25, 2026-01-02]"),
            R"(["2026-01-02 03:04:05 x","2026-01-02 03:04:05+25","2026-01-02"])");
}

TEST(ReadYaml, QuotedScalarsAreText) {
  EXPECT_EQ(as_json(R"(['1', "true", 'null', ""])"), R"(["1","true","null",""])");
  EXPECT_EQ(as_json("a: |\n  1\nb: >-\n  x\n  y\n"), R"({"a":"1\n","b":"x y"})");
}

TEST(ReadYaml, TagsDecideAndMustFit) {
  EXPECT_EQ(as_json("[!!str 1, !!int '3', !!float 1, !!bool 'true']"), R"(["1",3,1,true])");
  EXPECT_EQ(as_json("!!map {a: !!seq [1]}"), R"({"a":[1]})");
  EXPECT_EQ(fault("a: !!int x"),
            "t.yml:1:4: a value that is not what its tag 'tag:yaml.org,2002:int' says");
  EXPECT_EQ(fault("a: !secret x"), "t.yml:1:4: a value that is not what its tag '!secret' says");
  EXPECT_EQ(fault("a: !secret [x]"), "t.yml:1:4: unknown tag '!secret'");
}

TEST(ReadYaml, KeysKeepTheirOrderAndTheirText) {
  EXPECT_EQ(as_json("b: 1\n1: 2\ntrue: 3\n'': 4\n"), R"({"b":1,"1":2,"true":3,"":4})");
}

TEST(ReadYaml, EmptyDocumentsAreNull) {
  EXPECT_EQ(as_json(""), "null");
  EXPECT_EQ(as_json("# nothing\n"), "null");
  EXPECT_EQ(as_json("a:\nb: \n"), R"({"a":null,"b":null})");
}

TEST(ReadYaml, KnowsWhereValuesAndKeysAre) {
  const Node root = read_yaml("a: 1\nb:\n  c: [x, y]\n", "t.yml");
  EXPECT_EQ(to_string(root.require("a").position()), "t.yml:1:4");
  EXPECT_EQ(to_string(root.require("b").require("c").items()[1].position()), "t.yml:3:10");
  EXPECT_EQ(to_string(root.members()[1].position), "t.yml:2:1");
}

TEST(ReadYaml, AliasesStandForTheirAnchor) {
  EXPECT_EQ(as_json("a: &x {k: [1]}\nb: *x\nc: &y v\nd: *y\n"),
            R"({"a":{"k":[1]},"b":{"k":[1]},"c":"v","d":"v"})");
  const Node root = read_yaml("a: &x {k: v}\nb: *x\n", "t.yml");
  EXPECT_EQ(root.require("b").require("k").path(), "b.k");
}

TEST(ReadYaml, MergeKeysYieldToOwnKeysAndEarlierMerges) {
  EXPECT_EQ(as_json("base: &b {x: 1, y: 2}\nall:\n  <<: *b\n  y: 3\n"),
            R"({"base":{"x":1,"y":2},"all":{"y":3,"x":1}})");
  EXPECT_EQ(as_json("- &a {x: 1}\n- &b {x: 2, y: 2}\n- {<<: [*a, *b]}\n"),
            R"([{"x":1},{"x":2,"y":2},{"x":1,"y":2}])");
  EXPECT_EQ(as_json("'<<': 1"), R"({"<<":1})");
  EXPECT_EQ(fault("a: {<<: 1}"), "t.yml:1:9: '<<' expects a map or a list of maps");
}

TEST(ReadYaml, RefusesWhatWouldLoseSomething) {
  EXPECT_EQ(fault("a: 1\nb: 2\na: 3\n"), "t.yml:3:1: key 'a' is there twice");
  EXPECT_EQ(fault("? [1]\n: 2\n"), "t.yml:1:3: expected a key, found a list or map");
  EXPECT_EQ(fault("~: 2\n"), "t.yml:1:1: expected a key, found null");
  EXPECT_EQ(fault("a: 1\n---\nb: 2\n"), "t.yml: expected one YAML document, found more");
  EXPECT_EQ(fault("a: .inf"), "t.yml:1:4: '.inf' has no form in JSON");
  EXPECT_EQ(fault("a: -.inf"), "t.yml:1:4: '-.inf' has no form in JSON");
  EXPECT_EQ(fault("a: 0x1ffffffffffffffff"),
            "t.yml:1:4: '0x1ffffffffffffffff' has no form in JSON");
  EXPECT_EQ(fault("a: &x [*x]"), "t.yml:1:8: an alias inside of what it stands for");
}

TEST(ReadYaml, SyntaxErrorsNameTheirPlace) {
  EXPECT_EQ(fault("a: [1\nb: 2\n").substr(0, 7), "t.yml:2");
  EXPECT_EQ(fault("a: b: c").substr(0, 9), "t.yml:1:5");
  EXPECT_EQ(fault("a: *nothing").substr(0, 7), "t.yml:1");
  EXPECT_NE(fault(std::string(100'000, '[')), "no error");
}

}  // namespace
}  // namespace tidemark::config
