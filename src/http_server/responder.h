// What is behind the handles of server.h. The last handle that goes ends what it stands for.
#pragma once

#include <memory>

#include "http_server/channel.h"
#include "http_server/connection.h"
#include "http_server/server.h"

namespace wright::http {

class Responder::State {
 public:
  State(std::shared_ptr<Core> core, std::weak_ptr<Connection> connection,
        std::shared_ptr<Exchange> exchange, Framing framing);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void send(Response response);
  Stream stream(Response head, StreamOptions options);
  void read_body(std::size_t most, std::function<void(std::string)> then);
  void when_closed(std::function<void()> then);

 private:
  bool answers_first();

  const std::shared_ptr<Core> core_;
  const std::weak_ptr<Connection> connection_;
  const std::shared_ptr<Exchange> exchange_;
  const Framing framing_;
};

class Stream::State {
 public:
  explicit State(std::shared_ptr<Channel> shared) : channel(std::move(shared)) {}
  ~State() { channel->end(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const std::shared_ptr<Channel> channel;
};

}  // namespace wright::http
