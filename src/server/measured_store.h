// A store whose answers are timed, for /metrics.
#pragma once

#include <chrono>
#include <span>
#include <type_traits>
#include <vector>

#include "server/metrics.h"
#include "store/forwarding_store.h"

namespace wright::server {

class MeasuredStore final : public store::ForwardingStore {
 public:
  MeasuredStore(Store& inner, Metrics& metrics) : ForwardingStore(inner), metrics_(metrics) {}

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    return timed("write", [&] { return ForwardingStore::apply_all(batches); });
  }
  Result<Session> get_session(SessionId id) override {
    return timed("get_session", [&] { return ForwardingStore::get_session(id); });
  }
  Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override {
    return timed("list_sessions", [&] { return ForwardingStore::list_sessions(filter); });
  }
  Result<std::vector<StoredMessage>> get_messages(SessionId id, const Page& page) override {
    return timed("get_messages", [&] { return ForwardingStore::get_messages(id, page); });
  }
  Result<std::vector<StoredCall>> get_tool_calls(SessionId id, const CallFilter& filter) override {
    return timed("get_calls", [&] { return ForwardingStore::get_tool_calls(id, filter); });
  }
  Result<std::vector<StoredWait>> get_waits(const WaitFilter& filter) override {
    return timed("get_waits", [&] { return ForwardingStore::get_waits(filter); });
  }
  Result<std::vector<StoredEvent>> get_events(const EventFilter& filter) override {
    return timed("get_events", [&] { return ForwardingStore::get_events(filter); });
  }
  Result<StoreStats> get_stats(const StatsFilter& filter) override {
    return timed("get_stats", [&] { return ForwardingStore::get_stats(filter); });
  }
  Result<StoreHistory> get_history(const HistoryFilter& filter) override {
    return timed("get_history", [&] { return ForwardingStore::get_history(filter); });
  }
  Result<StoreCounts> get_counts(std::int64_t now) override {
    return timed("get_counts", [&] { return ForwardingStore::get_counts(now); });
  }

 private:
  template <class Work>
  std::invoke_result_t<Work> timed(const char* operation, const Work& work) {
    const auto began = std::chrono::steady_clock::now();
    auto result = work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    metrics_.store_answered(operation, took.count());
    return result;
  }

  Metrics& metrics_;
};

}  // namespace wright::server
