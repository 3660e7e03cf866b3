#include "runtime/runner_registration.h"

#include <algorithm>

#include "core/try.h"
#include "runtime/outside_calls.h"
#include "runtime/process_name.h"
#include "wright/driver.h"

namespace wright {

Result<int> end_dead_runners(Store& store) {
  const auto runners = TRY(store.get_runners());
  int ended = 0;
  for (const Runner& runner : runners) {
    if (!runtime::is_gone(runner.name)) continue;
    TRY(store.end_runner(runner.id));
    ++ended;
  }
  const auto settled = runtime::settle_outside_calls(store);
  if (!settled && settled.error().code != ErrorCode::unsupported) {
    return std::unexpected(settled.error());
  }
  return ended;
}

namespace runtime {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLook{1'000};
// How often, and how long apart, a store that cannot write is tried again. It waits by itself, too.
constexpr int kTries = 5;
constexpr milliseconds kBetweenTries{500};

bool is_lease_refused(const Error& error) {
  return error.find("lease_epoch") != nullptr || error.find("runner_id") != nullptr;
}

bool is_refused(const Result<BatchIds>& result) {
  return !result && result.error().code == ErrorCode::unavailable;
}

// Somebody else has written what the batch would: the same batch never fits again.
bool is_outdated(const Error& error) {
  return error.find("record_kind") != nullptr;
}

// Nothing was applied, and trying again may help.
bool is_worth_another_try(const Result<BatchIds>& result) {
  return is_refused(result) && !is_lease_refused(result.error()) && !is_outdated(result.error());
}

// A share of the time is kept for what happens between the look at the clock and the effect.
std::int64_t certain_after(std::int64_t now, milliseconds time) {
  return now + time.count() - time.count() / 10;
}

// One that was ended is so for good; of any other the store could not be told.
bool is_unknown_there(const Result<void>& renewal) {
  return !renewal && renewal.error().code != ErrorCode::not_found;
}

}  // namespace

RunnerRegistration::RunnerRegistration(Store& store, RunnerId id, milliseconds time,
                                       std::int64_t registered_at)
    : store_(store),
      id_(id),
      time_(time),
      certain_since_(registered_at),
      certain_until_(certain_after(registered_at, time)),
      thread_([this] { work(); }) {}

Result<std::unique_ptr<RunnerRegistration>> RunnerRegistration::open(Store& store,
                                                                     milliseconds time) {
  const std::int64_t before = boot_clock_ms();
  const auto id = TRY(store.register_runner(process_name(), time));
  return std::unique_ptr<RunnerRegistration>(new RunnerRegistration(store, id, time, before));
}

RunnerRegistration::~RunnerRegistration() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
  // If the store cannot take it, the runner's time runs out.
  (void)store_.end_runner(id_);
}

// The end first: whoever reads a new end reads the new beginning, too.
bool RunnerRegistration::is_certain(std::int64_t since) const {
  const std::int64_t until = certain_until_;
  return boot_clock_ms() < until && since >= certain_since_;
}

void RunnerRegistration::on_news(Listener listener) {
  const std::lock_guard lock(news_mutex_);
  news_ = std::move(listener);
}

Result<void> RunnerRegistration::renew() {
  const std::int64_t before = boot_clock_ms();
  TRY(store_.renew_runner(id_, time_));
  // Somebody may have taken a session in between. The store was asked at some moment before now.
  const std::int64_t after = boot_clock_ms();
  if (after >= certain_until_) certain_since_ = after;
  certain_until_ = certain_after(before, time_);
  return {};
}

std::vector<Result<BatchIds>> RunnerRegistration::apply_all(std::span<const Batch> batches) {
  if (!is_certain(certain_since_)) (void)renew();
  std::vector<Result<BatchIds>> results = store_.apply_all(batches);
  if (std::ranges::none_of(results, is_refused)) return results;
  const auto try_again = [&](auto is_to_be_tried) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (is_to_be_tried(results[i])) results[i] = store_.apply_all(batches.subspan(i, 1)).front();
    }
  };
  auto renewed = renew();
  if (renewed) try_again(is_refused);
  // While the store has not heard of this runner, it may refuse what is the runner's own.
  const auto is_to_be_tried = [&](const Result<BatchIds>& result) {
    return is_worth_another_try(result) ||
           (is_unknown_there(renewed) && !result && is_lease_refused(result.error()));
  };
  for (int tried = 1; tried < kTries; ++tried) {
    if (std::ranges::none_of(results, is_to_be_tried) || !wait(kBetweenTries * tried)) break;
    // What was refused before this renewal is tried once more after it.
    auto now = renewed ? renewed : renew();
    try_again(is_to_be_tried);
    renewed = std::move(now);
  }
  return results;
}

// False when this object is about to end.
bool RunnerRegistration::wait(milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [&] { return is_ending_; });
}

void RunnerRegistration::work() {
  const milliseconds look = std::min(kLook, time_ / 3);
  std::int64_t renewed = boot_clock_ms();
  while (wait(look)) {
    // A renewal that fails is tried again with the next look. When another process has taken a
    // session meanwhile, the next batch for it is refused.
    const std::int64_t now = boot_clock_ms();
    if (now - renewed + look.count() > time_.count() / 3 && renew()) renewed = now;
    release_undriven();
    release_what_is_due();
    tell_news();
  }
}

void RunnerRegistration::on_undriven(IsDriven is_driven) {
  const std::lock_guard lock(news_mutex_);
  is_driven_ = std::move(is_driven);
}

// Whatever is being created now is known by then.
void RunnerRegistration::look_for_undriven() {
  look_for_undriven_ = boot_clock_ms() + time_.count();
}

void RunnerRegistration::release_undriven() {
  std::int64_t due = look_for_undriven_;
  if (due == 0 || boot_clock_ms() < due) return;
  const std::lock_guard lock(news_mutex_);
  if (!is_driven_) return;
  const std::int64_t before = system_clock_ms() - time_.count();
  for (const SessionStatus status : {SessionStatus::running, SessionStatus::waiting}) {
    const auto sessions = store_.list_sessions({.status = status, .limit = kNoLimit});
    if (!sessions) return;  // the next look tries again
    for (const Session& session : *sessions) {
      const bool is_ours = session.runner_id == id_ && session.started_at < before;
      if (is_ours && !is_driven_(session.id)) release(session.id, session.lease_epoch);
    }
  }
  look_for_undriven_.compare_exchange_strong(due, 0);
}

void RunnerRegistration::release(SessionId session, int epoch) {
  const std::lock_guard lock(mutex_);
  to_release_.push_back({session, id_, epoch});
}

void RunnerRegistration::release_what_is_due() {
  std::vector<ReleaseLease> due;
  {
    const std::lock_guard lock(mutex_);
    due.swap(to_release_);
  }
  for (const ReleaseLease& lease : due) {
    const auto released = store_.apply_one(lease);
    const bool is_to_be_tried_again =
        !released && (released.error().code == ErrorCode::unavailable ||
                      released.error().code == ErrorCode::storage);
    if (is_to_be_tried_again && lease.epoch) release(lease.session_id, *lease.epoch);
  }
}

void RunnerRegistration::on_look(std::function<void()> look) {
  const std::lock_guard lock(news_mutex_);
  look_ = std::move(look);
}

void RunnerRegistration::tell_news() {
  const std::lock_guard lock(news_mutex_);
  if (look_) look_();
  if (!news_) return;
  const auto news = store_.get_news(id_);
  const bool is_quiet =
      !news || (news->cancelled.empty() && news->answered.empty() && news->spoken_to.empty());
  if (!is_quiet) news_(*news);
}

}  // namespace runtime
}  // namespace wright
