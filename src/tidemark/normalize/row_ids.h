#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tidemark/base/hash.h"
#include "tidemark/base/random.h"
#include "tidemark/json/node.h"

namespace tidemark::normalize {

// Makes _dlt_id values (dlt 1.31): 10 bytes as 14 characters of base64 without padding. One thread.
class RowIds {
 public:
  static constexpr size_t kBytes = 10;
  static constexpr size_t kLength = 14;

  explicit RowIds(Random& random) : random_(random) {}

  // Of a root row.
  void random_id(std::string& out);
  // Of a nested row: hash of `<parent id>_<table>_<list index>`.
  void nested_id(std::string_view parent_id, std::string_view table, uint64_t list_index,
                 std::string& out);
  // Hash of a JSON text: row and key hashes.
  void text_id(std::string_view text, std::string& out);

 private:
  void encode(const uint8_t* bytes, std::string& out);

  Random& random_;
  Shake128 shake_;
  std::array<uint8_t, kBytes * 512> pool_{};
  size_t used_ = kBytes * 512;
  std::string scratch_;
};

// The text that a key hash is made of: a JSON object with its keys in order of code points.
std::string hash_text(const std::map<std::string_view, json::Node>& members);
// The text that a row hash is made of: the row's own keys in order of code points, without those
// that start with _dlt.
std::string row_hash_text(json::Node row);

}  // namespace tidemark::normalize
