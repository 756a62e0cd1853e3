#include "tidemark/config/node.h"

#include <functional>

#include <gtest/gtest.h>

#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace tidemark::config {
namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalid);
    return error.message();
  }
  return "no error";
}

Position at(int line, int column) {
  return {std::make_shared<const std::string>("tidemark.yml"), line, column};
}

Node from_text(std::string_view text) { return Node::from_json(json::read(text)); }

TEST(Node, KeepsTheDocumentOnItsWayThroughJson) {
  const std::string text = R"({"b":[1.50,null,true,"x"],"a":{"c":{}},"d":[]})";
  EXPECT_EQ(json::write(from_text(text).to_json()), text);
}

TEST(Node, KnowsThePathItWasReachedBy) {
  const Node root = from_text(R"({"pipelines":[{"source":{"name":"github"}}]})");
  const Node name = root.require("pipelines").items()[0].require("source").require("name");
  EXPECT_EQ(name.path(), "pipelines[0].source.name");
  EXPECT_EQ(name.string(), "github");
  EXPECT_EQ(root.path(), "");
  EXPECT_EQ(root.members()[0].value.path(), "pipelines");
}

TEST(Node, OutlivesTheDocumentItCameFrom) {
  const Node name = from_text(R"({"a":{"b":"c"}})").require("a").require("b");
  EXPECT_EQ(name.string(), "c");
}

TEST(Node, ErrorsNamePlaceAndPath) {
  const Node workers = Node::scalar("many", at(3, 12));
  const Node load = Node::map({{"workers", workers, at(3, 3)}}, at(2, 1));
  const Node root = Node::map({{"load", load, at(1, 1)}}, at(1, 1));
  EXPECT_EQ(message_of([&] { root.require("load").require("workers").integer(); }),
            "tidemark.yml:3:12: load.workers: expected a whole number, found text");
  EXPECT_EQ(message_of([&] { root.require("load").require("raise"); }),
            "tidemark.yml:2:1: load: 'raise' is missing");
  EXPECT_EQ(message_of([&] { root.require("load").expect_keys({"worker", "raise"}); }),
            "tidemark.yml:3:3: load.workers: unknown key; did you mean 'worker'?");
  EXPECT_EQ(message_of([&] { root.items(); }), "tidemark.yml:1:1: expected a list, found a map");
}

TEST(Node, NullAndMissingAreTheSameToOptionalMembers) {
  const Node root = from_text(R"({"a":null,"b":"x"})");
  EXPECT_EQ(root.optional_string("a"), std::nullopt);
  EXPECT_EQ(root.optional_string("c"), std::nullopt);
  EXPECT_EQ(root.optional_string("b"), "x");
  EXPECT_TRUE(root.find("a")->is_null());
  EXPECT_EQ(message_of([&] { root.require("a"); }), "'a' is missing");
}

TEST(Node, TextIsNeverMadeOfANumber) {
  EXPECT_EQ(message_of([] { from_text("7").string(); }),
            "expected text, found a number; put it in quotes");
  EXPECT_EQ(message_of([] { from_text("[]").string(); }), "expected text, found a list");
}

TEST(Node, NumbersMayBeGivenAsText) {
  EXPECT_EQ(from_text("42").integer(), 42);
  EXPECT_EQ(from_text("\"42\"").integer(), 42);
  EXPECT_EQ(from_text("\"1.5\"").number(), 1.5);
  EXPECT_EQ(message_of([] { from_text("1.5").integer(); }),
            "expected a whole number, found a number");
  EXPECT_EQ(message_of([] { from_text("\"42 \"").integer(); }),
            "expected a whole number, found text");
}

TEST(Node, BooleansTakeTheWordsOfDlt) {
  EXPECT_TRUE(from_text("true").boolean());
  EXPECT_TRUE(from_text("\"Yes\"").boolean());
  EXPECT_FALSE(from_text("\"0\"").boolean());
  EXPECT_EQ(message_of([] { from_text("\"maybe\"").boolean(); }),
            "expected true or false, found text");
  EXPECT_EQ(message_of([] { from_text("1").boolean(); }), "expected true or false, found a number");
}

TEST(Node, OneTextIsAListOfOne) {
  EXPECT_EQ(from_text("\"id\"").strings(), std::vector<std::string>{"id"});
  EXPECT_EQ(from_text(R"(["id","day"])").strings(), (std::vector<std::string>{"id", "day"}));
  EXPECT_EQ(message_of([] { from_text(R"(["id",2])").strings(); }),
            "[1]: expected text, found a number; put it in quotes");
}

TEST(Node, ChoiceSuggestsTheNearestWord) {
  EXPECT_EQ(from_text("\"merge\"").choice({"append", "merge"}), "merge");
  EXPECT_EQ(message_of([] { from_text("\"mrege\"").choice({"append", "merge"}); }),
            "unknown value 'mrege'; did you mean 'merge'?");
}

TEST(Node, ErrorsNeverShowAValueThatMayBeSecret) {
  const std::string message = message_of([] { from_text("\"hunter2\"").integer(); });
  EXPECT_EQ(message.find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace tidemark::config
