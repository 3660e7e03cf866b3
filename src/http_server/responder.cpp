#include "http_server/responder.h"

#include <utility>

#include "http_server/response_text.h"

namespace wright::http {

Responder::State::State(std::shared_ptr<Core> core, std::weak_ptr<Connection> connection,
                        std::shared_ptr<Exchange> exchange, Framing framing)
    : core_(std::move(core)),
      connection_(std::move(connection)),
      exchange_(std::move(exchange)),
      framing_(framing) {}

Responder::State::~State() {
  send(refusal(500));
}

bool Responder::State::answers_first() {
  std::function<void()> dropped;  // outlives the lock: it may hold the responder itself
  const std::lock_guard lock(exchange_->mutex);
  dropped = std::exchange(exchange_->when_closed, {});
  return !std::exchange(exchange_->is_answered, true);
}

void Responder::State::send(Response response) {
  if (!answers_first()) return;
  core_->post([connection = connection_, response = std::move(response)]() mutable {
    if (const auto held = connection.lock()) held->send(std::move(response));
  });
}

Stream Responder::State::stream(Response head, StreamOptions options) {
  auto channel = std::make_shared<Channel>(core_, connection_, std::move(options), framing_);
  Stream stream(std::make_shared<Stream::State>(channel));
  const auto begin = [connection = connection_, channel, head = std::move(head)] {
    const auto held = connection.lock();
    if (held) return held->begin_stream(head, channel);
    channel->closed();
  };
  if (!answers_first() || !core_->post(begin)) channel->closed();
  return stream;
}

void Responder::State::read_body(std::size_t most, std::function<void(std::string)> then) {
  if (!exchange_->has_body) return then({});
  core_->post([connection = connection_, most, then = std::move(then)]() mutable {
    if (const auto held = connection.lock()) held->read_body(most, std::move(then));
  });
}

void Responder::State::when_closed(std::function<void()> then) {
  {
    const std::lock_guard lock(exchange_->mutex);
    if (exchange_->is_answered) return;
    if (!exchange_->is_closed) {
      std::swap(exchange_->when_closed, then);
      return;
    }
  }
  core_->tell_closed(std::move(then));
}

void Responder::send(Response response) const {
  state_->send(std::move(response));
}

Stream Responder::stream(Response head, StreamOptions options) const {
  return state_->stream(std::move(head), std::move(options));
}

void Responder::read_body(std::size_t most, std::function<void(std::string)> then) const {
  state_->read_body(most, std::move(then));
}

void Responder::when_closed(std::function<void()> then) const {
  state_->when_closed(std::move(then));
}

bool Stream::write(std::string bytes) {
  return state_->channel->write(bytes);
}

std::size_t Stream::unsent() const {
  return state_->channel->unsent();
}

void Stream::when_sent(std::function<void()> then) {
  state_->channel->when_sent(std::move(then));
}

void Stream::when_closed(std::function<void()> then) {
  state_->channel->when_closed(std::move(then));
}

bool Stream::is_open() const {
  return state_->channel->is_open();
}

void Stream::end() {
  state_->channel->end();
}

}  // namespace wright::http
