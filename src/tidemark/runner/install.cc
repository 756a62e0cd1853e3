#include "tidemark/runner/install.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <set>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/cancellation.h"
#include "tidemark/base/error.h"
#include "tidemark/base/hash.h"
#include "tidemark/config/expand.h"
#include "tidemark/os/child.h"
#include "tidemark/os/lock_file.h"
#include "tidemark/project/plugin_installation.h"
#include "tidemark/project/plugin_variables.h"
#include "tidemark/project/shell_words.h"
#include "tidemark/runner/chain.h"
#include "tidemark/runner/lines.h"

namespace tidemark::runner {
namespace {

using project::Plugin;
using project::Project;
using Words = std::vector<std::string>;

constexpr std::string_view kFingerprintFile = ".meltano_plugin_fingerprint";
constexpr size_t kShownLines = 20;

// What the tools get: no active environment plays a part.
os::Environment tool_environment(const Project& project) {
  const os::Environment all = project::overlay(
      project::overlay(project.dotenv().values, project.process_variables().values),
      project.own_variables().values);
  os::Environment::Variables variables = project::without_withheld(all).variables();
  variables.erase("VIRTUAL_ENV");
  variables.erase("PYTHONPATH");
  return os::Environment(std::move(variables));
}

std::optional<std::string> wanted_python(const Project& project, const Plugin& plugin) {
  if (const auto own = plugin.attribute("python")) return own->string();
  const config::Node setting = project.settings().find("python").value;
  if (setting.is_string() && !setting.string().empty()) return setting.string();
  const auto file = os::read_file_if_exists(project.root() / ".python-version");
  if (!file) return std::nullopt;
  const std::string version = readable(std::string_view(*file).substr(0, file->find('\n')));
  return version.empty() ? std::nullopt : std::optional(version);
}

os::Path venv_of(const Project& project, const Plugin& plugin) {
  return *project::virtual_environment(project, plugin);
}

bool has_fingerprint(const os::Path& venv, const std::string& fingerprint) {
  return os::path_exists(venv / "bin" / "python") &&
         os::read_file_if_exists(venv / kFingerprintFile) == fingerprint;
}

// Installs one plugin.
class Installer {
 public:
  Installer(const RunContext& context, const Plugin& plugin, const InstallOptions& options)
      : context_(context),
        plugin_(plugin),
        options_(options),
        environment_(tool_environment(context.project)),
        venv_(venv_of(context.project, plugin)),
        uv_(find_uv()) {}

  void install() {
    const Requirement requirement = *requirement_of(context_.project, plugin_);
    const std::string fingerprint = requirement.fingerprint();
    const bool was_there = has_fingerprint(venv_, fingerprint);
    const std::unique_ptr<os::LockFile> lock = wait_for_others();
    // Another process has installed the same meanwhile.
    if (!was_there && has_fingerprint(venv_, fingerprint)) return;
    if (options_.is_clean || !has_fingerprint(venv_, fingerprint)) {
      make_environment(requirement.python);
    }
    add_packages(requirement.words);
    os::replace_file(venv_ / kFingerprintFile, fingerprint, venv_, context_.random);
  }

 private:
  // One process at a time works on a virtual environment.
  std::unique_ptr<os::LockFile> wait_for_others() const {
    constexpr std::chrono::milliseconds kTick{100};
    const Cancellation never;  // the control says what stopped the run
    const os::Path file = venv_.parent_path() / ".install.lock";
    os::make_directories(venv_.parent_path());
    for (bool is_told = false;; is_told = true) {
      auto result = os::LockFile::try_acquire(file, {.operation = "install " + plugin_.name()});
      if (auto* lock = std::get_if<std::unique_ptr<os::LockFile>>(&result)) return std::move(*lock);
      if (!is_told) {
        context_.log.info(
            fmt::format("Waiting for another process that installs '{}'", plugin_.name()));
      }
      context_.sleeper.sleep(kTick, never);
      context_.control.throw_if_stopped();
    }
  }

  std::optional<os::Path> find_uv() const {
    const config::Node backend = context_.project.settings().find("venv.backend").value;
    if (!backend.is_string() || backend.string() != "uv") return std::nullopt;
    return os::find_program("uv", environment_, context_.project.root());
  }

  os::Path find(const std::string& program) const {
    const auto found = os::find_program(program, environment_, context_.project.root());
    if (found) return *found;
    throw Error(ErrorCode::kNotFound, fmt::format("there is no {} on the PATH", program));
  }

  void make_environment(const std::optional<std::string>& python) {
    // A run must not take for whole what is being made anew.
    os::remove_file(venv_ / kFingerprintFile);
    if (uv_) {
      Words words{"venv", "--clear"};
      if (python) words.push_back("--python=" + *python);
      words.push_back(venv_.native());
      run(*uv_, words);
      return;
    }
    const bool is_version =
        python && !python->empty() && (*python)[0] >= '0' && (*python)[0] <= '9';
    run(find(is_version ? "python" + *python : python.value_or("python3")),
        {"-m", "venv", "--clear", venv_.native()});
  }

  void add_packages(const Words& packages) {
    const os::Path python = venv_ / "bin" / "python";
    Words words = uv_ ? Words{"pip", "install", "--python=" + python.native()}
                      : Words{"-m", "pip", "install"};
    if (options_.ignores_python_version && !uv_) words.emplace_back("--ignore-requires-python");
    words.insert(words.end(), packages.begin(), packages.end());
    run(uv_ ? *uv_ : python, words);
  }

  void run(const os::Path& program, const Words& arguments) {
    std::deque<std::string> last;
    LineSplitter lines(Chain::kLongestLogLine);
    const auto keep = [&](std::string_view line) {
      const std::string text = readable(line);
      if (text.empty()) return;
      context_.log.plugin(plugin_.name(), LogLevel::kDebug, text, {});
      last.push_back(text);
      if (last.size() > kShownLines) last.pop_front();
    };
    Chain chain({{plugin_.name(), program, arguments, environment_}}, {});
    const auto ends = chain.wait({.log_line = [&](size_t, std::string_view line) { keep(line); },
                                  .output = [&](std::string_view bytes) { lines.add(bytes, keep); },
                                  .ask = [&] { return context_.control.ask(); }});
    lines.finish(keep);
    context_.control.throw_if_stopped();
    if (ends.front().end.is_success()) return;
    throw Error(ErrorCode::kInvalid,
                fmt::format("{} {} ended with {}:\n  {}", program.filename().native(),
                            fmt::join(arguments, " "), describe(ends.front().end),
                            fmt::join(last, "\n  ")));
  }

  const RunContext& context_;
  const Plugin& plugin_;
  const InstallOptions& options_;
  os::Environment environment_;
  os::Path venv_;
  std::optional<os::Path> uv_;
};

std::string lower_label(const Plugin& plugin) {
  return fmt::format("{} '{}'", project::words_of(plugin.type()).singular, plugin.name());
}

// Those that need an environment of their own; says why others do not.
std::vector<const Plugin*> installable(const RunContext& context,
                                       const std::vector<Plugin>& plugins) {
  std::vector<const Plugin*> chosen;
  std::set<os::Path> taken;
  for (const Plugin& plugin : plugins) {
    if (!project::pip_url(plugin)) {
      context.log.info(
          fmt::format("Skipped installing {}. Plugin is not installable.", lower_label(plugin)));
    } else if (!taken.insert(venv_of(context.project, plugin)).second) {
      context.log.info(
          fmt::format("Skipped installing {0}. Plugin '{1}' does not require installation: reusing "
                      "parent virtualenv.",
                      lower_label(plugin), plugin.name()));
    } else {
      chosen.push_back(&plugin);
    }
  }
  return chosen;
}

bool install_one(const RunContext& context, const Plugin& plugin, const InstallOptions& options) {
  context.log.info(fmt::format("Installing {}", lower_label(plugin)));
  try {
    Installer(context, plugin, options).install();
  } catch (const Error& error) {
    context.log.error(
        fmt::format("Installation of {} failed: {}", lower_label(plugin), error.message()));
    return false;
  }
  context.log.info(fmt::format("Installed {}", lower_label(plugin)));
  return true;
}

}  // namespace

std::string Requirement::fingerprint() const {
  const std::set<std::string> sorted(words.begin(), words.end());
  const std::string text = fmt::format("{}", fmt::join(sorted, " "));
  return to_hex(sha256(python ? fmt::format("{} python:{}", text, *python) : text));
}

std::optional<Requirement> requirement_of(const Project& project, const Plugin& plugin) {
  if (!project::pip_url(plugin)) return std::nullopt;
  const config::Node url = *plugin.attribute("pip_url");
  const config::Node expanded =
      config::expand(url, tool_environment(project), config::MissingVariable::kError);
  return Requirement{project::split_words(expanded.string()), wanted_python(project, plugin)};
}

bool is_installed(const Project& project, const Plugin& plugin) {
  const std::optional<Requirement> requirement = requirement_of(project, plugin);
  return !requirement || has_fingerprint(venv_of(project, plugin), requirement->fingerprint());
}

size_t install(const RunContext& context, const std::vector<Plugin>& plugins,
               const InstallOptions& options) {
  context.log.info(
      fmt::format("Installing {} plugin{}", plugins.size(), plugins.size() == 1 ? "" : "s"));
  const std::vector<const Plugin*> chosen = installable(context, plugins);
  std::atomic<size_t> next{0};
  std::atomic<size_t> failed{0};
  const auto work = [&] {
    for (size_t i = next++; i < chosen.size() && context.control.ask() == Stop::kNo; i = next++) {
      if (!install_one(context, *chosen[i], options)) ++failed;
    }
  };
  // A tool ends with the thread that started it, so each thread waits for its own.
  std::vector<std::jthread> workers;
  const size_t count = std::min(std::max<size_t>(options.parallelism, 1), chosen.size());
  for (size_t i = 1; i < count; ++i) workers.emplace_back(work);
  work();
  workers.clear();
  context.control.throw_if_stopped();
  if (plugins.size() > 1) {
    context.log.info(
        fmt::format("Installed {}/{} plugins", chosen.size() - failed, plugins.size()));
  }
  return failed;
}

void install_missing(const RunContext& context, const std::vector<Plugin>& plugins) {
  std::vector<Plugin> missing;
  for (const Plugin& plugin : plugins) {
    if (!is_installed(context.project, plugin)) missing.push_back(plugin);
  }
  if (missing.empty()) return;
  if (install(context, missing, {.parallelism = missing.size()}) > 0) {
    throw Error(ErrorCode::kInvalid,
                "a plugin could not be installed; --no-install runs with what is there");
  }
}

}  // namespace tidemark::runner
