// A store that hands everything on to another. Derive from it and override what is to be different;
// what is not overridden reaches the other store unchanged.
#pragma once

#include <vector>

#include "wright/store.h"

namespace wright::store {

class ForwardingStore : public Store {
 public:
  explicit ForwardingStore(Store& inner) : inner_(inner) {}

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    return inner_.apply_all(batches);
  }

  Result<Session> get_session(SessionId id) override { return inner_.get_session(id); }
  Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override {
    return inner_.list_sessions(filter);
  }
  Result<std::vector<StoredMessage>> get_messages(SessionId id, const Page& page) override {
    return inner_.get_messages(id, page);
  }
  Result<std::vector<StoredCall>> get_tool_calls(SessionId id, const CallFilter& filter) override {
    return inner_.get_tool_calls(id, filter);
  }
  Result<std::vector<StoredWait>> get_waits(const WaitFilter& filter) override {
    return inner_.get_waits(filter);
  }
  Result<std::vector<StoredEvent>> get_events(const EventFilter& filter) override {
    return inner_.get_events(filter);
  }
  Result<std::vector<Record>> get_records(const RecordFilter& filter) override {
    return inner_.get_records(filter);
  }
  Result<std::vector<Runner>> get_runners() override { return inner_.get_runners(); }
  Result<RunnerNews> get_news(RunnerId id) override { return inner_.get_news(id); }
  Result<SpentBySpecialists> spent_by_specialists(SessionId id, MessageId since) override {
    return inner_.spent_by_specialists(id, since);
  }
  Result<StoreStats> get_stats(const StatsFilter& filter) override {
    return inner_.get_stats(filter);
  }
  Result<StoreHistory> get_history(const HistoryFilter& filter) override {
    return inner_.get_history(filter);
  }
  Result<StoreCounts> get_counts(std::int64_t now) override { return inner_.get_counts(now); }

 private:
  Store& inner_;
};

}  // namespace wright::store
