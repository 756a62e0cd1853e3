#include "tidemark/config/expand.h"

#include <utility>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/config/yaml.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/os/files.h"

namespace tidemark::config {
namespace {

const os::Environment kEnvironment{
    {"TOKEN", "t0k"}, {"A", "a"}, {"lower", "l"}, {"EMPTY", ""}, {"LOOP", "$A"}};

std::string expanded(std::string_view yaml, MissingVariable missing = MissingVariable::kEmpty) {
  return json::write(expand(read_yaml(yaml, "t.yml"), kEnvironment, missing).to_json());
}

TEST(Expand, PutsVariablesInTheirPlace) {
  EXPECT_EQ(expanded("$TOKEN"), R"("t0k")");
  EXPECT_EQ(expanded("'Bearer ${TOKEN}!$A$A'"), R"("Bearer t0k!aa")");
  EXPECT_EQ(expanded("{$A: [$A, {b: '${lower}'}], n: 1}"), R"({"$A":["a",{"b":"l"}],"n":1})");
}

TEST(Expand, TakesOnlyNamesOfItsTwoForms) {
  EXPECT_EQ(expanded("$lower"), R"("$lower")");
  EXPECT_EQ(expanded("$_A"), R"("$_A")");
  EXPECT_EQ(expanded("$Alower"), R"("alower")");
  EXPECT_EQ(expanded("'${A:-d} ${} $ ${A'"), R"("${A:-d} ${} $ ${A")");
}

TEST(Expand, ABackslashKeepsTheText) {
  EXPECT_EQ(expanded(R"('\$TOKEN \${TOKEN} \x')"), R"("$TOKEN ${TOKEN} \\x")");
}

TEST(Expand, DoesNotExpandWhatAVariableBrought) { EXPECT_EQ(expanded("$LOOP"), R"("$A")"); }

TEST(Expand, MissingVariablesAreEmptyByMeltanosRule) {
  EXPECT_EQ(expanded("a$NONE"), R"("a")");
  EXPECT_EQ(expanded("[$NONE, $EMPTY, '']"), R"(["","",""])");
}

TEST(Expand, MissingVariablesAreNamedWithTheirPlace) {
  const Node root = read_yaml("auth:\n  token: $NONE\n", "t.yml");
  try {
    expand(root.require("auth"), kEnvironment, MissingVariable::kError);
    FAIL() << "did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    EXPECT_EQ(
        error.message(),
        "t.yml:2:10: auth.token: environment variable 'NONE' is not set, nor does .env set it");
  }
  EXPECT_EQ(expanded("$EMPTY", MissingVariable::kError), R"("")");
}

// What Meltano's own function made of the same texts.
TEST(Expand, GivesWhatMeltanoGives) {
  const json::Value all = json::read(os::read_file(TIDEMARK_GOLDEN_DIR "/meltano/vectors.json"));
  const json::Value& vectors = *all.find("expand_env");
  os::Environment::Variables variables;
  for (const auto& [name, value] : vectors.find("env")->as_object()) {
    variables[name] = value.as_string();
  }
  const os::Environment environment(std::move(variables));
  const json::Array& cases = vectors.find("cases")->as_array();
  EXPECT_EQ(cases.size(), 41U);
  for (const json::Value& vector : cases) {
    const Node raw = Node::from_json(*vector.find("raw"));
    SCOPED_TRACE(json::write(*vector.find("raw")));
    EXPECT_EQ(expand(raw, environment, MissingVariable::kEmpty).to_json(), *vector.find("empty"));
    const json::Value& strict = *vector.find("strict");
    if (strict.find("error") == nullptr) {
      EXPECT_EQ(expand(raw, environment, MissingVariable::kError).to_json(), strict);
    } else {
      EXPECT_THROW(expand(raw, environment, MissingVariable::kError), Error);
    }
  }
}

TEST(Expand, KeepsPathsAndPlaces) {
  const Node root = read_yaml("a:\n  b: $A\n", "t.yml");
  const Node b = expand(root.require("a"), kEnvironment, MissingVariable::kEmpty).require("b");
  EXPECT_EQ(b.path(), "a.b");
  EXPECT_EQ(to_string(b.position()), "t.yml:2:6");
}

}  // namespace
}  // namespace tidemark::config
