// Hints that something was queued, so that workers need not wait for their next look. A hint may
// come late, twice or never: looking is the truth. They travel on connections of their own, never
// with what is written, since PostgreSQL lets only one transaction that notifies commit at a time.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "wright/error.h"

namespace wright::postgres {

Result<void> send_hint(const std::string& place, const std::string& schema);

// Sends hints for as long as it lives, by one connection that it opens when it is first needed. Many
// that are asked for in a moment become one. What cannot be sent is left out.
class HintSender {
 public:
  HintSender(std::string place, std::string schema);
  ~HintSender();
  HintSender(const HintSender&) = delete;
  HintSender& operator=(const HintSender&) = delete;

  void send();  // never waits

 private:
  void work();

  const std::string place_;
  const std::string schema_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_wanted_ = false;
  bool is_over_ = false;
  std::thread thread_;
};

// Calls `on_hint` in a thread of its own whenever hints came, until it is destroyed. Does without
// them where nobody can listen, such as behind a pooler in transaction mode.
class HintListener {
 public:
  HintListener(std::string place, std::string schema, std::function<void()> on_hint);
  ~HintListener();
  HintListener(const HintListener&) = delete;
  HintListener& operator=(const HintListener&) = delete;

 private:
  void listen();

  const std::string place_;
  const std::string schema_;
  const std::function<void()> on_hint_;
  int ended_ = -1;  // an eventfd that tells the thread to leave
  std::thread thread_;
};

}  // namespace wright::postgres
