#include "tidemark/singer/catalog.h"

#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace tidemark::singer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string golden(const std::string& name) {
  std::ifstream file(TIDEMARK_GOLDEN_DIR "/meltano/" + name);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_FALSE(text.empty()) << name;
  return text;
}

std::vector<std::string> strings(const json::Value& array) {
  std::vector<std::string> texts;
  for (const json::Value& item : array.as_array()) texts.push_back(item.as_string());
  return texts;
}

CatalogRules rules_of(const json::Value& vector) {
  return {.select = strings(*vector.find("select")),
          .metadata = vector.find("metadata")->as_object(),
          .schema = vector.find("schema")->as_object(),
          .select_filter = strings(*vector.find("select_filter"))};
}

void expect_result(const json::Value& catalog, const json::Value& vector) {
  SCOPED_TRACE(json::write(*vector.find("select")));
  Catalog applied = Catalog::read(json::write(catalog));
  applied.apply(rules_of(vector));
  EXPECT_EQ(applied.text(), json::write_python_pretty(*vector.find("result")));
}

std::string fault(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    return error.message();
  }
  return "no error";
}

// One stream `users` with these members behind its id.
Catalog users(const std::string& members) {
  return Catalog::read(R"({"streams": [{"tap_stream_id": "users", )" + members + "}]}");
}

TEST(CatalogRules, GiveWhatMeltanoGives) {
  const json::Value vectors = json::read(golden("select.json"));
  const json::Array& cases = vectors.find("cases")->as_array();
  EXPECT_EQ(cases.size(), 37);
  for (const json::Value& vector : cases) expect_result(*vectors.find("catalog"), vector);
}

TEST(CatalogRules, GiveWhatMeltanoGivesAtTheEdges) {
  const json::Value vectors = json::read(golden("select_edges.json"));
  const json::Array& cases = vectors.find("cases")->as_array();
  EXPECT_EQ(cases.size(), 36);
  for (const json::Value& vector : cases) expect_result(*vector.find("catalog"), vector);
}

TEST(CatalogRules, ChangeACatalogOfAProbeToTheByte) {
  Catalog all = Catalog::read(golden("catalogs/118003f148.json"));
  EXPECT_THAT(all.apply({}), IsEmpty());
  EXPECT_EQ(all.text(), golden("catalogs/61a82e59d9.json"));

  Catalog users = Catalog::read(golden("catalogs/118003f148.json"));
  users.apply({.select = {"users.*"}});
  EXPECT_EQ(users.text(), golden("catalogs/f031138f34.json"));

  Catalog without_one = Catalog::read(golden("catalogs/118003f148.json"));
  without_one.apply({.select = {"users.*", "!users.o"}});
  EXPECT_EQ(without_one.text() + "\n", golden("catalogs/feda1c483c.json"));
}

TEST(CatalogRules, LeaveCatalogsOfRealTapsAsMeltanoHasMadeThem) {
  for (const char* name : {"313bf55028", "33b0df43fe", "64cfba9fee"}) {
    const std::string text = golden("catalogs/" + std::string(name) + ".json");
    Catalog catalog = Catalog::read(text);
    EXPECT_THAT(catalog.apply({}), IsEmpty());
    EXPECT_EQ(catalog.text(), text);
  }
}

TEST(CatalogRules, ResetTheSelectionOfEarlierOnes) {
  Catalog catalog = Catalog::read(golden("catalogs/118003f148.json"));
  catalog.apply({.select = {"orders.o.x"}, .select_filter = {"orders"}});
  catalog.apply({});
  EXPECT_EQ(catalog.text(), golden("catalogs/61a82e59d9.json"));
}

TEST(CatalogRules, KeepNumberTextAndUnknownKeys) {
  const std::string members =
      R"("schema": {"properties": {"n": {"multipleOf": 1.50, "x-y": 1e400}}}, "zebra": [], )"
      R"("metadata": [])";
  Catalog catalog = users(members);
  catalog.apply({});
  EXPECT_THAT(catalog.text(), HasSubstr("\"multipleOf\": 1.50,"));
  EXPECT_THAT(catalog.text(), HasSubstr("\"x-y\": 1e400\n"));
  EXPECT_THAT(catalog.text(), HasSubstr("\"zebra\": []"));
}

TEST(CatalogRules, WarnOnceOfNamesThatTheCatalogDoesNotHave) {
  Catalog catalog = Catalog::read(golden("catalogs/118003f148.json"));
  EXPECT_THAT(catalog.apply({.select = {"users.o.z", "users.q", "users.q", "!users.o.x", "a.b.c*",
                                        "users.o.*", "us?rs.id", "*.none"},
                             .metadata = {{"users.w.x.key", 1}, {"orders", json::Object{{"k", 1}}}},
                             .select_filter = {"users", "!order"}}),
              ElementsAre("Property `o.z` was not found in the schema of stream `users`",
                          "Property `q` was not found in the schema of stream `users`",
                          "Stream `a` was not found in the catalog",
                          "Property `w` was not found in the schema of stream `users`",
                          "Stream `order` was not found in the catalog"));
}

TEST(CatalogRules, DoNotWarnOfAPropertyWithAnEmptySchema) {
  EXPECT_THAT(users(R"("schema": {"properties": {"id": {}}})").apply({.select = {"users.id"}}),
              IsEmpty());
}

TEST(CatalogRules, LeaveAStreamWithoutAnIdAlone) {
  const std::string text = R"({"streams": [{"stream": "a", "schema": {"properties": {"b": {}}}}]})";
  Catalog catalog = Catalog::read(text);
  EXPECT_THAT(catalog.apply({.schema = {{"*", json::Object{{"c", json::Object()}}}}}),
              ElementsAre("Stream 0 of the catalog has no `tap_stream_id`, so no rule applies to "
                          "it"));
  EXPECT_EQ(json::read(catalog.text()), json::read(text));
}

TEST(CatalogRules, ThatCannotBeAppliedAreRefused) {
  const auto apply = [](const std::string& members, const CatalogRules& rules) {
    return fault([&] { users(members).apply(rules); });
  };
  EXPECT_EQ(apply(R"("metadata": {})", {}), "catalog: stream 'users': metadata: expected a list");
  EXPECT_EQ(apply(R"("metadata": [{"breadcrumb": "id", "metadata": {}}])", {}),
            "catalog: stream 'users': metadata: breadcrumb: expected a list of names");
  EXPECT_EQ(apply(R"("metadata": [{"breadcrumb": [], "metadata": 1}])", {}),
            "catalog: stream 'users': metadata: expected maps in the list");
  EXPECT_EQ(apply(R"("schema": 1)", {.schema = {{"*", json::Object{{"c", json::Object()}}}}}),
            "catalog: stream 'users': schema: expected a map");
  EXPECT_EQ(apply(R"("schema": {})", {.schema = {{"users", json::Array()}}}),
            "schema: 'users': expected a map of properties");
  EXPECT_EQ(apply(R"("schema": {})", {.schema = {{"users", json::Object{{"id", "text"}}}}}),
            "schema: 'users.id': expected a JSON schema");
  EXPECT_EQ(apply(R"("schema": {})", {.metadata = {{"users", 1}}}),
            "metadata: 'users': expected a stream and a map of keys, or `stream.key`");
}

TEST(CatalogRules, AreRefusedWhenASchemaMatchesInItselfWithoutEnd) {
  const json::Value inner = json::read(R"({"*": {"*": {"properties": {"a": {}, "b": {}}}}})");
  EXPECT_THAT(
      fault([&] {
        users(R"("schema": {"properties": {"a": {}}})").apply({.schema = inner.as_object()});
      }),
      HasSubstr("'*' matches again inside of what it puts there, without end"));
}

TEST(CatalogFilter, AppliesAloneToACatalogOfTheUser) {
  Catalog catalog = users(R"("metadata": [{"breadcrumb": [], "metadata": {"selected": true}}])");
  const std::string before = catalog.text();
  EXPECT_THAT(catalog.apply_filter({}), IsEmpty());
  EXPECT_EQ(catalog.text(), before);
  EXPECT_THAT(catalog.apply_filter({"others"}),
              ElementsAre("Stream `others` was not found in the catalog"));
  EXPECT_THAT(catalog.text(), HasSubstr("\"selected\": false"));
}

TEST(Selections, AreThoseThatMeltanoLists) {
  const json::Value vectors = json::read(golden("select_edges.json"));
  for (const json::Value& vector : vectors.find("cases")->as_array()) {
    SCOPED_TRACE(json::write(*vector.find("select")));
    const Catalog catalog = Catalog::read(json::write(*vector.find("result")));
    json::Array found;
    for (const PropertySelection& entry : catalog.selections()) {
      found.emplace_back(
          json::Array{entry.stream, entry.property, std::string(to_string(entry.selection))});
    }
    EXPECT_EQ(json::write(found), json::write(*vector.find("selections")));
  }
}

TEST(Catalog, WithoutStreamsHasNone) {
  Catalog catalog = Catalog::read("{}");
  catalog.apply({});
  EXPECT_EQ(catalog.text(), "{}");
  EXPECT_THAT(catalog.selections(), IsEmpty());
}

TEST(Catalog, ThatIsNoneIsRefused) {
  EXPECT_THAT(fault([] { Catalog::read("discovering...\n{}"); }), HasSubstr("catalog: "));
  EXPECT_EQ(fault([] { Catalog::read("[]"); }),
            "catalog: expected a map with `streams`, not array");
  EXPECT_EQ(fault([] { Catalog::read(R"({"streams": {"a": 1}})"); }),
            "catalog: streams: expected a list of maps");
}

}  // namespace
}  // namespace tidemark::singer
