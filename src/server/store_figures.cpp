#include "server/store_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/try.h"

namespace wright::server {
namespace {

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

Result<std::vector<Gauge>> counted_in(Store& store) {
  std::vector<Gauge> gauges;
  const auto add = [&](std::string name, std::string help, auto count) {
    gauges.push_back({std::move(name), std::move(help), static_cast<double>(count)});
  };
  const std::int64_t now = system_clock_ms();
  const StoreCounts counts = TRY(store.get_counts(now));
  const double longest = static_cast<double>(now - counts.ready_since.value_or(now)) / 1000;
  add("wright_waits_open", "What waits for a person, in the whole store.", counts.open_waits);
  add("wright_sessions_waiting", "Sessions that have asked a person something.", counts.waiting);
  add("wright_queue_sessions", "Sessions that wait for a runner.", counts.queued);
  add("wright_queue_oldest_seconds", "How long the one waits that could have been taken first.",
      std::max(longest, 0.0));
  add("wright_leases_held", "Sessions that a process drives.", counts.driven);
  add("wright_leases_missing", "Sessions that run and that no process has.", counts.undriven);
  const auto runners = TRY(store.get_runners());
  const auto is_alive = [now](const Runner& runner) { return runner.expires_at > now; };
  const auto alive = std::ranges::count_if(runners, is_alive);
  add("wright_runners_alive", "Processes that drive sessions.", alive);
  add("wright_runners_expired", "Processes that were not heard of in time.",
      std::ssize(runners) - alive);
  return gauges;
}

}  // namespace

StoreFigures::StoreFigures(Store& store, std::function<std::vector<Gauge>()> more,
                           StoreFiguresTimes times)
    : store_(store),
      more_(std::move(more)),
      times_(times),
      looking_([this](const std::stop_token& stop) { look(stop); }),
      counting_([this](const std::stop_token& stop) { count(stop); }) {}

StoreFigures::~StoreFigures() {
  looking_.request_stop();
  counting_.request_stop();
}

void StoreFigures::pause(const std::stop_token& stop, std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, time, [] { return false; });
}

void StoreFigures::look(const std::stop_token& stop) {
  for (; !stop.stop_requested(); pause(stop, times_.look)) {
    {
      const std::lock_guard lock(mutex_);
      asked_at_ = std::chrono::steady_clock::now();
    }
    const auto answer = store_.get_runners();
    const std::lock_guard lock(mutex_);
    asked_at_.reset();
    error_ = answer ? std::nullopt : std::optional(answer.error().message);
    if (answer) answered_at_ = std::chrono::steady_clock::now();
    changed_.notify_all();
  }
}

void StoreFigures::count(const std::stop_token& stop) {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return is_wanted_; })) return;
      is_wanted_ = false;
      counting_since_ = std::chrono::steady_clock::now();
    }
    auto gauges = counted_in(store_);
    if (gauges && more_) {
      for (Gauge& gauge : more_()) gauges->push_back(std::move(gauge));
    }
    const std::lock_guard lock(mutex_);
    counting_since_.reset();
    ++rounds_;
    if (gauges) {  // else the last ones stay
      gauges_ = std::move(*gauges);
      counted_at_ = std::chrono::steady_clock::now();
    }
    changed_.notify_all();
  }
}

std::optional<std::string> StoreFigures::trouble() {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, started_at_ + times_.patience, [&] { return answered_at_ || error_; });
  const Time now = std::chrono::steady_clock::now();
  const bool is_overdue = asked_at_ && now - *asked_at_ > times_.patience;
  if (answered_at_ && !error_ && !is_overdue) return std::nullopt;
  std::string text = "the store does not answer";
  if (answered_at_) text += fmt::format("; it did {:.0f} s ago", seconds(now - *answered_at_));
  return text;
}

std::vector<Gauge> StoreFigures::gauges() {
  const bool is_ready = !trouble();
  std::unique_lock lock(mutex_);
  const Time asked_at = std::chrono::steady_clock::now();
  if (!counted_at_ || asked_at - *counted_at_ >= times_.count) {
    if (!wanted_at_) wanted_at_ = asked_at;
    const bool is_slow = counting_since_ && asked_at - *counting_since_ > times_.fresh;
    if (!counting_since_) {
      is_wanted_ = true;
      changed_.notify_all();
    }
    const Time until = !counted_at_ ? *wanted_at_ + times_.patience
                       : is_slow    ? asked_at
                                    : asked_at + times_.fresh;
    changed_.wait_until(lock, until, [&, round = rounds_] { return rounds_ != round; });
  }
  std::vector<Gauge> gauges = gauges_;
  gauges.push_back({"wright_store_ready", "Whether the store answers.", is_ready ? 1.0 : 0.0});
  if (counted_at_) {
    gauges.push_back({"wright_store_figures_age_seconds",
                      "How long ago the figures of the whole store were read.",
                      seconds(std::chrono::steady_clock::now() - *counted_at_)});
  }
  return gauges;
}

}  // namespace wright::server
