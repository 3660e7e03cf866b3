#include "server/store_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/try.h"

namespace wright::server {
namespace {

constexpr std::size_t kMostCountedSessions = 1'000;
constexpr std::size_t kQueuedOfAPage = 100;
constexpr std::size_t kMostQueuedPages = 10;

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

// Since when somebody could have taken a queued session: it is due, and its last message is there.
Result<std::int64_t> ready_since(Store& store, const Session& session) {
  const auto newest = TRY(store.get_messages(session.id, {.limit = 1, .keep = Page::Keep::last}));
  const std::int64_t asked_at = newest.empty() ? session.started_at : newest.back().created_at;
  return std::max({session.started_at, asked_at, session.ready_at.value_or(0)});
}

// How long the one waits that could have been taken first; 0 where none could. A session is not
// ready before it has begun, and the oldest come first: few are looked at.
Result<double> longest_wait_seconds(Store& store) {
  const std::int64_t now = system_clock_ms();
  std::int64_t since = now;
  SessionFilter filter{.status = SessionStatus::queued,
                       .is_root = true,
                       .limit = kQueuedOfAPage,
                       .keep = Page::Keep::first};
  for (std::size_t page = 0; page < kMostQueuedPages; ++page) {
    auto sessions = TRY(store.list_sessions(filter));
    std::ranges::sort(sessions, {}, &Session::id);
    for (const Session& session : sessions) {
      if (session.started_at >= since) return static_cast<double>(now - since) / 1000;
      if (session.ready_at.value_or(0) > now) continue;
      const auto ready = TRY(ready_since(store, session));
      since = std::min(since, ready);
    }
    if (sessions.size() < filter.limit) break;
    filter.after = sessions.back().id;
  }
  return static_cast<double>(now - since) / 1000;
}

Result<std::vector<Gauge>> counted_in(Store& store) {
  std::vector<Gauge> gauges;
  const auto add = [&](std::string name, std::string help, auto count) {
    gauges.push_back({std::move(name), std::move(help), static_cast<double>(count)});
  };
  const auto waits = TRY(store.get_waits({.status = WaitStatus::open}));
  add("wright_waits_open", "What waits for a person, in the whole store.", waits.size());
  const auto sessions_with = [&](SessionStatus status) {
    return store.list_sessions({.status = status, .is_root = true, .limit = kMostCountedSessions});
  };
  const auto queued = TRY(sessions_with(SessionStatus::queued));
  add("wright_queue_sessions", "Sessions that wait for a runner, up to 1000.", queued.size());
  const auto longest = TRY(longest_wait_seconds(store));
  add("wright_queue_oldest_seconds", "How long the one waits that could have been taken first.",
      longest);
  const auto running = TRY(sessions_with(SessionStatus::running));
  const auto has_runner = [](const Session& session) { return session.runner_id.has_value(); };
  const auto leased = std::ranges::count_if(running, has_runner);
  add("wright_leases_held", "Sessions that a process drives, up to 1000.", leased);
  add("wright_leases_missing", "Sessions that run and that no process has.",
      std::ssize(running) - leased);
  const auto runners = TRY(store.get_runners());
  const auto is_alive = [now_ms = system_clock_ms()](const Runner& runner) {
    return runner.expires_at > now_ms;
  };
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
  for (; !stop.stop_requested(); pause(stop, times_.count)) {
    auto gauges = counted_in(store_);
    if (!gauges) continue;  // the last ones stay
    if (more_) {
      for (Gauge& gauge : more_()) gauges->push_back(std::move(gauge));
    }
    const std::lock_guard lock(mutex_);
    gauges_ = std::move(*gauges);
    counted_at_ = std::chrono::steady_clock::now();
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
  changed_.wait_until(lock, started_at_ + times_.patience, [&] { return counted_at_.has_value(); });
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
