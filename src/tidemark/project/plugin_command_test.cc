#include "tidemark/project/plugin_command.h"

#include "tidemark/project/setting_vectors.h"
#include "tidemark/project/shell_words.h"

namespace tidemark::project {
namespace {

using Words = std::vector<std::string>;

TEST(SplitWords, AreThoseOfAShell) {
  EXPECT_EQ(split_words("run --x  'a b' \"c \\\"d\\\" \\n\" e\\ f ''"),
            (Words{"run", "--x", "a b", "c \"d\" \\n", "e f", ""}));
  EXPECT_EQ(split_words(" a'b'\"c\" \t\n"), Words{"abc"});
  EXPECT_EQ(split_words(""), Words());
  EXPECT_THROW(split_words("a 'b"), Error);
  EXPECT_THROW(split_words("a \"b"), Error);
  EXPECT_THROW(split_words("a \\"), Error);
}

class PluginCommands : public ProjectFixture {
 protected:
  static constexpr std::string_view kText =
      "plugins:\n"
      "  utilities:\n"
      "  - name: dbt\n"
      "    namespace: dbt\n"
      "    commands:\n"
      "      run: run --target '$TARGET'\n"
      "      docs: {args: docs serve, executable: other, description: Shows them}\n"
      "  - name: dbt-child\n"
      "    inherit_from: dbt\n"
      "    commands: {docs: none, extra: x}\n";

  PluginCommand find(std::string_view plugin, std::string_view name) {
    const Project project = load(kText);
    return find_command(*Plugin::find(project.document(), project.root(), plugin), name);
  }
};

TEST_F(PluginCommands, AreInherited) {
  EXPECT_EQ(find("dbt", "docs").executable, "other");
  EXPECT_EQ(find("dbt", "docs").description, "Shows them");
  EXPECT_EQ(find("dbt-child", "run").arguments, "run --target '$TARGET'");
  EXPECT_EQ(find("dbt-child", "docs").executable, std::nullopt);
  EXPECT_EQ(fault([&] { find("dbt-child", "nope"); }),
            "Command 'nope' could not be found. Utility 'dbt-child' supports the following "
            "commands: run, docs, extra");
}

TEST_F(PluginCommands, HaveVariablesInTheirArguments) {
  const PluginCommand command = find("dbt", "run");
  EXPECT_EQ(command_arguments(command, os::Environment{{"TARGET", "a b"}}),
            (Words{"run", "--target", "a b"}));
  EXPECT_EQ(fault([&] { command_arguments(command, {}); }),
            "Command 'run' refers to $TARGET, which is not set");
}

}  // namespace
}  // namespace tidemark::project
