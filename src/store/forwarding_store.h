// For tests: a store that hands everything on to another. Derive from it and override what is to be
// different; what is not overridden reaches the other store unchanged.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "wright/store.h"

namespace wright::store {

class ForwardingStore : public Store {
 public:
  explicit ForwardingStore(Store& inner) : inner_(inner) {}

  Result<SessionId> create_session(const NewSession& session) override {
    return inner_.create_session(session);
  }
  Result<std::pair<SessionId, BatchIds>> create_session_with(
      const NewSession& session, std::span<const Write> writes) override {
    return inner_.create_session_with(session, writes);
  }
  Result<BatchIds> apply(std::span<const Write> writes) override { return inner_.apply(writes); }
  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    return inner_.apply_all(batches);
  }
  Result<void> delete_session(SessionId id) override { return inner_.delete_session(id); }

  Result<Session> get_session(SessionId id) override { return inner_.get_session(id); }
  Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override {
    return inner_.list_sessions(filter);
  }
  Result<std::vector<StoredMessage>> get_messages(SessionId id) override {
    return inner_.get_messages(id);
  }
  Result<std::vector<StoredCall>> get_tool_calls(SessionId id) override {
    return inner_.get_tool_calls(id);
  }
  Result<std::vector<StoredCall>> get_pending_tool_calls(SessionId id) override {
    return inner_.get_pending_tool_calls(id);
  }

  Result<std::vector<StoredWait>> get_waits(const WaitFilter& filter) override {
    return inner_.get_waits(filter);
  }
  Result<StoredWait> answer_wait(WaitId id, const WaitAnswer& answer) override {
    return inner_.answer_wait(id, answer);
  }
  Result<SessionId> fork_session(SessionId id, MessageId last) override {
    return inner_.fork_session(id, last);
  }

  Result<RunnerId> register_runner(std::string name, std::chrono::milliseconds time) override {
    return inner_.register_runner(std::move(name), time);
  }
  Result<void> renew_runner(RunnerId id, std::chrono::milliseconds time) override {
    return inner_.renew_runner(id, time);
  }
  Result<void> end_runner(RunnerId id) override { return inner_.end_runner(id); }
  Result<std::vector<Runner>> get_runners() override { return inner_.get_runners(); }

 private:
  Store& inner_;
};

}  // namespace wright::store
