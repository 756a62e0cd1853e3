#pragma once

#include <functional>
#include <string_view>

namespace tidemark::blob {

// An element that holds text and no other element.
struct XmlLeaf {
  std::string_view path;        // names from the root down: "ListBucketResult/Contents/Key"
  std::string_view attributes;  // as written
  std::string_view text;        // decoded

  bool operator==(const XmlLeaf&) const = default;
};

// Reads the answers of object stores: UTF-8, with entities and CDATA, without a document type. The
// leaves come in their order; what they refer to is valid during the visit. Error kCorrupt for what
// is no such document, also after leaves were visited.
void read_xml(std::string_view document, const std::function<void(const XmlLeaf& leaf)>& visit);

}  // namespace tidemark::blob
