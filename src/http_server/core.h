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

  const ServerOptions options;
  const Handler handler;
  boost::asio::io_context io{1};

  std::mutex mutex;
  bool is_stopped = false;
  boost::asio::thread_pool* handlers = nullptr;  // null once they have ended

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
};

}  // namespace wright::http
