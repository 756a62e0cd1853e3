#include "tidemark/cli/plugin_definition.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/error.h"
#include "tidemark/config/yaml.h"
#include "tidemark/net/http.h"
#include "tidemark/os/files.h"
#include "tidemark/project/setting_definition.h"

namespace tidemark::cli {
namespace {

using project::PluginType;

constexpr std::array<std::string_view, 18> kKeys{
    "name",         "namespace",
    "python",       "hidden",
    "label",        "variant",
    "docs",         "repo",
    "pip_url",      "executable",
    "description",  "logo_url",
    "capabilities", "settings_group_validation",
    "settings",     "requires",
    "commands",     "env",
};

std::string fetch(const Console& console, const std::string& address) {
  const auto http = net::make_http_client({});
  const net::HttpRequest request{.url = address};
  const net::HttpResponse response = http->send(request, *console.context().cancellation);
  if (response.status == 200) return std::string(response.body.view());
  throw Error(ErrorCode::kInvalid,
              fmt::format("{}: status {}", net::describe(request), response.status));
}

std::string read_text(const Console& console, const std::string& place) {
  const bool is_address = place.starts_with("http://") || place.starts_with("https://");
  return is_address ? fetch(console, place)
                    : os::read_file(console.context().surroundings.current_directory / place);
}

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    std::string_view word = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
    word = word.substr(0, word.find_last_not_of(' ') + 1);
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

// `name[:kind]`, several with commas. Error kInvalid for a kind that is none.
json::Value read_settings(const std::string& text) {
  json::Array settings;
  for (const std::string& word : words_of(text)) {
    const size_t colon = word.find(':');
    json::Object setting{{"name", word.substr(0, colon)}};
    if (colon != std::string::npos) {
      const std::string kind = word.substr(colon + 1);
      setting.set("kind", kind);
      if (kind == "password") setting.set("sensitive", true);
    }
    settings.emplace_back(std::move(setting));
  }
  project::read_setting_definitions(config::Node::from_json(settings));
  return settings;
}

json::Value read_capabilities(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  return json::Array(words.begin(), words.end());
}

json::Value as_text(const std::string& text) { return text; }

// The questions of one definition.
class Questions {
 public:
  Questions(const Console& console, const CustomPlugin& given) : console_(console), given_(given) {}

  // What the flag says, else what is answered to `(name) [proposal]: `, else the proposal. An
  // answer that cannot be read is asked for again.
  template <typename Read>
  json::Value ask(std::string_view name, std::string_view flag,
                  std::optional<std::string> CustomPlugin::* given, const std::string& proposal,
                  const Read& read) const {
    if (given_.*given) return read(*(given_.*given));
    if (console_.options().assume_yes) return read(proposal);
    while (true) {
      const std::string shown = proposal.empty() ? "[]" : proposal;
      const std::string answer = read_answer(fmt::format("({}) [{}]: ", name, shown), flag);
      try {
        return read(answer.empty() ? proposal : answer);
      } catch (const Error& error) {
        console_.error(error.message());
      }
    }
  }

 private:
  std::string read_answer(const std::string& question, std::string_view flag) const {
    const CliContext& context = console_.context();
    context.err->write(question);
    const std::optional<std::string> answer = context.in->read_line();
    context.cancellation->throw_if_cancelled();
    if (answer) return *answer;
    context.err->write("\n");
    throw Error(ErrorCode::kInvalid,
                fmt::format("there is nobody to answer: {} says it, --yes takes what stands in "
                            "brackets; nothing was changed",
                            flag));
  }

  const Console& console_;
  const CustomPlugin& given_;
};

std::string underscored(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

// As Meltano derives it: the last part of the address without what stands behind its last dot.
std::string executable_of(const std::string& name, const std::string& pip_url) {
  return pip_url.empty() ? name : os::Path(pip_url).stem().native();
}

void set_unless_empty(json::Object& definition, std::string_view key, json::Value value) {
  const bool is_empty = value.is_string() ? value.as_string().empty() : value.as_array().empty();
  if (!is_empty) definition.set(key, std::move(value));
}

}  // namespace

json::Object read_definition(const Console& console, const std::string& place) {
  const json::Value read = config::read_yaml(read_text(console, place), place).to_json();
  const json::Value given = read.is_null() ? json::Value(json::Object()) : read;
  if (!given.is_object()) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("{}: Plugin definition is invalid: incorrect format", place));
  }
  std::vector<std::string_view> missing;
  for (const std::string_view key : {"name", "namespace"}) {
    if (given.find(key) == nullptr) missing.push_back(key);
  }
  if (!missing.empty()) {
    throw Error(ErrorCode::kInvalid,
                fmt::format("{}: Plugin definition is invalid: missing properties ({})", place,
                            fmt::join(missing, ", ")));
  }
  json::Object definition;
  for (const std::string_view key : kKeys) {
    if (const json::Value* value = given.find(key)) definition.set(key, *value);
  }
  return definition;
}

json::Object ask_for_definition(const Console& console, PluginType type, const std::string& name,
                                const CustomPlugin& given) {
  const Questions questions(console, given);
  json::Object definition{{"name", name}};
  definition.set("namespace", questions.ask("namespace", "--namespace", &CustomPlugin::name_space,
                                            underscored(name), as_text));
  const json::Value pip_url =
      questions.ask("pip_url", "--pip-url", &CustomPlugin::pip_url, name,
                    [](const std::string& text) { return json::Value(text == "n" ? "" : text); });
  set_unless_empty(definition, "pip_url", pip_url);
  set_unless_empty(definition, "executable",
                   questions.ask("executable", "--executable", &CustomPlugin::executable,
                                 executable_of(name, pip_url.as_string()), as_text));
  if (type == PluginType::kExtractors) {
    set_unless_empty(definition, "capabilities",
                     questions.ask("capabilities", "--capabilities", &CustomPlugin::capabilities,
                                   "", read_capabilities));
  }
  const bool has_settings = type == PluginType::kExtractors || type == PluginType::kLoaders ||
                            type == PluginType::kTransformers;
  if (has_settings) {
    set_unless_empty(
        definition, "settings",
        questions.ask("settings", "--settings", &CustomPlugin::settings, "", read_settings));
  }
  return definition;
}

}  // namespace tidemark::cli
