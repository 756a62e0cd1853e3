#include "tidemark/normalize/row_ids.h"

#include <charconv>

#include "tidemark/base/base64.h"
#include "tidemark/json/write.h"

namespace tidemark::normalize {

void RowIds::random_id(std::string& out) {
  if (used_ == pool_.size()) {
    random_.fill(pool_);
    used_ = 0;
  }
  encode(pool_.data() + used_, out);
  used_ += kBytes;
}

void RowIds::nested_id(std::string_view parent_id, std::string_view table, uint64_t list_index,
                       std::string& out) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, list_index).ptr;
  scratch_.assign(parent_id);
  scratch_ += '_';
  scratch_ += table;
  scratch_ += '_';
  scratch_.append(digits, end);
  text_id(scratch_, out);
}

void RowIds::text_id(std::string_view text, std::string& out) {
  uint8_t bytes[kBytes];
  shake_.digest(text, bytes);
  encode(bytes, out);
}

void RowIds::encode(const uint8_t* bytes, std::string& out) {
  out.resize(kLength);
  base64_encode_to({bytes, kBytes}, out.data());
}

std::string hash_text(const std::map<std::string_view, json::Node>& members) {
  std::string text = "{";
  for (const auto& [key, value] : members) {
    if (text.size() > 1) text += ',';
    json::append_quoted(text, key);
    text += ':';
    json::append_orjson(text, value, true);
  }
  return text += '}';
}

std::string row_hash_text(json::Node row) {
  // The last of duplicate keys wins.
  std::map<std::string_view, json::Node> members;
  for (json::Node key = row.first(); !(key == row.end()); key = key.next().next()) {
    if (!key.string().starts_with("_dlt")) members[key.string()] = key.next();
  }
  return hash_text(members);
}

}  // namespace tidemark::normalize
