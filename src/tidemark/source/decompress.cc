#include "tidemark/source/decompress.h"

#include <algorithm>
#include <climits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include "tidemark/base/error.h"

namespace tidemark::source {

namespace {

constexpr size_t kInputSize = 256 * 1024;

[[noreturn]] void throw_cut_off(const std::string& name, std::string_view kind) {
  throw Error(ErrorCode::kInvalid, fmt::format("{}: the {} data ends too early", name, kind));
}

[[noreturn]] void throw_damaged(const std::string& name, std::string_view kind,
                                std::string_view why) {
  throw Error(ErrorCode::kInvalid, fmt::format("{}: damaged {} data: {}", name, kind, why));
}

// The compressed bytes, a block at a time.
class Input {
 public:
  explicit Input(std::unique_ptr<ByteStream> stream)
      : stream_(std::move(stream)), bytes_(kInputSize) {}

  // False at the end of the stream.
  bool refill() {
    size_ = stream_->read(bytes_.data(), bytes_.size());
    return size_ > 0;
  }
  char* data() { return bytes_.data(); }
  size_t size() const { return size_; }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::vector<char> bytes_;
  size_t size_ = 0;
};

class GunzipStream final : public ByteStream {
 public:
  GunzipStream(std::unique_ptr<ByteStream> stream, std::string name)
      : input_(std::move(stream)), name_(std::move(name)) {
    static constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&inflate_, kGzipOnly) != Z_OK) {
      throw Error(ErrorCode::kInternal, fmt::format("{}: zlib cannot start", name_));
    }
  }
  ~GunzipStream() override { inflateEnd(&inflate_); }
  GunzipStream(const GunzipStream&) = delete;
  GunzipStream& operator=(const GunzipStream&) = delete;

  size_t read(char* data, size_t size) override {
    const size_t wanted = std::min<size_t>(size, UINT_MAX);
    inflate_.next_out = reinterpret_cast<Bytef*>(data);
    inflate_.avail_out = static_cast<uInt>(wanted);
    while (inflate_.avail_out == wanted) {
      if (inflate_.avail_in == 0 && !has_output_left_ && !refill()) return 0;
      step();
    }
    return wanted - inflate_.avail_out;
  }

 private:
  bool refill() {
    if (!input_.refill()) {
      if (is_in_member_) throw_cut_off(name_, "gzip");
      return false;
    }
    inflate_.next_in = reinterpret_cast<Bytef*>(input_.data());
    inflate_.avail_in = static_cast<uInt>(input_.size());
    return true;
  }

  void step() {
    is_in_member_ = true;
    const int result = inflate(&inflate_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      is_in_member_ = false;
      inflateReset(&inflate_);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      throw_damaged(name_, "gzip", inflate_.msg ? inflate_.msg : "unknown");
    }
    // A full output may hide more of what is decoded already.
    has_output_left_ = is_in_member_ && inflate_.avail_out == 0;
  }

  Input input_;
  std::string name_;
  z_stream inflate_{};
  bool is_in_member_ = true;
  bool has_output_left_ = false;
};

class UnzstdStream final : public ByteStream {
 public:
  UnzstdStream(std::unique_ptr<ByteStream> stream, std::string name)
      : input_(std::move(stream)), name_(std::move(name)), context_(ZSTD_createDStream()) {}

  size_t read(char* data, size_t size) override {
    ZSTD_outBuffer out{data, size, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size && !has_output_left_ && !refill()) return 0;
      const size_t result = ZSTD_decompressStream(context_.get(), &out, &in_);
      if (ZSTD_isError(result)) throw_damaged(name_, "zstd", ZSTD_getErrorName(result));
      is_in_frame_ = result != 0;
      has_output_left_ = is_in_frame_ && out.pos == out.size;
    }
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* context) const { ZSTD_freeDStream(context); }
  };

  bool refill() {
    if (!input_.refill()) {
      if (is_in_frame_) throw_cut_off(name_, "zstd");
      return false;
    }
    in_ = {input_.data(), input_.size(), 0};
    return true;
  }

  Input input_;
  std::string name_;
  std::unique_ptr<ZSTD_DStream, Free> context_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool is_in_frame_ = true;
  bool has_output_left_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> gunzip(std::unique_ptr<ByteStream> stream, std::string name) {
  return std::make_unique<GunzipStream>(std::move(stream), std::move(name));
}

std::unique_ptr<ByteStream> unzstd(std::unique_ptr<ByteStream> stream, std::string name) {
  return std::make_unique<UnzstdStream>(std::move(stream), std::move(name));
}

}  // namespace tidemark::source
