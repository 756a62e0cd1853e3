#include "tidemark/extract/ordered_workers.h"

#include <algorithm>
#include <utility>

#include "tidemark/base/error.h"

namespace tidemark::extract {

OrderedWorkers::OrderedWorkers(size_t threads, size_t max_bytes) : max_bytes_(max_bytes) {
  for (size_t i = 0; i < std::max<size_t>(threads, 1); ++i) {
    threads_.emplace_back([this, i] { run(i); });
  }
}

OrderedWorkers::~OrderedWorkers() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    tasks_.clear();
  }
  has_task_.notify_all();
  has_finished_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void OrderedWorkers::submit(size_t bytes, Work work) {
  std::unique_lock lock(mutex_);
  has_finished_.wait(
      lock, [&] { return error_ != nullptr || bytes_ == 0 || bytes_ + bytes <= max_bytes_; });
  rethrow_failure();
  bytes_ += bytes;
  tasks_.push_back({submitted_++, bytes, std::move(work)});
  has_task_.notify_one();
}

void OrderedWorkers::drain() {
  std::unique_lock lock(mutex_);
  has_finished_.wait(lock, [&] { return error_ != nullptr || finished_ == submitted_; });
  rethrow_failure();
}

void OrderedWorkers::run(size_t worker) {
  for (;;) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      has_task_.wait(lock, [&] { return is_stopping_ || !tasks_.empty(); });
      if (is_stopping_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    std::exception_ptr error;
    try {
      task.work(worker, [&] { wait_turn(task.number); });
      wait_turn(task.number);
    } catch (...) {
      error = std::current_exception();
    }
    finish(task, error);
  }
}

void OrderedWorkers::wait_turn(uint64_t number) {
  std::unique_lock lock(mutex_);
  has_finished_.wait(lock,
                     [&] { return is_stopping_ || error_ != nullptr || finished_ == number; });
  if (error_ != nullptr || is_stopping_) {
    throw Error(ErrorCode::kCancelled, "an earlier page failed");
  }
}

void OrderedWorkers::finish(const Task& task, std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  bytes_ -= task.bytes;
  if (error != nullptr && error_ == nullptr) {
    error_ = std::move(error);
    tasks_.clear();
  }
  if (error_ == nullptr) ++finished_;
  has_finished_.notify_all();
}

void OrderedWorkers::rethrow_failure() {
  if (error_ != nullptr) std::rethrow_exception(error_);
}

}  // namespace tidemark::extract
