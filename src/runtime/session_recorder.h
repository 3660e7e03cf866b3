// Writes down what happens to a run, step by step: the store's half of a driver.
//
// One transaction a step: a model's answer together with the `executing` of its first call, a
// call's result together with the `executing` of the next one. So what a step produced is stored
// before anything is done about it, and every call is `executing` before it has its effect.
#pragma once

#include <string>
#include <unordered_map>

#include "wright/run.h"
#include "wright/store.h"

namespace wright {

class SessionRecorder {
 public:
  // Without a store, nothing is recorded and every function succeeds.
  explicit SessionRecorder(Store* store) : store_(store) {}

  SessionId session_id() const { return session_id_; }

  // Creates the session with the messages the run has so far.
  Result<void> begin(const Agent& agent, const Run& run, std::string_view prompt, Json config);

  // The run has taken a model's answer, its failure, or a cancellation.
  Result<void> advanced(const Run& run);

  // Must precede the execution of `call`. Calls are executed one after the other, in order.
  Result<void> call_started(const ToolCall& call);

  // The run has taken the outcome of `call`.
  Result<void> call_ended(const Run& run, const ToolCall& call, const ToolOutcome& outcome);

  // The driver cannot go on; the session must not stay `running`.
  Result<void> broke_off(const Error& error);

 private:
  std::vector<Write> news(const Run& run);
  Result<void> write(const Run& run, std::vector<Write> writes);

  Store* store_;
  SessionId session_id_ = 0;
  std::size_t stored_messages_ = 0;
  std::unordered_map<std::string, CallId> open_calls_;  // by the model's id; of this turn
  std::string started_call_;                            // the one that is stored as executing
};

}  // namespace wright
