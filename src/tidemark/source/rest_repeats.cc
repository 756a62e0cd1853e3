#include "tidemark/source/rest_repeats.h"

namespace tidemark::rest {

bool is_same(json::Node a, json::Node b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case json::Kind::kInt64:
    case json::Kind::kUint64:
    case json::Kind::kDouble:
      return a.uint64() == b.uint64();
    case json::Kind::kString:
    case json::Kind::kBigNumber:
      return a.string() == b.string();
    case json::Kind::kArray:
    case json::Kind::kObject:
      break;
    default:
      return true;
  }
  // Keys and values alternate; a key is a string like any other.
  const json::Node a_end = a.end();
  const json::Node b_end = b.end();
  a = a.first();
  b = b.first();
  for (; !(a == a_end) && !(b == b_end); a = a.next(), b = b.next()) {
    if (!is_same(a, b)) return false;
  }
  return a == a_end && b == b_end;
}

bool RepeatFilter::read_key(json::Node row, std::string& out) const {
  out.clear();
  for (const std::string& name : key_) {
    const auto field = row.find(name);
    if (!field) return false;
    append_orjson(out, *field, false);
    out += '\n';
  }
  return true;
}

std::vector<json::Node> RepeatFilter::keep(std::shared_ptr<const json::Document> document,
                                           const std::vector<json::Node>& rows) {
  std::vector<json::Node> kept;
  kept.reserve(rows.size());
  std::unordered_map<std::string, json::Node> keyed;
  std::string key;
  for (const json::Node row : rows) {
    const bool has_key = read_key(row, key);
    const auto before = has_key ? rows_.find(key) : rows_.end();
    if (before != rows_.end() && is_same(before->second, row)) {
      ++left_out_;
    } else {
      kept.push_back(row);
    }
    if (has_key) keyed.insert_or_assign(key, row);
  }
  rows_ = std::move(keyed);
  document_ = std::move(document);
  return kept;
}

}  // namespace tidemark::rest
