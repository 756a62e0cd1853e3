#include "tidemark/base/zlib.h"

#include <fmt/format.h>
#include <zlib.h>

#include "tidemark/base/error.h"

namespace tidemark {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 30;

const Bytef* bytes_of(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

struct InflateEnd {
  z_stream& stream;
  ~InflateEnd() { ::inflateEnd(&stream); }
};

}  // namespace

std::string zlib_compress(std::string_view bytes) {
  uLongf size = ::compressBound(bytes.size());
  std::string out(size, '\0');
  const int status = ::compress2(reinterpret_cast<Bytef*>(out.data()), &size, bytes_of(bytes),
                                 bytes.size(), Z_BEST_COMPRESSION);
  if (status != Z_OK) throw Error(ErrorCode::kInternal, fmt::format("zlib fails: {}", status));
  out.resize(size);
  return out;
}

std::string zlib_decompress(std::string_view bytes) {
  z_stream stream{};
  if (::inflateInit(&stream) != Z_OK) throw Error(ErrorCode::kInternal, "zlib does not start");
  const InflateEnd end{stream};
  stream.next_in = const_cast<Bytef*>(bytes_of(bytes));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int status = Z_OK;
  while (status == Z_OK && out.size() < kMaxBytes) {
    const size_t before = out.size();
    out.resize(before == 0 ? 4 * bytes.size() + 64 : 2 * before);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(out.size() - before);
    status = ::inflate(&stream, Z_NO_FLUSH);
  }
  if (status != Z_STREAM_END) throw Error(ErrorCode::kCorrupt, "the bytes are no zlib stream");
  out.resize(stream.total_out);
  return out;
}

struct GzipEncoder::Impl {
  Impl() {
    constexpr int kGzip = 16;  // added to the window's bits
    constexpr int kMemoryLevel = 8;
    const int status = ::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip + MAX_WBITS,
                                      kMemoryLevel, Z_DEFAULT_STRATEGY);
    if (status != Z_OK) throw Error(ErrorCode::kInternal, "zlib does not start");
  }
  ~Impl() { ::deflateEnd(&stream); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void encode(std::string_view bytes, int flush, std::string& out) {
    constexpr size_t kStep = size_t{16} << 10;
    while (true) {
      const std::string_view piece = bytes.substr(0, kStep);
      const bool is_last = piece.size() == bytes.size();
      stream.next_in = const_cast<Bytef*>(bytes_of(piece));
      stream.avail_in = static_cast<uInt>(piece.size());
      do {
        const size_t before = out.size();
        out.resize(before + kStep);
        stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
        stream.avail_out = static_cast<uInt>(kStep);
        ::deflate(&stream, is_last ? flush : Z_NO_FLUSH);
        out.resize(before + kStep - stream.avail_out);
      } while (stream.avail_out == 0);
      if (is_last) return;
      bytes.remove_prefix(piece.size());
    }
  }

  z_stream stream{};
};

GzipEncoder::GzipEncoder() : impl_(std::make_unique<Impl>()) {}

GzipEncoder::~GzipEncoder() = default;

void GzipEncoder::write(std::string_view bytes, std::string& out) {
  impl_->encode(bytes, Z_NO_FLUSH, out);
}

void GzipEncoder::finish(std::string& out) { impl_->encode({}, Z_FINISH, out); }

uint32_t crc32(std::string_view bytes) {
  return static_cast<uint32_t>(::crc32_z(0, bytes_of(bytes), bytes.size()));
}

}  // namespace tidemark
