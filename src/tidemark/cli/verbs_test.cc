#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemark/cli/meltano_steps.h"
#include "tidemark/cli/run_cli.h"
#include "tidemark/cli/test_world.h"
#include "tidemark/os/temp_directory.h"

namespace tidemark::cli {
namespace {

// Meltano's own steps, each from the files that it began with there: what is printed, how it ends
// and what the files say afterwards.
class Verbs : public testing::Test {
 protected:
  Verbs() : root_(os::resolve_links(directory_.path())) {
    world_.context.surroundings.current_directory = root_;
    os::make_directories(root_ / "bin");
    program("probe-tap", "exec /bin/cat " TIDEMARK_GOLDEN_DIR "/meltano/catalogs/118003f148.json");
  }

  void program(const std::string& name, const std::string& script) {
    const os::Path file = root_ / "bin" / name;
    os::write_new_file(file, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

  // Steps in `different` do something else on purpose; docs/meltano.md says what.
  void follow(const std::string& name, const std::set<std::string>& different) {
    follow_meltano(
        name, [&](const json::Value& step, const MeltanoFiles& before, const MeltanoFiles& after) {
          if (different.contains(step.find("n")->as_string())) return;
          SCOPED_TRACE(json::write(step));
          compare(step, before, after);
          ++compared_;
        });
  }

  void compare(const json::Value& step, const MeltanoFiles& before, const MeltanoFiles& after) {
    for (const auto& [file, text] : before) write(file, text);
    EXPECT_EQ(run(step), step.find("exit")->as_int64()) << world_.err.text;
    EXPECT_EQ(world_.out.text, result_of(step)) << world_.err.text;
    for (const auto& [file, text] : after) {
      SCOPED_TRACE(file);
      // Of a lock file Meltano changes the last line break, or writes one for a custom plugin.
      if (file.ends_with(".lock") && text) continue;
      const auto is = os::read_file_if_exists(root_ / file);
      ASSERT_EQ(is.has_value(), text.has_value());
      if (!text) continue;
      if (file == "meltano.yml") {
        EXPECT_EQ(said_by(*is), said_by(*text));
      } else {
        EXPECT_EQ(*is, *text);
      }
    }
    for (const auto& [file, text] : after) os::remove_file(root_ / file);
  }

  // What Meltano printed, less its questions, which are no result.
  static std::string result_of(const json::Value& step) {
    const std::string& out = step.find("stdout")->as_string();
    if (!out.starts_with("<explanations")) return out;
    const size_t start = std::min(out.find("Added "), out.find("Updated "));
    return start == std::string::npos ? "" : out.substr(start);
  }

  int run(const json::Value& step) {
    std::vector<std::string> words;
    for (const json::Value& word : step.find("argv")->as_array()) words.push_back(word.as_string());
    words.erase(words.begin());
    os::Environment::Variables variables{{"TOK", "t0k"}, {"PATH", (root_ / "bin").native()}};
    if (const json::Value* env = step.find("env")) {
      for (const auto& [variable, value] : env->as_object()) {
        variables[variable] = value.as_string();
      }
    }
    world_.environment = os::Environment(variables);
    world_.in.lines = answers_of(step);
    world_.out.text.clear();
    world_.err.text.clear();
    return run_cli(words, world_.context);
  }

  void write(const os::Path& file, const std::optional<std::string>& text) {
    os::remove_file(root_ / file);
    if (!text) return;
    os::make_directories((root_ / file).parent_path());
    os::write_new_file(root_ / file, *text);
  }

  os::TempDirectory directory_;
  os::Path root_;
  TestWorld world_;
  size_t compared_ = 0;
};

TEST_F(Verbs, SelectIsMeltanos) {
  follow("select", {
                       // A catalog that another catalog was made from is not shown for its own.
                       "select-33",
                   });
  EXPECT_EQ(compared_, 35);
}

TEST_F(Verbs, AddIsMeltanos) {
  follow("add", {
                    // A file that is not there is no usage error.
                    "add-6",
                    "add-10",
                    // A lock file is taken where Meltano asks the Hub.
                    "add-25",
                    // It installs a package.
                    "add-37",
                });
  EXPECT_EQ(compared_, 34);
}

TEST_F(Verbs, RemoveIsMeltanos) {
  follow("remove", {
                       // No value is written to the system database.
                       "remove-1",
                       // Another plugin has an alias of what is to be removed.
                       "remove-3",
                       // The lock file of a plugin whose name begins like this stays.
                       "remove-4",
                       // The parent has gone: the settings that are left are shown.
                       "remove-11",
                   });
  EXPECT_EQ(compared_, 9);
}

}  // namespace
}  // namespace tidemark::cli
