#include "tidemark/schema/naming.h"

#include <gmock/gmock.h>

#include "tidemark/base/error.h"
#include "tidemark/schema/golden_cases.h"

namespace tidemark::schema {
namespace {

std::shared_ptr<const Naming> naming_of(const json::Value& golden) {
  const json::Value& max_length = *golden.find("max_length");
  return make_naming(golden.find("convention")->as_string(),
                     max_length.is_null()
                         ? std::nullopt
                         : std::optional<size_t>(static_cast<size_t>(max_length.as_int64())),
                     true);
}

// A key that is missing stands for the answer of the one before.
const json::Value& answer(const json::Value& golden, const char* key,
                          const json::Value& otherwise) {
  const json::Value* value = golden.find(key);
  return value == nullptr ? otherwise : *value;
}

void expect_names(const json::Value& golden) {
  const std::shared_ptr<const Naming> naming = naming_of(golden);
  const std::string& in = golden.find("in")->as_string();
  const json::Value& identifier = *golden.find("normalize_identifier");
  if (identifier.is_object()) {
    EXPECT_THROW(naming->normalize_identifier(in), Error) << "`" << in << "`";
    return;
  }
  const json::Value& path = answer(golden, "normalize_path", identifier);
  const json::Value& table = answer(golden, "normalize_table_identifier", identifier);
  const std::string& convention = golden.find("convention")->as_string();
  EXPECT_EQ(naming->normalize_identifier(in), identifier.as_string()) << convention << " " << in;
  EXPECT_EQ(naming->normalize_path(in), path.as_string()) << convention << " " << in;
  // Tables are named as columns are, in every convention.
  EXPECT_EQ(identifier, table) << convention << " " << in;
  EXPECT_EQ(path, answer(golden, "normalize_tables_path", path)) << convention << " " << in;
}

void expect_fragments(const json::Value& golden) {
  std::vector<std::string> fragments;
  for (const json::Value& fragment : golden.find("shorten_fragments")->as_array()) {
    fragments.push_back(fragment.as_string());
  }
  EXPECT_EQ(naming_of(golden)->shorten_fragments(fragments), golden.find("out")->as_string());
}

TEST(Naming, NamesAreThoseOfDlt) {
  const json::Array cases = read_golden("naming.json");
  EXPECT_EQ(cases.size(), 293);
  for (const json::Value& golden : cases) {
    if (const json::Value* text = golden.find("tag_of")) {
      EXPECT_EQ(name_tag(text->as_string()), golden.find("out")->as_string());
    } else if (golden.find("shorten_fragments") != nullptr) {
      expect_fragments(golden);
    } else {
      expect_names(golden);
    }
  }
}

TEST(Naming, TakesTheReferencesPythonWrites) {
  for (std::string_view reference : {"snake_case", "dlt.common.normalizers.names.snake_case",
                                     "dlt.common.normalizers.naming.snake_case",
                                     "dlt.common.normalizers.naming.snake_case.NamingConvention"}) {
    EXPECT_EQ(make_naming(reference, std::nullopt, true)->normalize_identifier("aB"), "a_b");
  }
  try {
    make_naming("my.naming", std::nullopt, true);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  }
}

TEST(Naming, DirectHasItsOwnSeparator) {
  const std::shared_ptr<const Naming> naming = make_naming("direct", std::nullopt, true);
  EXPECT_EQ(naming->normalize_path("a'b▶▶c▶ "), "a_b▶c");
  EXPECT_EQ(naming->normalize_identifier("a▶b"), "a_b");
  EXPECT_EQ(naming->path_separator(), "▶");
}

TEST(Naming, NamesInDataArePathsUnlessTheSchemaDoesNotSplitThem) {
  const auto paths = make_naming("snake_case", std::nullopt, true);
  EXPECT_EQ(paths->normalize_name("l__ist__"), "l__ist");
  EXPECT_EQ(paths->normalize_name("__"), "xx");
  const auto identifiers = make_naming("snake_case", std::nullopt, false);
  EXPECT_EQ(identifiers->normalize_name("l__ist__"), "l_istxx");
  EXPECT_EQ(identifiers->normalize_name("__init__"), "_initxx");
}

TEST(Naming, BytesThatAreNoUtf8AreReplaced) {
  const std::shared_ptr<const Naming> naming = make_naming("snake_case", std::nullopt, true);
  EXPECT_EQ(naming->normalize_identifier("a\xFF\xC3z"), "a_z");
}

TEST(CollisionName, HasTheTagOfTheSourcePathAndTheLengthOfTheConvention) {
  const std::shared_ptr<const Naming> naming = make_naming("snake_case", 20, true);
  EXPECT_EQ(collision_name(*naming, "user_id", "userID"), "user_id_" + name_tag("userID"));
  const std::string name(20, 'a');
  const std::string first = collision_name(*naming, name, "x");
  const std::string second = collision_name(*naming, name, "y");
  EXPECT_EQ(first.size(), 20);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace tidemark::schema
