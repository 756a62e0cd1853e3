#pragma once

#include <cstddef>
#include <string_view>

namespace tidemark::singer {

// Finds the members of a JSON object in a line without reading their values: a value is passed over
// by its quotes and brackets, so whether it is right in itself is left to whoever reads it.
class ObjectScanner {
 public:
  explicit ObjectScanner(std::string_view text) : text_(text) {}

  // Moves to the next member. False at the end.
  bool next();
  // With its quotes, escapes as they are written.
  std::string_view key() const { return key_; }
  // Not empty, without space around it.
  std::string_view value() const { return value_; }
  // At the end: whether the text was an object, with nothing but space around it.
  bool is_object() const { return is_object_; }

 private:
  bool fail();
  bool end();
  void skip_space();
  bool take(char c);
  // The place behind the value that starts at at_; that of the text's end when it is cut off.
  size_t value_end() const;
  size_t string_end(size_t at) const;
  size_t container_end(size_t at) const;

  std::string_view text_;
  size_t at_ = 0;
  bool is_started_ = false;
  bool is_object_ = false;
  std::string_view key_;
  std::string_view value_;
};

}  // namespace tidemark::singer
