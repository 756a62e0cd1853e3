#include "tidemark/json/path.h"

#include <cstdio>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/page.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace tidemark::json {
namespace {

// Made with jsonpath-ng 1.16.
Value golden() {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(
      std::fopen(TIDEMARK_GOLDEN_DIR "/jsonpath/vectors.json", "rb"), close);
  std::string text;
  char part[4096];
  while (const size_t size = std::fread(part, 1, sizeof part, file.get())) text.append(part, size);
  return read(text);
}

ErrorCode code_of(std::string_view path) {
  try {
    Path::parse(path);
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << path << " is accepted";
  return ErrorCode::kInternal;
}

Value erased(std::string_view path, std::string_view text, size_t count) {
  Value value = read(text);
  EXPECT_EQ(Path::parse(path).erase(value), count) << path;
  return value;
}

TEST(Path, FindsWhatJsonpathNgFinds) {
  const Value vectors = golden();
  const Value& document = *vectors.find("document");
  const Buffer text(write(document));
  Parser parser;
  const Node root = parser.parse(text.view());
  size_t tried = 0;
  for (const Value& vector : vectors.find("vectors")->as_array()) {
    const Path path = Path::parse(vector.find("path")->as_string());
    Array values;
    for (const Value* value : path.find(document)) values.push_back(*value);
    Array nodes;
    for (const Node node : path.find(root)) nodes.push_back(to_value(node));
    Array full_paths;
    for (std::string& full_path : path.full_paths(document)) full_paths.push_back(full_path);
    EXPECT_EQ(Value(values), *vector.find("values")) << path.text();
    EXPECT_EQ(Value(nodes), *vector.find("values")) << path.text();
    const std::optional<Node> first = path.find_first(root);
    ASSERT_EQ(first.has_value(), !nodes.empty()) << path.text();
    if (first) {
      EXPECT_EQ(to_value(*first), nodes.front()) << path.text();
    }
    EXPECT_EQ(Value(full_paths), *vector.find("full_paths")) << path.text();
    ++tried;
  }
  EXPECT_GE(tried, 40u);
}

TEST(Path, SingleFieldIsNamed) {
  EXPECT_EQ(Path::parse("updated_at").single_field(), "updated_at");
  EXPECT_EQ(Path::parse("$.updated_at").single_field(), "updated_at");
  EXPECT_EQ(Path::parse("'a.b'").single_field(), "a.b");
  EXPECT_EQ(Path::parse("a.b").single_field(), std::nullopt);
  EXPECT_EQ(Path::parse("*").single_field(), std::nullopt);
  EXPECT_EQ(Path::parse("$..a").single_field(), std::nullopt);
}

TEST(Path, RefusesWhatIsNoPath) {
  for (const char* path :
       {"", "a[", "a.", "a..", "a b", "$a", ".a", "'a", "a[x", "a]", "a[]", "$.", "a.$"}) {
    EXPECT_EQ(code_of(path), ErrorCode::kInvalid) << path;
  }
  for (const char* path : {"a[1:2]", "a[:]", "a,b", "a|b", "a[?(@.x)]", "(a).b", "a.`parent`"}) {
    EXPECT_EQ(code_of(path), ErrorCode::kUnsupported) << path;
  }
  try {
    Path::parse("a.b[");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "JSONPath 'a.b[', position 5: expected an index, '*' or a quoted name");
  }
}

TEST(Path, ErasesEveryMatch) {
  EXPECT_EQ(erased("a.b", R"({"a":{"b":1,"c":2}})", 1), read(R"({"a":{"c":2}})"));
  EXPECT_EQ(erased("a.x", R"({"a":{"b":1}})", 0), read(R"({"a":{"b":1}})"));
  EXPECT_EQ(erased("a[-1]", R"({"a":[1,2,3]})", 1), read(R"({"a":[1,2]})"));
  EXPECT_EQ(erased("a[*].b", R"({"a":[{"b":1},{"c":2},{"b":3}]})", 2),
            read(R"({"a":[{},{"c":2},{}]})"));
  EXPECT_EQ(erased("*", R"({"a":1,"b":2})", 2), read("{}"));
  EXPECT_EQ(erased("a[*]", R"({"a":[1,2]})", 2), read(R"({"a":[]})"));
  EXPECT_EQ(erased("$..id", R"({"id":1,"a":[{"id":{"id":2}},{"b":{"id":3}}]})", 3),
            read(R"({"a":[{},{"b":{}}]})"));
  EXPECT_EQ(erased("$", R"({"a":1})", 0), read(R"({"a":1})"));
}

}  // namespace
}  // namespace tidemark::json
