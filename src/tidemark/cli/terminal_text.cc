#include "tidemark/cli/terminal_text.h"

#include <cstdint>

#include <fmt/format.h>

#include "tidemark/json/utf8.h"

namespace tidemark::cli {
namespace {

// The control characters of ASCII and Latin-1, and those that turn the direction of writing.
bool is_control(uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) ||
         (code_point >= 0x202A && code_point <= 0x202E) ||
         (code_point >= 0x2066 && code_point <= 0x2069);
}

std::string shown(std::string_view text, std::string_view kept) {
  std::string out;
  while (!text.empty()) {
    const size_t size = json::utf8_sequence_size(text);
    if (size == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    const std::string_view sequence = text.substr(0, size);
    const uint32_t code_point = json::utf8_code_point(sequence);
    if (is_control(code_point) && kept.find(sequence) == std::string_view::npos) {
      out += fmt::format("\\u{:04x}", code_point);
    } else {
      out += sequence;
    }
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace

std::string terminal_text(std::string_view text) { return shown(text, "\n\t"); }

std::string terminal_line(std::string_view text) { return shown(text, ""); }

}  // namespace tidemark::cli
