// Any text as an object store's answer: refused as corrupt, or one document whose elements have
// names, whose text is UTF-8 when the answer is, and comes back when it is written as XML again.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/error.h"
#include "tidemark/blob/xml.h"
#include "tidemark/json/utf8.h"

namespace {

using tidemark::Error;
namespace blob = tidemark::blob;
namespace json = tidemark::json;

struct Leaf {
  std::string path;
  std::string text;
};

void check(bool holds) {
  if (!holds) std::abort();
}

// The leaves, or none when the document is refused.
std::vector<Leaf> leaves(std::string_view document) {
  std::vector<Leaf> found;
  try {
    blob::read_xml(document, [&](const blob::XmlLeaf& leaf) {
      found.push_back({std::string(leaf.path), std::string(leaf.text)});
    });
  } catch (const Error& error) {
    check(error.code() == tidemark::ErrorCode::kCorrupt);
    return {};
  }
  check(!found.empty());
  return found;
}

bool is_utf8(std::string_view text) { return json::valid_utf8_size(text) == text.size(); }

void check_path(std::string_view path) {
  check(path.find_first_of(" \t\r\n<>&\"'=") == std::string_view::npos);
  check(!path.empty() && path.front() != '/' && path.back() != '/');
  check(path.find("//") == std::string_view::npos);
}

std::string element(std::string_view text) {
  std::string xml = "<r>";
  for (char c : text) {
    if (c == '<') {
      xml += "&lt;";
    } else if (c == '&') {
      xml += "&amp;";
    } else {
      xml += c;
    }
  }
  return xml + "</r>";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string document(reinterpret_cast<const char*>(data), size);
  const std::vector<Leaf> found = leaves(document);
  for (const Leaf& leaf : found) {
    check_path(leaf.path);
    check(is_utf8(leaf.text) || !is_utf8(document));
    const std::vector<Leaf> again = leaves(element(leaf.text));
    check(again.size() == 1 && again[0].text == leaf.text);
  }
  // Two answers are none.
  if (!found.empty()) check(leaves(document + document).empty());
  return 0;
}
