// Agents for programs that know vendors' protocols only: an agent is a model to them. Every request
// is a session like others: its own tools run inside, those of the caller are handed back.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "server/service.h"
#include "server/session_turns.h"
#include "wright/run.h"

namespace wright::server {

// Hears of sessions that somebody waits for here. Thread-safe. A listener holds whoever waits, and
// its end may take any lock, this one too: none is called or dropped with the mutex held.
class SessionListeners {
 public:
  SessionListeners() = default;
  SessionListeners(const SessionListeners&) = delete;
  SessionListeners& operator=(const SessionListeners&) = delete;
  // Whoever still waits ends with it.
  ~SessionListeners();

  using Listener = std::function<void(const Event&)>;

  // For RuntimeOptions::observer. Tells events of the session itself, not of those below.
  void observe(const Event& event, const EventOrigin& origin);
  // Until the result is destroyed. A session may have several: whoever asks for one that is under
  // way is refused by the runtime, and takes nothing from the one who was first.
  std::shared_ptr<void> listen(SessionId id, Listener listener);

  // Of those who look where a session ends and then go on with it: two who go on from the same
  // place must not both find that nobody has.
  SessionTurns& turns() { return turns_; }

 private:
  SessionTurns turns_;
  std::mutex mutex_;
  std::multimap<SessionId, std::shared_ptr<Listener>> listeners_;
};

// What programs ask about responses that were given, and before they ask for one: the responses by
// their ids, and how many tokens a request has.
std::vector<Route> response_routes(const ServiceOptions& options);

// Refer to both. All of them, those of response_routes() as well.
std::vector<Route> compatible_routes(const ServiceOptions& options, SessionListeners& listeners);

}  // namespace wright::server
