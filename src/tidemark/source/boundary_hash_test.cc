#include "tidemark/source/boundary_hash.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/json/page.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"

namespace tidemark::source {
namespace {

json::Value read_golden(const std::string& name) {
  std::ifstream file(std::string(TIDEMARK_GOLDEN_DIR) + "/dlt/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return json::read(text.str());
}

std::shared_ptr<const json::Document> document(const json::Value& value) {
  json::DocumentBuilder builder;
  builder.value(value);
  return builder.finish();
}

std::string hash_of(json::Node row, const std::vector<std::string>& key, HashFormat format) {
  Shake128 shake;
  std::string form;
  append_hashed_form(form, row, key, format);
  return hash_of_form(form, format, shake);
}

TEST(BoundaryHash, IsThatOfDltInBothFormats) {
  size_t count = 0;
  const json::Value vectors = read_golden("boundary_hash.json");
  for (const json::Value& vector : vectors.as_array()) {
    auto value = document(*vector.find("value"));
    EXPECT_EQ(hash_of(value->root(), {}, HashFormat::kNew), vector.find("out")->as_string());
    EXPECT_EQ(hash_of(value->root(), {}, HashFormat::kOld),
              vector.find("before_1_29")->as_string());
    ++count;
  }
  EXPECT_EQ(count, 18u);
}

TEST(BoundaryHash, OfOneKeyIsTheValuesAndOfSeveralAnArrays) {
  auto row = document(json::read(R"({"a": 1, "id": 1, "b": "a"})"));
  EXPECT_EQ(hash_of(row->root(), {"id"}, HashFormat::kNew), "669czW83KR00");
  EXPECT_EQ(hash_of(row->root(), {"a", "b"}, HashFormat::kNew), "ndvRJS8rm8iA");
}

TEST(BoundaryHash, NeedsTheKey) {
  auto row = document(json::read(R"({"a": 1})"));
  std::string form;
  EXPECT_THROW(append_hashed_form(form, row->root(), {"id"}, HashFormat::kNew), Error);
}

}  // namespace
}  // namespace tidemark::source
