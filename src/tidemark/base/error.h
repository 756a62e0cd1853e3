#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace tidemark {

// What kind of failure an Error is. Only kUnavailable and kTimeout may be tried again.
enum class ErrorCode {
  kInvalid,       // bad input: a file, a setting, an argument
  kNotFound,      // the thing named does not exist
  kConflict,      // somebody else changed it first
  kLocked,        // somebody else holds it
  kUnauthorized,  // credentials missing, wrong or without the right
  kUnavailable,   // a service, disk or database that does not answer now
  kTimeout,       // no answer within the time allowed
  kCancelled,     // stopped by a signal or by the caller
  kCorrupt,       // our own data, or a peer's, is not what it must be
  kUnsupported,   // a thing this version does not do
  kInternal,      // a defect of tidemark, or a failure nobody classified
};

std::string_view to_string(ErrorCode code);

// The one exception type of the project. The message names the thing and says what was expected
// and, where there is one, the command that helps. It never holds a secret.
class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message);

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

  // Puts "context: " in front of the message. For a catch block that rethrows with `throw;`.
  void add_context(std::string_view context);

 private:
  ErrorCode code_;
  std::string message_;
};

}  // namespace tidemark
