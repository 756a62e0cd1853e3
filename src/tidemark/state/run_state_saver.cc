#include <chrono>
#include <optional>
#include <utility>

#include "tidemark/state/periodic.h"
#include "tidemark/state/run_state.h"

namespace tidemark::state {
namespace {

// How often it is looked whether a save is due.
constexpr std::chrono::milliseconds kLook{200};

}  // namespace

struct RunStateSaver::Thread {
  Thread(RunState& state, std::function<void(const Error& error)> failed)
      : periodic(
            kLook,
            [&state, failed = std::move(failed)]() -> std::optional<std::chrono::milliseconds> {
              try {
                state.save_if_due();
                return kLook;
              } catch (const Error& error) {
                failed(error);
                return std::nullopt;
              }
            }) {}

  Periodic periodic;
};

RunStateSaver::RunStateSaver(RunState& state, std::function<void(const Error& error)> failed)
    : thread_(std::make_unique<Thread>(state, std::move(failed))) {}

RunStateSaver::~RunStateSaver() = default;

}  // namespace tidemark::state
