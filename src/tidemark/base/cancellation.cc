#include "tidemark/base/cancellation.h"

#include <cstring>

#include <fmt/format.h>

#include "tidemark/base/error.h"

namespace tidemark {

void Cancellation::throw_if_cancelled() const {
  if (!is_cancelled()) return;
  const char* name = signal() == 0 ? nullptr : sigabbrev_np(signal());
  throw Error(ErrorCode::kCancelled,
              name == nullptr ? std::string("cancelled") : fmt::format("stopped by SIG{}", name));
}

}  // namespace tidemark
