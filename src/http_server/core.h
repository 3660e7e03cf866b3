// What connections, responders and streams of one server share. A responder may outlive its server:
// what it posts then goes nowhere.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "http_server/server.h"

namespace wright::http {

class Connection;

struct Core {
  explicit Core(ServerOptions given, Handler handle)
      : options(std::move(given)), handler(std::move(handle)) {}

  // In the one thread of the sockets. False when the server has ended.
  bool post(std::function<void()> task) {
    const std::lock_guard lock(mutex);
    if (!is_stopped) boost::asio::post(io, std::move(task));
    return !is_stopped;
  }
  // In a thread of the handlers. Without them the task is dropped, so nobody calls this with a lock
  // that the end of the task may want.
  void run(std::function<void()> task) {
    const std::lock_guard lock(mutex);
    if (handlers != nullptr) boost::asio::post(*handlers, std::move(task));
  }
  // Likewise, to say that a peer has gone away. At the end of the server nobody has: it closes the
  // connections itself.
  void tell_closed(std::function<void()> task) {
    if (task && !is_ending) run(std::move(task));
  }
  // Likewise, in a thread that waits for nothing.
  void run_promptly(std::function<void()> task) {
    const std::lock_guard lock(mutex);
    if (prompt_handlers != nullptr) boost::asio::post(*prompt_handlers, std::move(task));
  }

  const ServerOptions options;
  const Handler handler;
  boost::asio::io_context io{1};

  std::mutex mutex;
  bool is_stopped = false;
  boost::asio::thread_pool* handlers = nullptr;         // null once they have ended
  boost::asio::thread_pool* prompt_handlers = nullptr;  // likewise

  // Of the thread of the sockets.
  std::unordered_set<std::shared_ptr<Connection>> connections;
  bool is_draining = false;

  std::mutex count_mutex;  // also signals
  std::condition_variable all_closed;
  std::atomic<std::size_t> open_connections = 0;
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> refused = 0;
  std::atomic<std::uint64_t> requests = 0;
  std::atomic<std::uint64_t> cut = 0;
  std::atomic<std::size_t> bytes_of_bodies = 0;
  std::atomic<bool> is_ending = false;
};

// The room that one body takes of what there is for all; given back when it is destroyed.
class BodyRoom {
 public:
  explicit BodyRoom(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  ~BodyRoom() { core_->bytes_of_bodies -= held_; }
  BodyRoom(const BodyRoom&) = delete;
  BodyRoom& operator=(const BodyRoom&) = delete;

  // In the thread of the sockets. False when there is not as much.
  bool grow_to(std::size_t bytes) {
    if (bytes <= held_) return true;
    if (core_->bytes_of_bodies + (bytes - held_) > core_->options.most_bytes_of_bodies)
      return false;
    core_->bytes_of_bodies += bytes - held_;
    held_ = bytes;
    return true;
  }

 private:
  const std::shared_ptr<Core> core_;
  std::size_t held_ = 0;
};

}  // namespace wright::http
