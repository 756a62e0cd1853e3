#pragma once

#include <string>
#include <utility>
#include <variant>

#include "tidemark/base/secret.h"
#include "tidemark/source/resource.h"

namespace tidemark::source {

// A secret, or the name under which the configuration of the pipeline that runs has it.
class SecretRef {
 public:
  SecretRef() = default;
  SecretRef(Secret value) : value_(std::move(value)) {}
  explicit SecretRef(std::string name) : value_(std::move(name)) {}

  bool empty() const {
    const auto* value = std::get_if<Secret>(&value_);
    return value != nullptr && value->empty();
  }
  Secret resolve(Extraction& extraction) const {
    const auto* name = std::get_if<std::string>(&value_);
    return name == nullptr ? std::get<Secret>(value_) : extraction.secret(*name);
  }

 private:
  std::variant<Secret, std::string> value_;
};

// secret("sources.github.token")
inline SecretRef secret(std::string name) { return SecretRef(std::move(name)); }

}  // namespace tidemark::source
