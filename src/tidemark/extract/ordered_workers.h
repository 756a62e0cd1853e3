#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tidemark::extract {

// Threads that work on tasks side by side and finish them in the order in which they came. Bounded:
// submit waits while too many bytes are under way.
class OrderedWorkers {
 public:
  // Waits until every task before this one is finished. Throws when one of them failed.
  using WaitTurn = std::function<void()>;
  // worker is 0 to threads - 1, for memory that is kept from task to task.
  using Work = std::function<void(size_t worker, const WaitTurn& wait_turn)>;

  OrderedWorkers(size_t threads, size_t max_bytes);
  // Tasks that have not begun are dropped; those at work are waited for.
  ~OrderedWorkers();
  OrderedWorkers(const OrderedWorkers&) = delete;
  OrderedWorkers& operator=(const OrderedWorkers&) = delete;

  size_t threads() const { return threads_.size(); }

  // Rethrows the first failure of a task. bytes counts against the limit until the task is
  // finished; one task is always taken, however large.
  void submit(size_t bytes, Work work);
  // Waits until everything submitted is finished. Rethrows the first failure.
  void drain();

 private:
  struct Task {
    uint64_t number = 0;
    size_t bytes = 0;
    Work work;
  };

  void run(size_t worker);
  void wait_turn(uint64_t number);
  void finish(const Task& task, std::exception_ptr error);
  void rethrow_failure();  // with the mutex held

  const size_t max_bytes_;
  std::mutex mutex_;
  std::condition_variable has_task_;
  std::condition_variable has_finished_;
  std::deque<Task> tasks_;
  uint64_t submitted_ = 0;
  uint64_t finished_ = 0;
  size_t bytes_ = 0;
  bool is_stopping_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

}  // namespace tidemark::extract
