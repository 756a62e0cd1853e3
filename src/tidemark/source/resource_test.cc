#include "tidemark/source/resource.h"

#include <gtest/gtest.h>

#include "tidemark/base/error.h"

namespace tidemark::source {
namespace {

Resource root(const std::string& name) {
  return Resource({.name = name}, [](Extraction&) {});
}

Resource child(const std::string& name, const std::string& parent) {
  return Resource({.name = name}, parent, [](Extraction&, const json::Page&) {});
}

TEST(Source, PutsParentsBeforeTheirChildren) {
  Source source("s", {child("c", "b"), child("b", "a"), root("z"), root("a")});
  std::vector<std::string> names;
  for (const Resource& resource : source.resources()) {
    names.push_back(resource.name());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"z", "a", "b", "c"}));
  EXPECT_EQ(source.find("b")->parent(), "a");
  EXPECT_EQ(source.find("y"), nullptr);
}

TEST(Source, RefusesResourcesThatContradictEachOther) {
  EXPECT_THROW(Source("s", {root("a"), root("a")}), Error);
  EXPECT_THROW(Source("s", {child("a", "b")}), Error);
  EXPECT_THROW(Source("s", {child("a", "b"), child("b", "a")}), Error);
}

TEST(Resource, IsNamedLikeItsTableUnlessTheTableHasAName) {
  Resource resource = root("a");
  EXPECT_EQ(resource.table_name(), "a");
  ResourceOptions options = resource.options();
  options.table_name = "t";
  EXPECT_EQ(resource.with(options).table_name(), "t");
  EXPECT_EQ(resource.table_name(), "a");
}

TEST(StateScope, SetsADefaultOnce) {
  json::Object object;
  StateScope scope(object);
  scope.setdefault("seen", json::Array{}).as_array().emplace_back(1);
  scope.setdefault("seen", json::Array{}).as_array().emplace_back(2);
  EXPECT_EQ(*object.find("seen"), json::Value(json::Array{1, 2}));
}

}  // namespace
}  // namespace tidemark::source
