#include "tidemark/os/foreground.h"

#include <cerrno>
#include <csignal>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tidemark/os/files.h"

namespace tidemark::os {
namespace {

// As system(3) has it: the keyboard's signals reach the program only, which gets back the reactions
// that we had.
class KeyboardSignals {
 public:
  KeyboardSignals() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &interrupt_);
    sigaction(SIGQUIT, &ignore, &quit_);
  }
  ~KeyboardSignals() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGQUIT, &quit_, nullptr);
  }
  KeyboardSignals(const KeyboardSignals&) = delete;
  KeyboardSignals& operator=(const KeyboardSignals&) = delete;

 private:
  struct sigaction interrupt_ = {};
  struct sigaction quit_ = {};
};

class SpawnAttributes {
 public:
  SpawnAttributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t keyboard;
    sigemptyset(&keyboard);
    sigaddset(&keyboard, SIGINT);
    sigaddset(&keyboard, SIGQUIT);
    posix_spawnattr_setsigdefault(&attributes_, &keyboard);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_ = {};
};

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) throw file_error(errno, "wait for", std::to_string(pid));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int run_in_foreground(const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const std::string& word : argv) {
    words.push_back(const_cast<char*>(word.c_str()));  // posix_spawn changes none
  }
  words.push_back(nullptr);
  const KeyboardSignals signals;
  const SpawnAttributes attributes;
  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, words.front(), nullptr, attributes.get(), words.data(), environ);
  if (error != 0) {
    throw file_error(error, "start", argv.front());
  }
  return wait_for(pid);
}

}  // namespace tidemark::os
