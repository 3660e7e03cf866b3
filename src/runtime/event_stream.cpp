#include "runtime/event_stream.h"

#include <algorithm>
#include <utility>

#include "runtime/event_json.h"

namespace wright::runtime {
namespace {

constexpr int kBitsWithinEpoch = 32;

}  // namespace

void EventStream::add(const Event& event, SessionId session_id, int depth) {
  if (kept_ == 0 && !has_listeners_) return;
  const std::lock_guard lock(mutex_);
  SessionEvent told{.session_id = session_id,
                    .depth = depth,
                    .sequence = (epoch_ << kBitsWithinEpoch) | ++last_,
                    .type = std::string(type_of(event)),
                    .data = data_of(event)};
  // By index: a listener may end its subscription, or begin another one.
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    const std::shared_ptr<Listening> listening = listeners_[i];
    if (listening->is_on) listening->listener(told);
  }
  std::erase_if(listeners_, [](const auto& listening) { return !listening->is_on; });
  has_listeners_ = !listeners_.empty();
  if (kept_ == 0) return;
  // The whole answer says all that its pieces said.
  if (std::holds_alternative<ModelEnded>(event)) forget_deltas(session_id);
  events_.push_back(std::move(told));
  while (events_.size() > kept_) {
    dropped_to_ = events_.front().sequence;
    events_.pop_front();
  }
}

void EventStream::forget_deltas(SessionId session_id) {
  std::erase_if(events_, [&](const SessionEvent& event) {
    return event.session_id == session_id && event.type == "text_delta";
  });
}

bool EventStream::has_all_after(std::uint64_t sequence) const {
  const std::lock_guard lock(mutex_);
  return sequence >= (epoch_ << kBitsWithinEpoch) && sequence >= dropped_to_;
}

Subscription EventStream::listen(std::uint64_t after, Listener listener) {
  const auto listening = std::make_shared<Listening>(Listening{std::move(listener)});
  const std::lock_guard lock(mutex_);
  for (const SessionEvent& event : events_) {
    if (event.sequence > after && listening->is_on) listening->listener(event);
  }
  listeners_.push_back(listening);
  has_listeners_ = true;
  // The handle keeps the stream, and ends the listening under its lock.
  return Subscription(std::shared_ptr<void>(static_cast<void*>(listening.get()),
                                            [stream = shared_from_this(), listening](void*) {
                                              const std::lock_guard ending(stream->mutex_);
                                              listening->is_on = false;
                                            }));
}

}  // namespace wright::runtime
