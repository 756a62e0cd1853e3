#include "tidemark/state/state_row.h"

#include <optional>

#include <fmt/format.h>
#include <zlib.h>

#include "tidemark/base/base64.h"
#include "tidemark/base/error.h"
#include "tidemark/json/write.h"

namespace tidemark::state {
namespace {

// A stored state beyond this is no state but a bomb.
constexpr size_t kMaxStateBytes = size_t{1} << 30;

const Bytef* bytes_of(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

std::string compress(std::string_view text) {
  uLongf size = ::compressBound(text.size());
  std::string out(size, '\0');
  int status = ::compress2(reinterpret_cast<Bytef*>(out.data()), &size, bytes_of(text), text.size(),
                           Z_BEST_COMPRESSION);
  if (status != Z_OK) {
    throw Error(ErrorCode::kInternal, fmt::format("zlib cannot compress a state: {}", status));
  }
  out.resize(size);
  return out;
}

struct InflateEnd {
  z_stream& stream;
  ~InflateEnd() { ::inflateEnd(&stream); }
};

std::string decompress(std::string_view compressed) {
  z_stream stream{};
  if (::inflateInit(&stream) != Z_OK) throw Error(ErrorCode::kInternal, "zlib does not start");
  InflateEnd end{stream};
  stream.next_in = const_cast<Bytef*>(bytes_of(compressed));
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::string out;
  int status = Z_OK;
  while (status == Z_OK && out.size() < kMaxStateBytes) {
    size_t before = out.size();
    out.resize(before == 0 ? 4 * compressed.size() + 64 : 2 * before);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(out.size() - before);
    status = ::inflate(&stream, Z_NO_FLUSH);
  }
  if (status != Z_STREAM_END) throw Error(ErrorCode::kCorrupt, "stored state is no zlib stream");
  out.resize(stream.total_out);
  return out;
}

}  // namespace

std::string encode_state(const PipelineState& state) {
  return base64_encode(compress(json::write(state.synchronised_part())));
}

PipelineState decode_state(std::string_view text) {
  std::optional<std::string> compressed = base64_decode(text);
  try {
    return PipelineState::read(compressed ? decompress(*compressed) : std::string(text));
  } catch (Error& error) {
    if (error.code() != ErrorCode::kInvalid) throw;
    throw Error(ErrorCode::kCorrupt, fmt::format("stored state is no JSON: {}", error.message()));
  }
}

}  // namespace tidemark::state
