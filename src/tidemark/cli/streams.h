#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemark::cli {

// Where text for people or programs goes. Thread-safe per call: a call's text is never mixed with
// another's.
class Output {
 public:
  virtual ~Output() = default;

  // Error kUnavailable when the text cannot be written; a reader that has gone away (EPIPE) is no
  // error, further text is dropped.
  virtual void write(std::string_view text) = 0;
  virtual bool is_terminal() const = 0;
  // Columns of the terminal; 80 elsewhere.
  virtual size_t width() const = 0;
};

class Input {
 public:
  virtual ~Input() = default;

  // The next line without its end; nothing at the end of the input, or when a signal came.
  virtual std::optional<std::string> read_line() = 0;
  virtual bool is_terminal() const = 0;
};

// Open file descriptors, which stay the caller's.
class FileOutput final : public Output {
 public:
  explicit FileOutput(int descriptor) : descriptor_(descriptor) {}

  void write(std::string_view text) override;
  bool is_terminal() const override;
  size_t width() const override;

 private:
  int descriptor_;
};

class FileInput final : public Input {
 public:
  explicit FileInput(int descriptor) : descriptor_(descriptor) {}

  std::optional<std::string> read_line() override;
  bool is_terminal() const override;

 private:
  int descriptor_;
};

}  // namespace tidemark::cli
