#include "server/store_figures.h"

#include <algorithm>

namespace wright::server {
namespace {

constexpr std::chrono::milliseconds kReadyTime{1'000};
constexpr std::chrono::milliseconds kCountTime{5'000};
constexpr std::size_t kMostCountedSessions = 1'000;

}  // namespace

bool StoreFigures::is_ready() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (looked_at_ == Time{} || now - looked_at_ >= kReadyTime) {
    is_ready_ = store_.get_runners().has_value();
    looked_at_ = now;
  }
  return is_ready_;
}

std::vector<Gauge> StoreFigures::gauges() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (counted_at_ != Time{} && now - counted_at_ < kCountTime) return gauges_;
  gauges_.clear();
  counted_at_ = now;
  const auto add = [&](std::string name, std::string help, auto count) {
    gauges_.push_back({std::move(name), std::move(help), static_cast<double>(count)});
  };
  if (const auto waits = store_.get_waits({.status = WaitStatus::open})) {
    add("wright_waits_open", "What waits for a person, in the whole store.", waits->size());
  }
  const auto sessions_with = [&](SessionStatus status) {
    return store_.list_sessions({.status = status, .is_root = true, .limit = kMostCountedSessions});
  };
  if (const auto queued = sessions_with(SessionStatus::queued)) {
    add("wright_queue_sessions", "Sessions that wait for a runner, up to 1000.", queued->size());
    // The newest comes first.
    const double oldest =
        queued->empty() ? 0
                        : static_cast<double>(system_clock_ms() - queued->back().started_at) / 1000;
    add("wright_queue_oldest_seconds", "How long the oldest of them has waited.", oldest);
  }
  if (const auto running = sessions_with(SessionStatus::running)) {
    const auto has_runner = [](const Session& session) { return session.runner_id.has_value(); };
    const auto leased = std::ranges::count_if(*running, has_runner);
    add("wright_leases_held", "Sessions that a process drives, up to 1000.", leased);
    add("wright_leases_missing", "Sessions that run and that no process has.",
        std::ssize(*running) - leased);
  }
  if (const auto runners = store_.get_runners()) {
    const auto is_alive = [now_ms = system_clock_ms()](const Runner& runner) {
      return runner.expires_at > now_ms;
    };
    const auto alive = std::ranges::count_if(*runners, is_alive);
    add("wright_runners_alive", "Processes that drive sessions.", alive);
    add("wright_runners_expired", "Processes that were not heard of in time.",
        std::ssize(*runners) - alive);
  }
  return gauges_;
}

}  // namespace wright::server
