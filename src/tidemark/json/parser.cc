#include <algorithm>

#include <simdjson.h>

#include "tidemark/json/page.h"
#include "tidemark/json/read.h"

namespace tidemark::json {

static_assert(Buffer::kPadding >= simdjson::SIMDJSON_PADDING);

namespace {

constexpr size_t kLeastCapacity = 64 * 1024;
constexpr uint64_t kPayload = 0x00FFFFFFFFFFFFFFull;

Kind kind_of(uint64_t word) { return static_cast<Kind>(word >> 56); }

bool is_number(Kind kind) {
  return kind == Kind::kInt64 || kind == Kind::kUint64 || kind == Kind::kDouble;
}

// Bytes of the string buffer that a tape of `words` uses: strings are written in the order of the
// tape, so they end with the last one.
size_t used_string_bytes(const uint64_t* tape, size_t words, const uint8_t* strings) {
  std::optional<uint64_t> last;
  for (size_t i = 1; i < words; i += is_number(kind_of(tape[i])) ? 2 : 1) {
    if (kind_of(tape[i]) == Kind::kString) last = tape[i] & kPayload;
  }
  if (!last) return 0;
  uint32_t length;
  std::memcpy(&length, strings + *last, sizeof length);
  return *last + sizeof length + length + 1;
}

}  // namespace

struct Parser::Impl {
  // simdjson grows to the size asked for and no further; a run of ever longer rows would allocate
  // for each of them.
  void reserve(size_t size) {
    if (size <= parser.capacity()) return;
    const size_t capacity = std::max({size, 2 * parser.capacity(), kLeastCapacity});
    // What fails here fails again, and is answered, in parse().
    std::ignore = parser.allocate(capacity);
    std::ignore = parser.doc.allocate(capacity);
  }

  bool parse(std::string_view text) {
    reserve(text.size());
    return parser.parse(text.data(), text.size(), false).error() == simdjson::SUCCESS;
  }

  simdjson::dom::parser parser;
  DocumentBuilder builder;
  std::shared_ptr<const Document> exact;  // of the last text that simdjson refused
};

Parser::Parser() : impl_(std::make_unique<Impl>()) {}
Parser::~Parser() = default;

Node Parser::parse(std::string_view text, uint64_t line, uint64_t byte) {
  if (impl_->parse(text)) {
    const auto& document = impl_->parser.doc;
    return {document.tape.get(), document.string_buf.get(), 1};
  }
  impl_->builder.value(read(text, line, byte));
  impl_->exact = impl_->builder.finish();
  return impl_->exact->root();
}

std::shared_ptr<const Document> Parser::parse_document(const Buffer& text) {
  if (!impl_->parse(text.view())) {
    impl_->builder.value(read(text.view()));
    return impl_->builder.finish();
  }
  const uint64_t* tape = impl_->parser.doc.tape.get();
  const uint8_t* strings = impl_->parser.doc.string_buf.get();
  const size_t words = tape[0] & kPayload;
  auto document = std::make_shared<Document>();
  document->tape_.assign(tape, tape + words);
  document->strings_.assign(strings, strings + used_string_bytes(tape, words, strings));
  return document;
}

}  // namespace tidemark::json
