#pragma once

#include <atomic>
#include <functional>
#include <string_view>
#include <thread>

#include "tidemark/os/file_descriptor.h"
#include "tidemark/os/pipe_writer.h"

namespace tidemark::runner {

// Told of bytes on their way.
using Look = std::function<void(std::string_view bytes)>;

// Passes on what one plugin writes to the next, on a thread of its own, and shows it to somebody on
// the way. It holds no more than it has just read: a plugin that reads slowly slows down the one in
// front of it. When the front one has ended, so has what comes out; when nobody reads any more, the
// front one finds that out after the next bytes.
class Relay {
 public:
  // look is called on the relay's thread, before the bytes are passed on; it does not throw.
  Relay(os::FileDescriptor from, os::FileDescriptor to, Look look);
  // Drops what is still on its way.
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

 private:
  void run(const os::FileDescriptor& from, const os::PipeWriter& to) const;
  bool pass_on(const os::PipeWriter& to, std::string_view bytes) const;

  Look look_;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

}  // namespace tidemark::runner
