#include "tidemark/config/toml.h"

#include <string>

#include <gtest/gtest.h>

#include "tidemark/json/write.h"

namespace tidemark::config {
namespace {

std::string as_json(std::string_view toml) {
  return json::write(read_toml(toml, "config.toml").to_json());
}

std::string fault(std::string_view toml) {
  try {
    read_toml(toml, "config.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    return error.message();
  }
  return "no error";
}

TEST(ReadToml, KeepsKindsAndTheOrderOfTheFile) {
  EXPECT_EQ(as_json("b = 1\na = 'x'\n[load]\nworkers = 4\nraise = true\nratio = 0.5\n"
                    "[destination.duckdb]\npath = \"a.duckdb\"\n[aaa]\nlist = [1, 'x', {k = 2}]\n"),
            R"({"b":1,"a":"x","load":{"workers":4,"raise":true,"ratio":0.5},)"
            R"("destination":{"duckdb":{"path":"a.duckdb"}},"aaa":{"list":[1,"x",{"k":2}]}})");
  EXPECT_EQ(as_json(""), "{}");
}

TEST(ReadToml, MomentsBecomeTheirText) {
  EXPECT_EQ(as_json("a = 2024-01-02\nb = 03:04:05\nc = 2024-01-02T03:04:05Z\n"),
            R"({"a":"2024-01-02","b":"03:04:05","c":"2024-01-02T03:04:05Z"})");
}

TEST(ReadToml, KnowsWhereValuesAndKeysAre) {
  const Node root = read_toml("[a]\n  b = 1\n", "config.toml");
  EXPECT_EQ(to_string(root.require("a").require("b").position()), "config.toml:2:7");
  EXPECT_EQ(to_string(root.require("a").members()[0].position), "config.toml:2:3");
}

TEST(ReadToml, FaultsNameTheirPlace) {
  EXPECT_EQ(fault("a = 1\nb = \n").substr(0, 14), "config.toml:2:");
  EXPECT_EQ(fault("a = 1\na = 2\n").substr(0, 14), "config.toml:2:");
  EXPECT_EQ(fault("a = inf\n"), "config.toml:1:5: infinity and NaN have no form in JSON");
}

}  // namespace
}  // namespace tidemark::config
