#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tidemark/json/read.h"
#include "tidemark/json/write.h"
#include "tidemark/os/temp_directory.h"
#include "tidemark/project/project.h"

namespace tidemark::project {

// A project in a directory of its own, for tests.
class ProjectFixture : public testing::Test {
 protected:
  ProjectFixture() : root_(os::resolve_links(directory_.path())) {
    options_.file = root_ / "meltano.yml";
  }

  void write(const os::Path& file, std::string_view text) {
    os::remove_file(root_ / file);
    os::make_directories((root_ / file).parent_path());
    os::write_new_file(root_ / file, text);
  }

  Project load(std::string_view text) {
    write("meltano.yml", text);
    return Project::load(options_);
  }

  // The message of the Error, else "no error".
  static std::string fault(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  }

  os::TempDirectory directory_;
  os::Path root_;
  Project::Options options_;
};

// Meltano's words for where a value comes from.
inline std::string_view meltano_word(SettingSource source) {
  constexpr std::string_view kWords[] = {
      "config_override", "env",       "dotenv", "meltano_environment",
      "meltano_yml",     "inherited", "default"};
  return kWords[static_cast<size_t>(source)];
}

// What Meltano's library answered for settings of `target`; visited one by one with the project
// they are of.
class SettingVectors : public ProjectFixture {
 protected:
  using Resolve = std::function<Setting(const Project& project, const std::string& name)>;

  // How many there were.
  size_t check(std::string_view target, const Resolve& resolve) {
    const json::Value all = json::read(os::read_file(TIDEMARK_GOLDEN_DIR "/meltano/vectors.json"));
    size_t count = 0;
    for (const json::Value& vector : all.find("settings")->as_array()) {
      if (vector.find("target")->as_string() != target) continue;
      ++count;
      SCOPED_TRACE(json::write(vector));
      check_one(vector, resolve);
    }
    return count;
  }

 private:
  void check_one(const json::Value& vector, const Resolve& resolve) {
    write(".env", vector.find(".env")->as_string());
    os::Environment::Variables variables;
    for (const auto& [name, value] : vector.find("env")->as_object()) {
      variables[name] = value.as_string();
    }
    options_.environment = os::Environment(std::move(variables));
    options_.environment_choice = {.use = EnvironmentUse::kExplicit};
    if (const json::Value* environment = vector.find("environment")) {
      options_.environment_choice.flag = environment->as_string();
    }
    const Project project = load(vector.find("meltano.yml")->as_string());
    const std::string name = vector.find("setting")->as_string();
    if (vector.find("error") != nullptr) {
      EXPECT_THROW(resolve(project, name), Error);
      return;
    }
    const Setting setting = resolve(project, name);
    EXPECT_EQ(shown(setting.value.to_json()), expected(*vector.find("value")));
    EXPECT_EQ(meltano_word(setting.source), vector.find("source")->as_string());
  }

  // The vectors were made below a folder of their own.
  std::string shown(const json::Value& value) const {
    std::string text = json::write(value);
    if (const size_t root = text.find(root_.native()); root != std::string::npos) {
      text.replace(root, root_.native().size(), "<root>");
    }
    return text;
  }

  static std::string expected(const json::Value& value) {
    if (const json::Value* python = value.find("py")) {  // Decimal('1.50')
      const std::string& text = python->as_string();
      return text.substr(9, text.size() - 11);
    }
    std::string text = json::write(value);
    if (const size_t root = text.find("<tmp>/s15"); root != std::string::npos) {
      text.replace(root, 9, "<root>");
    }
    return text;
  }
};

}  // namespace tidemark::project
