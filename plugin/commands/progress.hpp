// Says on standard error what long work is at, where that is a terminal; wiped when it is done.
// Silent for the first second, and where nobody looks.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace opscope {

class progress {
 public:
  progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress();

  // What is being done from now on, `comparing llama (3 of 40)`. From any thread.
  void at(std::string step);
  // Clears the line, so that something else can be written.
  void wipe();

 private:
  void watch();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string step_;
  bool is_shown_ = false;
  bool is_over_ = false;
  std::thread watcher_;
};

}  // namespace opscope
