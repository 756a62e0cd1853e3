#include "tidemark/source/resource.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tidemark/base/error.h"

namespace tidemark::source {

std::string_view to_string(WriteDisposition disposition) {
  switch (disposition) {
    case WriteDisposition::kAppend:
      return "append";
    case WriteDisposition::kReplace:
      return "replace";
    case WriteDisposition::kMerge:
      return "merge";
  }
  return "append";
}

json::Value& StateScope::setdefault(std::string_view key, json::Value value) {
  if (!object_->contains(key)) {
    object_->set(key, std::move(value));
  }
  return *object_->find(key);
}

Resource::Resource(ResourceOptions options, Run run)
    : data_(std::make_shared<const Data>(Data{std::move(options), {}, std::move(run), {}})) {}

Resource::Resource(ResourceOptions options, std::string parent, RunForParent run)
    : data_(std::make_shared<const Data>(
          Data{std::move(options), std::move(parent), {}, std::move(run)})) {}

const std::string& Resource::table_name() const {
  return options().table_name.empty() ? name() : options().table_name;
}

bool Resource::is_selected(const std::vector<std::string>& names) const {
  return names.empty() ? options().is_selected : std::ranges::find(names, name()) != names.end();
}

Resource Resource::with(ResourceOptions options) const {
  Resource copy = *this;
  copy.data_ = std::make_shared<const Data>(
      Data{std::move(options), data_->parent, data_->run, data_->run_for_parent});
  return copy;
}

namespace {

void check_parents(const std::string& source, const std::vector<Resource>& resources) {
  auto has = [&](const std::string& name) {
    return std::ranges::any_of(resources, [&](const Resource& r) { return r.name() == name; });
  };
  for (size_t i = 0; i < resources.size(); ++i) {
    const Resource& resource = resources[i];
    for (size_t j = 0; j < i; ++j) {
      if (resources[j].name() == resource.name()) {
        throw Error(ErrorCode::kInvalid,
                    fmt::format("source {}: two resources are called {}", source, resource.name()));
      }
    }
    if (resource.parent() && !has(*resource.parent())) {
      throw Error(ErrorCode::kInvalid,
                  fmt::format("source {}: the parent of resource {} is {}, which is none of its "
                              "resources",
                              source, resource.name(), *resource.parent()));
    }
  }
}

std::vector<Resource> parents_first(const std::string& source, std::vector<Resource> resources) {
  std::vector<Resource> ordered;
  auto is_placed = [&](const std::string& name) {
    return std::ranges::any_of(ordered, [&](const Resource& r) { return r.name() == name; });
  };
  while (!resources.empty()) {
    auto next = std::ranges::find_if(resources, [&](const Resource& resource) {
      return !resource.parent() || is_placed(*resource.parent());
    });
    if (next == resources.end()) {
      throw Error(
          ErrorCode::kInvalid,
          fmt::format("source {}: resource {} is its own parent, directly or through others",
                      source, resources.front().name()));
    }
    ordered.push_back(std::move(*next));
    resources.erase(next);
  }
  return ordered;
}

}  // namespace

Source::Source(std::string name, std::vector<Resource> resources) : name_(std::move(name)) {
  check_parents(name_, resources);
  resources_ = parents_first(name_, std::move(resources));
}

const Resource* Source::find(std::string_view name) const {
  auto found =
      std::ranges::find_if(resources_, [&](const Resource& r) { return r.name() == name; });
  return found == resources_.end() ? nullptr : &*found;
}

void Source::check_names(const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    if (find(name) != nullptr) continue;
    std::vector<std::string_view> known;
    known.reserve(resources_.size());
    for (const Resource& resource : resources_) known.push_back(resource.name());
    throw Error(ErrorCode::kInvalid, fmt::format("source {} has no resource {}; it has {}", name_,
                                                 name, fmt::join(known, ", ")));
  }
}

}  // namespace tidemark::source
