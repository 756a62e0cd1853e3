#include "tidemark/project/shell_words.h"

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark::project {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<std::string> split() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (is_blank(c)) {
        end_word();
        continue;
      }
      is_in_word_ = true;
      if (c == '\'' || c == '"') {
        take_quoted(c);
      } else {
        word_ += c == '\\' ? take_escaped() : c;
      }
    }
    end_word();
    return std::move(words_);
  }

 private:
  void end_word() {
    if (is_in_word_) words_.push_back(std::move(word_));
    word_.clear();
    is_in_word_ = false;
  }

  void take_quoted(char quote) {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return;
      }
      const bool is_escape = quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() &&
                             (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\');
      if (is_escape) ++at_;
      word_ += text_[at_];
    }
    throw Error(ErrorCode::kInvalid, fmt::format("no closing {} in: {}", quote, text_));
  }

  char take_escaped() {
    if (at_ == text_.size()) {
      throw Error(ErrorCode::kInvalid, fmt::format("nothing behind the last \\ in: {}", text_));
    }
    return text_[at_++];
  }

  std::string_view text_;
  size_t at_ = 0;
  bool is_in_word_ = false;
  std::string word_;
  std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> split_words(std::string_view text) { return Splitter(text).split(); }

}  // namespace tidemark::project
