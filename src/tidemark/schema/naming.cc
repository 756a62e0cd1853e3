#include "tidemark/schema/naming.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/core.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/error.h"
#include "tidemark/base/hash.h"
#include "tidemark/schema/unicode.h"

namespace tidemark::schema {
namespace {

constexpr size_t kTagBytes = 4;
constexpr size_t kTagLength = 6;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char to_lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

void make_lower(std::string& text) {
  std::transform(text.begin(), text.end(), text.begin(), to_lower);
}

// Every run of what is no ASCII letter, decimal digit or underscore becomes one underscore.
std::string replace_special_runs(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool is_in_run = false;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const char first = text[0];
    const bool is_kept =
        is_lower(first) || is_upper(first) || first == '_' || is_decimal_digit(point.value);
    if (is_kept) {
      result.append(text.substr(0, point.size));
    } else if (!is_in_run) {
      result += '_';
    }
    is_in_run = !is_kept;
    text.remove_prefix(point.size);
  }
  return result;
}

std::string collapse_underscores(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (char c : text) {
    if (c != '_' || !result.ends_with('_')) {
      result += c;
    }
  }
  return result;
}

bool starts_with_digit(std::string_view text) {
  return !text.empty() && is_decimal_digit(first_code_point(text).value);
}

size_t count_trailing_underscores(std::string_view text) {
  const size_t last = text.find_last_not_of('_');
  return text.size() - (last == std::string_view::npos ? 0 : last + 1);
}

// A break in front of every capital with small letters behind it. Matches do not overlap: the
// letters of one cannot be what stands in front of the next.
std::string break_before_words(std::string_view text) {
  std::string result;
  result.reserve(text.size() + 8);
  for (size_t i = 0; i < text.size();) {
    result += text[i];
    const bool is_match =
        text[i] != '_' && i + 2 < text.size() && is_upper(text[i + 1]) && is_lower(text[i + 2]);
    ++i;
    if (!is_match) {
      continue;
    }
    result += '_';
    result += text[i++];
    while (i < text.size() && is_lower(text[i])) {
      result += text[i++];
    }
  }
  return result;
}

std::string break_before_capitals(std::string_view text) {
  std::string result;
  result.reserve(text.size() + 8);
  for (size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && is_upper(text[i]) && (is_lower(text[i - 1]) || is_digit(text[i - 1]))) {
      result += '_';
    }
    result += text[i];
  }
  return result;
}

char reduce_alphabet(char c) {
  switch (c) {
    case '+':
    case '*':
      return 'x';
    case '-':
      return '_';
    case '@':
      return 'a';
    case '|':
      return 'l';
    default:
      return c;
  }
}

std::string to_snake_case(std::string_view identifier) {
  std::string reduced(identifier);
  std::transform(reduced.begin(), reduced.end(), reduced.begin(), reduce_alphabet);
  std::string name = break_before_capitals(break_before_words(replace_special_runs(reduced)));
  make_lower(name);
  if (starts_with_digit(name)) {
    name.insert(0, 1, '_');
  }
  const size_t trailing = count_trailing_underscores(name);
  name.replace(name.size() - trailing, trailing, trailing, 'x');
  return collapse_underscores(name);
}

std::string to_sql_name(std::string_view identifier) {
  std::string name = replace_special_runs(identifier);
  if (starts_with_digit(name)) {
    name.insert(0, 1, '_');
  }
  if (name != "_") {
    name.resize(name.size() - count_trailing_underscores(name));
  }
  return collapse_underscores(name);
}

std::string to_lower_sql_name(std::string_view identifier) {
  std::string name = to_sql_name(identifier);
  make_lower(name);
  return name;
}

std::string to_duck_case(std::string_view identifier) {
  std::string name(identifier);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\n' || c == '\r' || c == '"'; }, '_');
  return collapse_underscores(name);
}

constexpr std::string_view kUnderscores = "__";
constexpr std::string_view kTriangle = "▶";

std::string to_direct(std::string_view identifier) {
  std::string name;
  name.reserve(identifier.size());
  while (!identifier.empty()) {
    const bool is_triangle = identifier.starts_with(kTriangle);
    const size_t size = is_triangle ? kTriangle.size() : 1;
    const bool is_replaced =
        is_triangle || std::string_view("\n\r'\"").find(identifier[0]) != std::string_view::npos;
    name.append(is_replaced ? "_" : identifier.substr(0, size));
    identifier.remove_prefix(size);
  }
  return name;
}

struct Convention {
  std::string_view name;
  std::string (*transform)(std::string_view);
  std::string_view separator;
  bool is_case_sensitive;
};

constexpr std::array<Convention, 5> kConventions = {{
    {"snake_case", to_snake_case, kUnderscores, false},
    {"sql_cs_v1", to_sql_name, kUnderscores, true},
    {"sql_ci_v1", to_lower_sql_name, kUnderscores, false},
    {"duck_case", to_duck_case, kUnderscores, true},
    {"direct", to_direct, kTriangle, true},
}};

class ConventionNaming final : public Naming {
 public:
  ConventionNaming(const Convention& convention, std::optional<size_t> max_length,
                   bool splits_names)
      : convention_(convention), max_length_(max_length), splits_names_(splits_names) {}

  std::string normalize_identifier(std::string_view name) const override {
    const std::string_view stripped = strip(name);
    if (stripped.empty()) {
      throw Error(ErrorCode::kInvalid, "a name of a table or column is empty");
    }
    return shorten(convention_.transform(stripped), stripped);
  }

  std::string normalize_path(std::string_view path) const override {
    std::vector<std::string> parts;
    for (std::string_view rest = path;;) {
      const size_t end = rest.find(convention_.separator);
      const std::string_view part = rest.substr(0, end);
      if (!strip(part).empty()) {
        parts.push_back(normalize_identifier(part));
      }
      if (end == std::string_view::npos) {
        return shorten(join(parts), path);
      }
      rest.remove_prefix(end + convention_.separator.size());
    }
  }

  std::string normalize_name(std::string_view name) const override {
    std::string result = splits_names_ ? normalize_path(name) : std::string();
    return result.empty() ? normalize_identifier(name) : result;
  }

  std::string shorten_fragments(std::span<const std::string> fragments) const override {
    std::string path = join(fragments);
    std::string name = path;
    return shorten(std::move(name), path);
  }

  std::string_view path_separator() const override { return convention_.separator; }
  bool is_case_sensitive() const override { return convention_.is_case_sensitive; }

 private:
  std::string join(std::span<const std::string> parts) const {
    std::string path;
    for (const std::string& part : parts) {
      if (strip(part).empty()) {
        continue;
      }
      if (!path.empty()) {
        path += convention_.separator;
      }
      path += part;
    }
    return path;
  }

  // The tag is that of what the name was made of, so names that only differ in what normalizing
  // loses stay different.
  std::string shorten(std::string name, std::string_view original) const {
    if (!max_length_ || name.size() <= *max_length_) {
      return name;
    }
    const size_t length = count_code_points(name);
    if (length <= *max_length_) {
      return name;
    }
    const size_t kept = *max_length_ - kTagLength;
    const size_t head = prefix_size(name, kept / 2 + kept % 2);
    const size_t tail = prefix_size(name, length - kept / 2);
    return name.substr(0, head) + name_tag(original) + name.substr(tail);
  }

  const Convention& convention_;
  const std::optional<size_t> max_length_;
  const bool splits_names_;
};

// "dlt.common.normalizers.naming.snake_case.NamingConvention" and the shorter forms of it.
std::string_view short_name(std::string_view reference) {
  constexpr std::string_view kClass = ".NamingConvention";
  if (reference.ends_with(kClass)) {
    reference.remove_suffix(kClass.size());
  }
  for (std::string_view package :
       {"dlt.common.normalizers.naming.", "dlt.common.normalizers.names."}) {
    if (reference.starts_with(package)) {
      reference.remove_prefix(package.size());
    }
  }
  return reference;
}

}  // namespace

std::shared_ptr<const Naming> make_naming(std::string_view convention,
                                          std::optional<size_t> max_length, bool splits_names) {
  if (max_length && *max_length < kTagLength) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("names of at most {} characters: at least {} are needed", *max_length,
                            kTagLength));
  }
  const std::string_view name = short_name(convention);
  const auto found = std::find_if(kConventions.begin(), kConventions.end(),
                                  [&](const Convention& known) { return known.name == name; });
  if (found == kConventions.end()) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("naming convention `{}`: expected snake_case, sql_cs_v1, sql_ci_v1, "
                            "duck_case or direct",
                            convention));
  }
  return std::make_shared<ConventionNaming>(*found, max_length, splits_names);
}

std::string collision_name(const Naming& naming, std::string_view name,
                           std::string_view source_path) {
  const std::string tagged = fmt::format("{}_{}", name, name_tag(source_path));
  return naming.shorten_fragments({&tagged, 1});
}

std::string name_tag(std::string_view text) {
  Shake128 hash;
  std::string tag = hash.base64_digest(text, kTagBytes);
  for (char& c : tag) {
    c = c == '/' ? 'a' : c == '+' ? 'b' : to_lower(c);
  }
  return tag;
}

}  // namespace tidemark::schema
