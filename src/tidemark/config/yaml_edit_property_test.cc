#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/config/yaml.h"
#include "tidemark/config/yaml_edit.h"
#include "tidemark/config/yaml_spans.h"
#include "tidemark/json/read.h"
#include "tidemark/os/files.h"

namespace tidemark::config {
namespace {

using Random = std::mt19937;

size_t below(Random& random, size_t count) {
  return std::uniform_int_distribution<size_t>(0, count - 1)(random);
}

json::Value random_value(Random& random) {
  constexpr std::array kValues{R"(1)",
                               R"("text")",
                               R"("it's: # \"5\"")",
                               R"(null)",
                               R"(true)",
                               R"("two\nlines")",
                               R"({})",
                               R"("5")",
                               R"([])",
                               R"(["a",{"b":1}])",
                               R"({"a":{"b":["c"]},"d":"e"})"};
  return json::read(kValues[below(random, kValues.size())]);
}

// A node of the document, with the entry that holds it and the one that holds that.
struct Target {
  YamlPath path;
  const YamlSpan::Entry* entry = nullptr;
  const YamlSpan::Entry* parent = nullptr;
  const YamlSpan* collection = nullptr;
};

// A path that is there. Keys of a merge are not: they are no nodes of the document.
std::optional<Target> random_target(Random& random, const YamlSpan& root) {
  Target target;
  const YamlSpan* span = &root;
  while (!span->entries.empty()) {
    const size_t index = below(random, span->entries.size());
    target.parent = target.entry;
    target.entry = &span->entries[index];
    target.collection = span;
    if (span->is_list()) {
      target.path.emplace_back(index);
    } else if (span->is_map() && target.entry->key != "<<") {
      target.path.emplace_back(target.entry->key);
    } else {
      return std::nullopt;
    }
    span = &target.entry->value;
    if (below(random, 3) == 0) break;
  }
  return target.entry == nullptr ? std::nullopt : std::optional(target);
}

// How many bytes of text, from its front and from its end, the edited text has too.
size_t common_front(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}
size_t common_back(std::string_view a, std::string_view b) {
  const auto [in_a, in_b] = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  return static_cast<size_t>(in_a - a.rbegin());
}

// Every byte of text in front of `begin` and behind `end` is there as before.
void expect_kept(std::string_view text, std::string_view edited, size_t begin, size_t end) {
  EXPECT_GE(common_front(text, edited), begin);
  EXPECT_GE(common_back(text, edited), text.size() - end);
}

// All of the text is there, in two pieces around what is new.
void expect_only_added(std::string_view text, std::string_view edited) {
  EXPECT_GE(common_front(text, edited) + common_back(text, edited), text.size()) << edited;
}

class RandomEdits {
 public:
  explicit RandomEdits(std::string text, Random& random)
      : text_(std::move(text)), random_(random), root_(read_yaml_spans(text_, "t.yml")) {}

  void run() {
    const std::optional<Target> target = random_target(random_, root_);
    if (!target) return;
    ++tried_;
    try {
      switch (below(random_, 3)) {
        case 0:
          set(*target);
          break;
        case 1:
          add(*target);
          break;
        default:
          remove(*target);
      }
      ++done_;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnsupported) << error.message();
      // Nothing but an anchor is a reason to refuse.
      EXPECT_NE(text_.find('&'), std::string::npos) << error.message();
    }
  }

  int tried() const { return tried_; }
  int done() const { return done_; }

 private:
  // Only the old value goes: a comment behind it stays, and one behind the colon of a block.
  void set(const Target& target) {
    const YamlSpan::Entry& entry = *target.entry;
    const size_t line = line_end(text_, entry.separator);
    const bool has_own_lines = entry.value.is_block() && entry.value.content > line;
    const size_t begin = has_own_lines ? line : entry.separator;
    const size_t end = entry.value.is_block() ? line_end(text_, entry.end()) : entry.end();
    const std::string edited = set_in_yaml(text_, "t.yml", target.path, random_value(random_));
    expect_only_added(text_.substr(0, begin) + text_.substr(end), edited);
  }

  void add(const Target& target) {
    if (!target.entry->value.is_map() && !target.entry->value.is_list()) return set(target);
    YamlPath path = target.path;
    const bool is_map = target.entry->value.is_map();
    if (is_map) path.emplace_back("new-key");
    const json::Value value = random_value(random_);
    const std::string edited = is_map ? set_in_yaml(text_, "t.yml", path, value)
                                      : append_in_yaml(text_, "t.yml", path, value);
    expect_only_added(text_, edited);
  }

  void remove(const Target& target) {
    const std::string edited = remove_from_yaml(text_, "t.yml", target.path);
    const bool is_only = target.collection->entries.size() == 1;
    const YamlSpan::Entry& outer =
        is_only && target.parent != nullptr ? *target.parent : *target.entry;
    const size_t begin = std::min(outer.begin, line_begin(text_, outer.begin));
    const bool shares_line =
        text_.substr(begin, outer.begin - begin).find_first_not_of(' ') != text_.npos;
    const auto next = std::ranges::find_if(
        target.collection->entries, [&](const auto& entry) { return entry.begin > outer.begin; });
    size_t end = line_end(text_, outer.end()) + 1;
    if (shares_line && next != target.collection->entries.end()) end = std::max(end, next->begin);
    const size_t before = std::string_view(text_).substr(0, begin).find_last_not_of("\r\n,[{ ");
    expect_kept(text_, edited, before == text_.npos ? 0 : before, std::min(end, text_.size()));
  }

  std::string text_;
  Random& random_;
  YamlSpan root_;
  int tried_ = 0;
  int done_ = 0;
};

constexpr std::array kTexts{
    "a: 1 # c\nb:\n- x # d\n- y: 1\n  z: {p: q, r: [s, t]}\n# tail",
    "# head\r\na:\r\n    b: 'x'\r\n    c: # none\r\nd: \"e\"\r\n",
    "base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3 # own\nalias: *b\nlist: [*b, &c v, *c]\n",
    "---\n? k\n: v\nm: >-\n  folded\n  text\n\nn: |+\n  kept\n\no: multi\n  line # c\n...\n",
    "- - a\n  - b # c\n- # about c\n  c: 1\n-\n- ~\n- {a: , b, c: 'it''s'}\n- !!str 5\n",
    "{a: 1, # c\n b: [1, # d\n 2,\n ], \"c\": {}}\n",
    "a:\n  # before b\n  b: 1 # behind b\n\n  # before c\n  c: # of c\n  - 1 # one\n  # between\n"
    "  - - 2 # two\n    - 3\n# tail\n",
    "\"quoted key\": 'v' # c\n'it''s': \"d\" # e\n\xc3\xa4: {\xc3\xbc: \xe2\x98\x83} # f\n",
    "jobs:\n- name: j\n  tasks: [a b, 'c d']\nenv: {A: \"1\", B: null}\npath.dotted: x\n",
};

TEST(YamlEdits, KeepEveryByteThatIsNotTheirs) {
  std::vector<std::string> texts(kTexts.begin(), kTexts.end());
  texts.push_back(os::read_file(TIDEMARK_GOLDEN_DIR "/meltano/verbs/meltano.yml"));
  Random random(20'260'101);
  int tried = 0;
  int done = 0;
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    RandomEdits edits(text, random);
    for (int i = 0; i < 400 && !testing::Test::HasFailure(); ++i) edits.run();
    tried += edits.tried();
    done += edits.done();
  }
  EXPECT_GT(done, tried * 9 / 10) << done << " of " << tried;
}

TEST(YamlEdits, FollowOneAnother) {
  std::string text = os::read_file(TIDEMARK_GOLDEN_DIR "/meltano/verbs/meltano.yml");
  Random random(7);
  int done = 0;
  for (int i = 0; i < 300; ++i) {
    const YamlSpan root = read_yaml_spans(text, "t.yml");
    const std::optional<Target> target = random_target(random, root);
    if (!target) continue;
    try {
      text = below(random, 4) == 0 && text.size() > 1000
                 ? remove_from_yaml(text, "t.yml", target->path)
                 : set_in_yaml(text, "t.yml", target->path, random_value(random));
      ++done;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnsupported) << error.message();
    }
  }
  EXPECT_GT(done, 100);
}

}  // namespace
}  // namespace tidemark::config
