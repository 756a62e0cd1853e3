#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidemark/json/node.h"

namespace tidemark::json {

// Bytes with kPadding readable zero bytes behind them, as simdjson needs. Moves, never copies.
class Buffer {
 public:
  static constexpr size_t kPadding = 64;

  Buffer() = default;
  explicit Buffer(size_t capacity);
  // Copies text.
  explicit Buffer(std::string_view text);

  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  std::string_view view() const { return {data_.get(), size_}; }

  // size <= capacity(); the padding behind it is zeroed.
  void resize(size_t size);
  // Keeps the bytes; grows by doubling.
  void append(std::string_view bytes);

 private:
  std::unique_ptr<char[]> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// One parsed JSON text. Immutable, shared between threads.
class Document {
 public:
  Node root() const { return {tape_.data(), strings_.data(), 1}; }
  // Bytes held.
  size_t byte_size() const;

 private:
  friend class Parser;
  friend class DocumentBuilder;
  std::vector<uint64_t> tape_;
  std::vector<uint8_t> strings_;
};

// Parses JSON texts one after the other with memory that is reused. One object a thread.
//
// The fast path is simdjson's DOM; a text it refuses goes once through the exact reader, so
// integers beyond 64 bits, 1e400 and lone surrogates are read and real faults get line and byte.
// Error kInvalid.
class Parser {
 public:
  Parser();
  ~Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // Parses padded text (Buffer::kPadding readable bytes behind it). The node is valid until the
  // next call. line and byte are the place of the text's first byte in its file, for errors.
  Node parse(std::string_view text, uint64_t line = 1, uint64_t byte = 1);
  // Parses into a document of its own.
  std::shared_ptr<const Document> parse_document(const Buffer& text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Writes a document value by value: rows that come from CSV, from a database or from library code.
class DocumentBuilder {
 public:
  DocumentBuilder();

  // A value inside an object is preceded by its key. Keys of one name share one string.
  void key(std::string_view name);
  void null();
  void boolean(bool value);
  void int64(int64_t value);
  void uint64(uint64_t value);
  void number(double value);  // finite
  // Of the kind that holds it: what fits neither 64 bits nor a double keeps its digits.
  void number(const Number& number);
  void big_number(std::string_view digits);
  void string(std::string_view text);
  void value(const Value& value);
  // A copy of what lies in another document.
  void node(Node node);
  void begin_object();
  void end_object();
  void begin_array();
  void end_array();

  // The finished document; the builder is empty again. Every begin must have its end.
  std::shared_ptr<const Document> finish();

 private:
  struct Container {
    size_t begin;  // its word
    uint64_t count;
  };
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };

  void add_value(Kind kind, uint64_t payload);
  void add_number(Kind kind, uint64_t bits);
  uint64_t add_string(std::string_view text);
  void begin(Kind kind);
  void end(char kind);

  std::shared_ptr<Document> document_;
  std::vector<Container> open_;
  std::unordered_map<std::string, uint64_t, KeyHash, std::equal_to<>> keys_;  // to their place
};

// Where a JSON text lies in a page's buffer.
struct TextSpan {
  size_t offset = 0;
  size_t size = 0;
  // Of its first byte in the file: its line, and its place in that line.
  uint64_t line = 1;
  uint64_t byte = 1;
};

// Rows on their way from a source to the normalizer: either texts still to be parsed (one row each,
// by whichever thread takes the page) or rows of a document that is parsed already (a response
// whose links the source had to read). A cheap shared handle on immutable data.
class Page {
 public:
  Page() = default;
  // One row a text. origin names the file or address for errors.
  static Page texts(std::shared_ptr<const Buffer> buffer, std::vector<TextSpan> spans,
                    std::string origin);
  // The elements of rows, when it is an array, else rows itself as one row.
  static Page rows(std::shared_ptr<const Document> document, Node rows, std::string origin);
  // The given nodes of the document: what a selector with several matches found.
  static Page nodes(std::shared_ptr<const Document> document, std::vector<Node> nodes,
                    std::string origin);

  size_t row_count() const;
  // Bytes that the page keeps alive: what queues are bounded by.
  size_t byte_size() const;
  // Bytes of the rows: of their texts, or of the parsed document. What people are shown.
  size_t data_size() const;
  const std::string& origin() const;

 private:
  friend class RowReader;
  struct Data;
  std::shared_ptr<const Data> data_;
};

// Reads the rows of one page in order.
class RowReader {
 public:
  // Both must outlive the reader.
  RowReader(const Page& page, Parser& parser);

  // The next row, valid until the next call; nothing at the end. Error kInvalid names origin, line,
  // byte.
  std::optional<Node> next();

 private:
  const Page& page_;
  Parser& parser_;
  size_t position_ = 0;
};

}  // namespace tidemark::json
