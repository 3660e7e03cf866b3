// A few connections that the threads of a store share, and the time of the server.
//
// Every connection that writes has a row in agent_writers with a number that each commit raises,
// if it is what the last one left. Whoever lost a connection while it committed raises the number
// by two: afterwards it is even or odd, which says whether the commit came through, and what may
// still be under way is refused.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "postgres/connection.h"
#include "postgres/statements.h"
#include "store/lease.h"

namespace wright::postgres {

// A connection of the pool while one thread has it.
struct Slot {
  std::optional<Connection> connection = {};
  std::optional<std::int64_t> writer = {};
  std::int64_t batch = 0;  // what the writer's row has
  int commits = 0;         // with this row
};

class Pool {
 public:
  // With `clocks` the caller's time counts, else that of the server.
  Pool(std::string place, std::string schema, std::size_t connections, std::optional<Clocks> clocks,
       Logger logger = {});
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  class Lease {
   public:
    Lease(Pool& pool, std::unique_ptr<Slot> slot) : pool_(&pool), slot_(std::move(slot)) {}
    Lease(Lease&&) = default;
    ~Lease() {
      if (slot_) pool_->give_back(std::move(slot_));
    }
    Slot& operator*() { return *slot_; }
    Slot* operator->() { return slot_.get(); }

   private:
    Pool* pool_;
    std::unique_ptr<Slot> slot_;
  };
  // Waits for one until the deadline; ErrorCode::unavailable then. Of several connections, one is
  // kept for those who write: whoever renews a lease must not wait for those who read.
  enum class Use : std::uint8_t { reading, writing };
  Result<Lease> take(Use use, Deadline deadline);

  // Opens the slot's connection where it is not; tries until the deadline.
  Result<void> connect(Slot& slot, Deadline deadline);
  // Tries once.
  Result<void> connect_now(Slot& slot);

  Outcome exchange(Slot& slot, std::span<const Request> requests, Deadline deadline);

  // Sends what `begin` gives, on any connection, and once more on another one when that was lost;
  // `begin` therefore starts anew whatever the rows are collected in. For reads alone.
  using Begin = std::function<std::vector<Request>()>;
  Result<void> read(const Begin& begin);

  const Statements& statements() const { return statements_; }
  const std::string& place() const { return place_; }
  store::Moment now() const;
  // Learns the server's time from the row of Query::server_time, asked for at `asked` by
  // boot_clock_ms().
  void learn_time(std::int64_t server_ms, std::int64_t asked);
  Preparing preparing() const { return preparing_; }

 private:
  friend class Lease;
  void give_back(std::unique_ptr<Slot> slot);

  const std::string place_;
  const Statements statements_;
  const std::optional<Clocks> clocks_;
  const Logger logger_;
  std::atomic<std::int64_t> server_ahead_{0};  // of boot_clock_ms()
  std::atomic<Preparing> preparing_{Preparing::kept};
  std::mutex mutex_;
  std::condition_variable returned_;
  const std::size_t connections_;
  std::vector<std::unique_ptr<Slot>> free_;
};

}  // namespace wright::postgres
