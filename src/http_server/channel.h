// What a stream and its connection share: bytes on their way out. Thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "http_server/core.h"
#include "http_server/response_text.h"
#include "http_server/server.h"

namespace wright::http {

class Channel : public std::enable_shared_from_this<Channel> {
 public:
  Channel(std::shared_ptr<Core> core, std::weak_ptr<Connection> connection, StreamOptions options,
          Framing framing);

  const StreamOptions& options() const { return options_; }

  // For the stream.
  bool write(std::string_view bytes);
  void end();
  std::size_t unsent() const;
  bool is_open() const;
  void when_sent(std::function<void()> then);
  void when_closed(std::function<void()> then);

  // For the connection, in its thread.
  struct Taken {
    std::string bytes;     // to be sent
    bool is_last = false;  // nothing follows
  };
  Taken take();
  void sent();    // all that was taken
  void closed();  // nobody reads any more
  std::string heartbeat() const;

 private:
  void post_flush();
  void add_framed(std::string_view bytes);

  const std::shared_ptr<Core> core_;
  const std::weak_ptr<Connection> connection_;
  const StreamOptions options_;
  const Framing framing_;
  mutable std::mutex mutex_;
  std::string pending_;
  std::size_t taken_ = 0;
  bool is_open_ = true;
  bool has_ended_ = false;
  bool flush_is_posted_ = false;
  std::function<void()> when_sent_;
  std::function<void()> when_closed_;
};

}  // namespace wright::http
