#pragma once

#include <mutex>
#include <string_view>
#include <utility>

#include "tidemark/config/settings.h"

namespace tidemark::config {

// Settings that resources ask from several threads.
class SharedSettings {
 public:
  explicit SharedSettings(Settings settings) : settings_(std::move(settings)) {}

  // Runs what needs the settings themselves.
  template <typename Function>
  auto with(Function function) {
    const std::lock_guard lock(mutex_);
    return function(settings_);
  }
  // Of a dotted name, "sources.github.token". Error kInvalid says where it can be set.
  Secret secret(std::string_view dotted) {
    return with([&](Settings& settings) { return settings.require_secret(setting_name(dotted)); });
  }

 private:
  std::mutex mutex_;
  Settings settings_;
};

}  // namespace tidemark::config
