#pragma once

#include <string>
#include <utility>

namespace tidemark {

// Text that must not be printed: there is no operator<<, no formatter and no conversion. reveal()
// is the only way to the text and marks every place that hands it on.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}

  const std::string& reveal() const { return text_; }
  bool empty() const { return text_.empty(); }
  bool operator==(const Secret&) const = default;

 private:
  std::string text_;
};

}  // namespace tidemark
