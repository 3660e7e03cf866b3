// The real store in memory, behind all that can go wrong with one: it is busy, slow, or fails and
// nobody knows what it has done; a machine that crashes may lose its last writes. Shows everything
// that is written to the watch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "wright/store.h"

namespace wright::simulation {

class World;

class SimStore final : public Store {
 public:
  explicit SimStore(World& world);

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override;
  Result<Session> get_session(SessionId id) override;
  Result<std::vector<Session>> list_sessions(const SessionFilter& filter) override;
  Result<std::vector<StoredMessage>> get_messages(SessionId id, const Page& page) override;
  Result<std::vector<StoredCall>> get_tool_calls(SessionId id, const CallFilter& filter) override;
  Result<std::vector<StoredWait>> get_waits(const WaitFilter& filter) override;
  Result<std::vector<StoredEvent>> get_events(const EventFilter& filter) override;
  Result<std::vector<Record>> get_records(const RecordFilter& filter) override;
  Result<std::vector<Runner>> get_runners() override;
  Result<RunnerNews> get_news(RunnerId id) override;
  Result<SpentBySpecialists> spent_by_specialists(SessionId id, MessageId since) override;
  Result<StoreStats> get_stats(const StatsFilter& filter) override;
  Result<StoreHistory> get_history(const HistoryFilter& filter) override;

  // What is really stored, for the watch.
  Store& truth() { return *inner_; }
  // How many batches were applied.
  std::size_t applied() const { return applied_; }

  // The machine crashed: up to `most` of the last batches are gone. Says how many are left.
  std::size_t lose_last(std::size_t most);

 private:
  struct Applied {
    Batch batch;
    std::int64_t wall = 0;
    std::int64_t boot = 0;
  };

  std::unique_ptr<Store> opened();
  Result<void> before_reading();
  Result<BatchIds> write(const Batch& batch);
  Result<BatchIds> commit(const Batch& batch);
  Batch with_bugs(Batch batch);

  World& world_;
  std::int64_t replayed_wall_ = 0;  // while the log is applied again
  std::int64_t replayed_boot_ = 0;
  bool is_replaying_ = false;
  bool keeps_log_ = false;
  std::vector<Applied> log_;
  std::size_t applied_ = 0;
  std::unique_ptr<Store> inner_;
};

}  // namespace wright::simulation
