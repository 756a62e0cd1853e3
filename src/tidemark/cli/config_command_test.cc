#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/cli/commands.h"
#include "tidemark/cli/config_arguments.h"
#include "tidemark/cli/console.h"
#include "tidemark/cli/meltano_steps.h"
#include "tidemark/cli/test_world.h"
#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/os/temp_directory.h"
#include "tidemark/project/dotenv.h"

namespace tidemark::cli {
namespace {

using Lines = std::vector<std::string>;

// The words of a command line that Meltano was given.
struct CommandLine {
  CommonOptions common;
  ConfigArguments config;
};

class WordReader {
 public:
  explicit WordReader(const json::Array& argv) {
    for (const json::Value& word : argv) words_.push_back(word.as_string());
  }

  CommandLine read() {
    CommandLine line;
    line.common.environment = take_value("--environment");
    line.common.no_environment = take("--no-environment");
    line.common.env_file = take_value("--env-file");
    line.common.assume_yes = take("--yes");
    line.config.is_unsafe = take("--unsafe");
    line.config.plugin_type = take_value("--plugin-type").value_or("");
    const std::string store = take_value("--store").value_or("auto");
    words_.erase(words_.begin(), words_.begin() + 2);
    const std::string verb = take_first();
    line.config.verb = read_verb(verb, store);
    line.config.plugin = words_.empty() ? "" : plugin_;
    return line;
  }

 private:
  bool take(std::string_view flag) { return std::erase(words_, flag) > 0; }

  std::optional<std::string> take_value(std::string_view option) {
    const auto place = std::ranges::find(words_, option);
    if (place == words_.end()) return std::nullopt;
    std::string value = *(place + 1);
    words_.erase(place, place + 2);
    return value;
  }

  std::string take_first() {
    std::string word = words_.front();
    words_.erase(words_.begin());
    return word;
  }

  ConfigVerb read_verb(const std::string& verb, const std::string& store) {
    const auto format = take_value("--format");
    const auto filter = take_value("--filter");
    const auto from_file = take_value("--from-file");
    const bool extras = take("--extras");
    const bool all = take("--all");
    plugin_ = words_.front();
    const Lines rest(words_.begin() + 1, words_.end());
    if (verb == "list") return ConfigListArguments{extras, all, filter.value_or("")};
    if (verb == "print") return ConfigPrintArguments{format.value_or("json"), extras};
    if (verb == "set") return ConfigSetArguments{rest, from_file, store};
    if (verb == "unset") return ConfigUnsetArguments{rest, store};
    return ConfigResetArguments{store};
  }

  Lines words_;
  std::string plugin_;
};

// A project in a directory of its own.
class ConfigCommand : public testing::Test {
 protected:
  ConfigCommand() : root_(os::resolve_links(directory_.path())) {
    world_.context.surroundings.current_directory = root_;
  }

  void write(const os::Path& file, const std::optional<std::string>& text) {
    os::remove_file(root_ / file);
    if (text) os::write_new_file(root_ / file, *text);
  }
  std::optional<std::string> read(const os::Path& file) {
    return os::read_file_if_exists(root_ / file);
  }

  // The exit code; what was printed is in out_.
  int run(const CommandLine& line) {
    world_.out.text.clear();
    world_.err.text.clear();
    const Console console(world_.context, line.common);
    try {
      return run_config(console, line.config);
    } catch (const Error& error) {
      world_.err.text += error.message();
      return 1;
    }
  }
  int run(ConfigVerb verb, const std::string& plugin = "tap", bool is_unsafe = false) {
    return run(CommandLine{{.assume_yes = true}, {plugin, "", is_unsafe, std::move(verb)}});
  }
  std::string out(ConfigVerb verb, const std::string& plugin = "tap", bool is_unsafe = false) {
    EXPECT_EQ(run(std::move(verb), plugin, is_unsafe), 0) << world_.err.text;
    return world_.out.text;
  }

  os::TempDirectory directory_;
  os::Path root_;
  TestWorld world_;
};

// Meltano's own steps, each from the files that it began with there.
class ConfigVerbs : public ConfigCommand {
 protected:
  // Where we do something else on purpose; docs/settings.md says what.
  const std::set<std::string> different_{
      // Any other word is no false; `(redacted)` is no value.
      "config-set-7",
      "config-more-5",
      // `set` without a name does not loop through the settings.
      "config-misc-1",
      "config-misc-2",
      "config-misc-3",
      "config-misc-4",
      "config-misc-5",
      // Without an environment the store is the project file.
      "config-store-2",
      "config-store-6",
      "config-store-10",
      "config-store-30",
      "config-store-42",
      "config-store-64",
      // .env stays, so do the project's ID and what is no setting.
      "config-store-43",
      "config-store-46",
      "config-store-59",
      "config-store-79",
      "config-more-18",
      // A mapping is written where it stands, and is still found afterwards.
      "config-more-10",
      "config-more-12",
      // A decimal number is a number of JSON.
      "config-store-27",
      "config-more-27",
      // The command line refuses it before.
      "config-read-21",
      "config-store-35",
  };

  static bool uses_database(const json::Value& step) {
    const std::string text = json::write(*step.find("argv"));
    return text.find("\"db\"") != std::string::npos || step.find("plugin_settings_changed");
  }

  void compare(const json::Value& step, const MeltanoFiles& before, const MeltanoFiles& after) {
    const std::string name = step.find("n")->as_string();
    if (different_.contains(name) || uses_database(step)) return;
    const json::Array& argv = step.find("argv")->as_array();
    const bool is_config = std::ranges::find(argv, json::Value("config")) != argv.end();
    if (!is_config || argv.size() < 4) return;  // usage errors are the parser's
    SCOPED_TRACE(json::write(step));
    ++compared_;
    write(".env", std::nullopt);
    for (const auto& [file, text] : before) write(file, text);
    os::Environment::Variables variables{{"TOK", "t0k"}};
    if (const json::Value* env = step.find("env")) {
      for (const auto& [variable, value] : env->as_object())
        variables[variable] = value.as_string();
    }
    world_.environment = os::Environment(variables);
    world_.in.lines = answers_of(step);
    const bool is_done = step.find("exit")->as_int64() == 0;
    const int code = run(WordReader(step.find("argv")->as_array()).read());
    EXPECT_EQ(code == 0, is_done) << world_.err.text;
    EXPECT_EQ(said_by(*read("meltano.yml")), said_by(*after.at("meltano.yml")));
    const auto dotenv = after.find(".env");
    EXPECT_EQ(variables_of(read(".env")),
              variables_of(dotenv == after.end() ? std::nullopt : dotenv->second));
  }

  size_t compared() const { return compared_; }

 private:
  static std::map<std::string, std::string> variables_of(const std::optional<std::string>& text) {
    std::map<std::string, std::string> variables;
    for (const auto& assignment : project::parse_dotenv(text.value_or(""), ".env")) {
      if (assignment.value) variables[assignment.name] = *assignment.value;
    }
    return variables;
  }

  size_t compared_ = 0;
};

TEST_F(ConfigVerbs, LeaveTheFilesAsMeltanosDo) {
  follow_meltano("config", [&](const json::Value& step, const MeltanoFiles& before,
                               const MeltanoFiles& after) { compare(step, before, after); });
  EXPECT_GT(compared(), 100);
}

constexpr const char* kProject =
    "plugins:\n"
    "  extractors:\n"
    "  - name: tap\n"
    "    namespace: tap\n"
    "    settings_group_validation:\n"
    "    - [host, token]\n"
    "    - [host, url]\n"
    "    settings:\n"
    "    - {name: host, description: Where it is}\n"
    "    - {name: rows, kind: integer, value: 3}\n"
    "    - {name: token, sensitive: true}\n"
    "    - {name: url, label: URL, description: With password}\n"
    "    - {name: off, kind: boolean}\n"
    "    config:\n"
    "      host: h\n"
    "      token: $TOK\n"
    "      url: postgresql://ada:pa@ss@h/db\n"
    "      more: {deep: 5}\n";

class ConfigOutput : public ConfigCommand {
 protected:
  ConfigOutput() {
    write("meltano.yml", kProject);
    world_.environment = os::Environment{{"TOK", "t0k"}, {"TAP_ROWS", "7"}};
  }
};

TEST_F(ConfigOutput, ListSaysWhereEachValueComesFromAndHidesSecrets) {
  EXPECT_EQ(
      out(ConfigListArguments{}),
      "Setting groups (one of the following combinations is required):\n"
      "  Group 1: host, token\n"
      "  Group 2: host, url\n"
      "\n"
      "Required:\n"
      "host (required) [env: TAP_HOST] current value: 'h' (from `meltano.yml`, line 15)\n"
      "\tWhere it is\n"
      "token (required by group 1) [env: TAP_TOKEN] current value: (redacted) (from "
      "`meltano.yml`, line 16: '$TOK')\n"
      "url (required by group 2) [env: TAP_URL] current value: 'postgresql://ada:***@h/db' (from "
      "`meltano.yml`, line 17)\n"
      "\tURL: With password\n"
      "\n"
      "Configured:\n"
      "rows [env: TAP_ROWS] (default: 3) current value: 7 (from the TAP_ROWS variable in the "
      "environment)\n"
      "\n"
      "Custom, possibly unsupported by the plugin:\n"
      "more.deep [env: TAP_MORE_DEEP] current value: 5 (from `meltano.yml`, line 18)\n"
      "\n"
      "Optional settings with default values: 1 hidden. Use --all to show all.\n");
  EXPECT_NE(out(ConfigListArguments{}, "tap", true).find("current value: 't0k'"),
            std::string::npos);
}

TEST_F(ConfigOutput, ListAsJsonHasFileAndLine) {
  CommandLine line{{.json = true}, {"tap", "", false, ConfigListArguments{.filter = "HOST"}}};
  ASSERT_EQ(run(line), 0);
  EXPECT_EQ(json::write(json::read(world_.out.text)),
            R"([{"name":"host","value":"h","source":"from `meltano.yml`, line 15",)"
            R"("file":"meltano.yml","line":15,"default":null,"env":["TAP_HOST"],)"
            R"("sensitive":false,"custom":false,"description":"Where it is"}])");
}

TEST_F(ConfigOutput, PrintHasTheFormsOfMeltano) {
  EXPECT_EQ(json::write(json::read(out(ConfigPrintArguments{}))),
            R"({"host":"h","rows":7,"token":"*****","url":"postgresql://ada:***@h/db",)"
            R"("more":{"deep":5}})");
  EXPECT_EQ(json::read(out(ConfigPrintArguments{}, "tap", true)).find("token")->as_string(), "t0k");
  const std::string env = out(ConfigPrintArguments{.format = "env"});
  EXPECT_EQ(env.substr(0, 48), "TAP_HOST='h'\nMELTANO_EXTRACT_HOST='h'\nTAP_ROWS='");
  EXPECT_NE(env.find("TAP_TOKEN='*****'\n"), std::string::npos);
}

TEST_F(ConfigOutput, SetSaysWhereAndWhatStillBeatsIt) {
  EXPECT_EQ(out(ConfigSetArguments{.words = {"rows", "9"}}),
            "Extractor 'tap' setting 'rows' was set in `meltano.yml`: 9\n"
            "Current value is still: 7 (from the TAP_ROWS variable in the environment)\n");
  EXPECT_EQ(out(ConfigSetArguments{.words = {"token", "s3cr3t"}}),
            "Extractor 'tap' setting 'token' was set in `.env`: (redacted)\n");
  EXPECT_EQ(*read(".env"), "TAP_TOKEN='s3cr3t'\n");
  EXPECT_EQ(out(ConfigSetArguments{.words = {"hots", "x"}}),
            "Extractor 'tap' setting 'hots' was set in `meltano.yml`: 'x'\n");
  EXPECT_EQ(world_.err.text, "warning: unknown setting 'hots'; did you mean 'host'?\n");
}

TEST_F(ConfigOutput, UnsetNamesTheFilesItChanged) {
  EXPECT_EQ(out(ConfigUnsetArguments{.words = {"host"}}),
            "Extractor 'tap' setting 'host' in `meltano.yml` was unset\n");
  EXPECT_EQ(out(ConfigUnsetArguments{.words = {"host"}}),
            "Extractor 'tap' setting 'host' was not set\n");
  EXPECT_EQ(out(ConfigResetArguments{}), "Extractor 'tap' settings in `meltano.yml` were reset\n");
}

TEST_F(ConfigOutput, ResetAsksFirst) {
  EXPECT_EQ(run(CommandLine{{}, {"tap", "", false, ConfigResetArguments{}}}), 1);
  EXPECT_EQ(*read("meltano.yml"), kProject);
}

TEST_F(ConfigOutput, AMistypedPluginIsToldApart) {
  EXPECT_EQ(run(ConfigListArguments{}, "tpa"), 1);
  EXPECT_EQ(world_.err.text, "the project has no plugin 'tpa'; did you mean 'tap'?");
  EXPECT_EQ(run(CommandLine{{}, {"tap", "loaders", false, ConfigListArguments{}}}), 1);
  EXPECT_EQ(world_.err.text.substr(0, 31), "the project has no loader 'tap'");
}

TEST_F(ConfigOutput, RefusalsLeaveTheFileAlone) {
  const auto fault = [&](ConfigSetArguments set) {
    EXPECT_EQ(run(std::move(set)), 1);
    return world_.err.text;
  };
  EXPECT_EQ(fault({.words = {"rows", "x"}}), "rows: expected an integer");
  EXPECT_EQ(fault({.words = {"off", "nonsense"}}), "off: expected true or false");
  EXPECT_EQ(fault({.words = {"token", "(redacted)"}}),
            "'(redacted)' is how a secret is shown, not its value");
  EXPECT_EQ(fault({.words = {"rows", "1"}, .store = "db"}).substr(0, 30),
            "the store 'db' holds Python pi");
  EXPECT_EQ(fault({.words = {"rows"}}).substr(0, 15), "say what to set");
  EXPECT_EQ(*read("meltano.yml"), kProject);
}

}  // namespace
}  // namespace tidemark::cli
