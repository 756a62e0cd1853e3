#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "tidemark/json/value.h"

namespace tidemark::json {

// A parsed document as one array of 64-bit words: the layout of simdjson's tape
// (https://github.com/simdjson/simdjson/blob/master/doc/tape.md), which its DOM parser writes, plus
// one kind of ours for numbers that fit neither 64 bits nor a double. The top byte of a word is the
// kind.
enum class Kind : uint8_t {
  kNull = 'n',
  kTrue = 't',
  kFalse = 'f',
  kInt64 = 'l',      // the next word is the value
  kUint64 = 'u',     // above INT64_MAX; the next word is the value
  kDouble = 'd',     // the next word is the bits
  kBigNumber = 'b',  // ours: payload is the place of the number's text among the strings
  kString = '"',     // payload is the place among the strings: uint32 length, bytes, a NUL
  kArray = '[',      // payload: low 32 bits = word behind the matching end, then 24 bits of count
  kObject = '{',     // the same; members are key string, value, key string, value, ...
};

// A value inside a parsed document: two pointers and a place, passed by value. Valid as long as the
// document it points into. Nothing here allocates or throws.
class Node {
 public:
  Node() = default;
  Node(const uint64_t* tape, const uint8_t* strings, size_t index)
      : tape_(tape), strings_(strings), index_(index) {}

  Kind kind() const { return static_cast<Kind>(tape_[index_] >> 56); }
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_object() const { return kind() == Kind::kObject; }
  bool is_array() const { return kind() == Kind::kArray; }
  bool is_string() const { return kind() == Kind::kString; }

  int64_t int64() const { return static_cast<int64_t>(tape_[index_ + 1]); }
  uint64_t uint64() const { return tape_[index_ + 1]; }
  double number() const { return std::bit_cast<double>(tape_[index_ + 1]); }
  // Of a kString; of a kBigNumber its digits.
  std::string_view string() const { return string_at(tape_[index_]); }

  // Of an array or object. 0xFFFFFF means "that many or more".
  uint32_t count() const { return static_cast<uint32_t>(tape_[index_] >> 32) & 0xFFFFFF; }
  bool is_empty() const { return first().index_ == end_index(); }

  // The first element of an array; the first key of an object. Equal to end() when there is none.
  Node first() const { return {tape_, strings_, index_ + 1}; }
  Node end() const { return {tape_, strings_, end_index()}; }
  // The value behind this one: the next element, or from a key its value, or from a value the next
  // key.
  Node next() const { return {tape_, strings_, next_index()}; }

  // The member of an object, the last one of that name; nothing for other kinds.
  std::optional<Node> find(std::string_view key) const;

  bool operator==(const Node& other) const {
    return tape_ == other.tape_ && index_ == other.index_;
  }

 private:
  std::string_view string_at(uint64_t word) const {
    const uint8_t* at = strings_ + (word & 0x00FFFFFFFFFFFFFFull);
    uint32_t length;
    std::memcpy(&length, at, sizeof length);
    return {reinterpret_cast<const char*>(at + sizeof length), length};
  }
  size_t end_index() const { return static_cast<uint32_t>(tape_[index_]) - 1; }
  size_t next_index() const {
    switch (kind()) {
      case Kind::kArray:
      case Kind::kObject:
        return static_cast<uint32_t>(tape_[index_]);
      case Kind::kInt64:
      case Kind::kUint64:
      case Kind::kDouble:
        return index_ + 2;
      default:
        return index_ + 1;
    }
  }

  const uint64_t* tape_ = nullptr;
  const uint8_t* strings_ = nullptr;
  size_t index_ = 0;
};

// Compact JSON in orjson's layout: text of json columns, input of row hashes. With sort_keys, keys
// are sorted by code point at every level. The last of duplicate keys wins, in the place of the
// first.
void append_orjson(std::string& out, Node node, bool sort_keys);
// The same value as a document of its own.
Value to_value(Node node);

}  // namespace tidemark::json
