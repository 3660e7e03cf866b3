// Writes down what happens to a run, step by step: the store's half of a driver.
//
// Each function is one transaction. What a step produced is stored before anything is done about
// it: a model's answer before its calls are executed, `executing` before a call has its effect.
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
};

}  // namespace wright
