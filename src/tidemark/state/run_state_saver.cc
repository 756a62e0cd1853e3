#include <chrono>
#include <optional>
#include <utility>

#include "tidemark/state/run_state.h"

namespace tidemark::state {
namespace {

// How often it is looked whether a save is due.
constexpr std::chrono::milliseconds kLook{200};

}  // namespace

RunStateSaver::RunStateSaver(RunState& state, std::function<void(const Error& error)> failed)
    : periodic_(kLook,
                [&state, failed = std::move(failed)]() -> std::optional<std::chrono::milliseconds> {
                  try {
                    state.save_if_due();
                    return kLook;
                  } catch (const Error& error) {
                    failed(error);
                    return std::nullopt;
                  }
                }) {}

}  // namespace tidemark::state
