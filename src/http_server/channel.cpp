#include "http_server/channel.h"

#include <utility>

#include "http_server/connection.h"

namespace wright::http {

Channel::Channel(std::shared_ptr<Core> core, std::weak_ptr<Connection> connection,
                 StreamOptions options, Framing framing)
    : core_(std::move(core)),
      connection_(std::move(connection)),
      options_(std::move(options)),
      framing_(framing) {}

void Channel::add_framed(std::string_view bytes) {
  if (framing_ == Framing::chunked) {
    pending_ += chunk(bytes);
  } else {
    pending_ += bytes;
  }
}

// With the mutex held.
void Channel::post_flush() {
  if (std::exchange(flush_is_posted_, true)) return;
  core_->post([connection = connection_] {
    if (const auto held = connection.lock()) held->flush_stream();
  });
}

bool Channel::write(std::string_view bytes) {
  std::unique_lock lock(mutex_);
  if (!is_open_ || has_ended_) return false;
  add_framed(bytes);
  if (pending_.size() + taken_ <= options_.most_unsent) {
    post_flush();
    return true;
  }
  lock.unlock();
  core_->post([connection = connection_] {
    if (const auto held = connection.lock()) held->cut();
  });
  closed();
  return false;
}

void Channel::end() {
  std::function<void()> dropped;  // outlives the lock: it may hold the stream itself
  const std::lock_guard lock(mutex_);
  if (!is_open_ || std::exchange(has_ended_, true)) return;
  if (framing_ == Framing::chunked) pending_ += kLastChunk;
  dropped = std::exchange(when_closed_, {});
  post_flush();
}

std::size_t Channel::unsent() const {
  const std::lock_guard lock(mutex_);
  return pending_.size() + taken_;
}

bool Channel::is_open() const {
  const std::lock_guard lock(mutex_);
  return is_open_ && !has_ended_;
}

// What is called back holds the stream, which ends with it: it is neither run nor dropped with the
// mutex held.
void Channel::when_sent(std::function<void()> then) {
  {
    const std::lock_guard lock(mutex_);
    if (is_open_ && pending_.size() + taken_ > 0) {
      std::swap(when_sent_, then);
      return;
    }
  }
  core_->run(std::move(then));
}

void Channel::when_closed(std::function<void()> then) {
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_) return;
    if (is_open_) {
      std::swap(when_closed_, then);
      return;
    }
  }
  core_->tell_closed(std::move(then));
}

Channel::Taken Channel::take() {
  const std::lock_guard lock(mutex_);
  flush_is_posted_ = false;
  taken_ += pending_.size();
  return {std::exchange(pending_, {}), has_ended_};
}

void Channel::sent() {
  std::function<void()> then;
  {
    const std::lock_guard lock(mutex_);
    taken_ = 0;
    if (pending_.empty()) then = std::exchange(when_sent_, {});
  }
  if (then) core_->run(std::move(then));
}

void Channel::closed() {
  std::function<void()> sent;
  std::function<void()> closed;
  {
    const std::lock_guard lock(mutex_);
    is_open_ = false;
    pending_ = {};
    taken_ = 0;
    sent = std::exchange(when_sent_, {});
    closed = std::exchange(when_closed_, {});
  }
  if (sent) core_->run(std::move(sent));
  core_->tell_closed(std::move(closed));
}

std::string Channel::heartbeat() const {
  return framing_ == Framing::chunked ? chunk(options_.heartbeat) : options_.heartbeat;
}

}  // namespace wright::http
