#include "postgres/pool.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/try.h"
#include "postgres/errors.h"

namespace wright::postgres {

Pool::Pool(std::string place, std::string schema, std::size_t connections,
           std::optional<Clocks> clocks, Logger logger)
    : place_(std::move(place)),
      statements_(std::move(schema)),
      clocks_(std::move(clocks)),
      logger_(std::move(logger)),
      connections_(std::max<std::size_t>(connections, 1)) {
  for (std::size_t i = 0; i < connections_; ++i) {
    free_.push_back(std::make_unique<Slot>());
  }
}

Pool::~Pool() {
  const Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (const auto& slot : free_) {
    if (!slot->writer || !slot->connection || !slot->connection->is_open()) continue;
    const Request end{&statements_[Query::end_writer], values_of(*slot->writer)};
    exchange(*slot, {&end, 1}, deadline);  // else it is forgotten in time
  }
}

Result<Pool::Lease> Pool::take(Use use, Deadline deadline) {
  const std::size_t kept = use == Use::reading && connections_ > 1 ? 1 : 0;
  std::unique_lock lock(mutex_);
  if (!returned_.wait_until(lock, deadline, [&] { return free_.size() > kept; })) {
    return fail(ErrorCode::unavailable,
                fmt::format("All {} connections to PostgreSQL are in use and none became free in "
                            "time: look in pg_stat_activity for what is slow, or give the store "
                            "more connections",
                            connections_));
  }
  // The one that was used last is the likeliest to be open.
  auto slot = std::move(free_.back());
  free_.pop_back();
  return Lease(*this, std::move(slot));
}

void Pool::give_back(std::unique_ptr<Slot> slot) {
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(slot));
  }
  returned_.notify_all();  // not everybody may have it
}

Result<void> Pool::connect_now(Slot& slot) {
  if (slot.connection && slot.connection->is_open()) return {};
  slot.connection.reset();
  slot.connection = TRY(Connection::open(place_, logger_));
  if (clocks_) return {};
  std::int64_t server_ms = 0;
  const std::int64_t asked = boot_clock_ms();
  const Request time{&statements_[Query::server_time], {}, [&](const Row& row) -> Result<void> {
                       server_ms = row.integer(0);
                       return {};
                     }};
  const Deadline deadline = std::chrono::steady_clock::now() + kPatience;
  TRY(all_done(exchange(slot, {&time, 1}, deadline)));
  learn_time(server_ms, asked);
  return {};
}

Result<void> Pool::connect(Slot& slot, Deadline deadline) {
  auto pause = std::chrono::milliseconds(10);
  constexpr auto kLongestPause = std::chrono::milliseconds(500);
  while (true) {
    auto connected = connect_now(slot);
    if (connected || std::chrono::steady_clock::now() + pause >= deadline) return connected;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
}

Outcome Pool::exchange(Slot& slot, std::span<const Request> requests, Deadline deadline) {
  const Preparing preparing = preparing_;
  Outcome outcome = slot.connection->exchange(requests, deadline, preparing);
  if (preparing == Preparing::every_time || !is_about_preparing(outcome)) return outcome;
  // The server has undone everything. It can be sent once more by whoever has not taken rows of it.
  preparing_ = Preparing::every_time;
  if (outcome.has_told_rows) {
    outcome.is_unprepared = true;
    return outcome;
  }
  return slot.connection->exchange(requests, deadline, Preparing::every_time);
}

Result<void> Pool::read(const Begin& begin) {
  const Deadline deadline = std::chrono::steady_clock::now() + kPatience;
  Lease slot = TRY(take(Use::reading, deadline));
  while (true) {
    TRY(connect(*slot, deadline));
    const std::vector<Request> requests = begin();
    const Outcome outcome = exchange(*slot, requests, deadline);
    if (outcome.is_done()) return slot->connection->row_error();
    const bool may_help = outcome.kind == Outcome::Kind::lost || is_conflict(outcome);
    if (!may_help || std::chrono::steady_clock::now() >= deadline) return all_done(outcome);
  }
}

store::Moment Pool::now() const {
  if (clocks_) return store::moment_of(*clocks_);
  return {.wall = boot_clock_ms() + server_ahead_};
}

void Pool::learn_time(std::int64_t server_ms, std::int64_t asked) {
  const std::int64_t heard = boot_clock_ms();
  server_ahead_ = server_ms - (asked + (heard - asked) / 2);
}

}  // namespace wright::postgres
