// A request that is answered when its session has ended or waits, and whose client, if it goes away
// before, cancels the session: for `cancel_on_disconnect` of the API.
#pragma once

#include <memory>

#include "server/service.h"

namespace wright::server {

// Whether the body asks for it. Refuses what cannot be had together.
Result<bool> wants_held_answer(const JsonObject& body, const Call& call);

// Answers with the session as it is then. Holds itself from begin() on, until it has answered.
class HeldAnswer : public std::enable_shared_from_this<HeldAnswer> {
 public:
  // `answer` is what is sent: its body becomes the session's.
  HeldAnswer(const ServiceOptions& options, http::Responder responder, SessionId id,
             http::Response answer);

  // Of a session that has just begun.
  Result<void> begin();
  // Of one that is about to go on. Then either goes_on() or drop().
  void listen();
  void goes_on();
  void drop();

 private:
  void take(const Event& event);
  void look();
  void answer_with(http::Response answer);
  void cancel_when_closed();
  // What holds this. Let go when the mutex is free: whoever tells something holds a lock of its
  // own.
  struct Released {
    Subscription subscription = {};
    std::shared_ptr<void> listening = {};
  };
  Released end();  // with the mutex held

  const ServiceOptions& options_;
  const http::Responder responder_;
  const SessionId id_;
  const http::Response answer_;
  std::mutex mutex_;
  Subscription subscription_;
  std::shared_ptr<void> listening_;
  bool has_begun_ = false;  // what is told from now on is of this request
  bool has_ended_ = false;
};

}  // namespace wright::server
