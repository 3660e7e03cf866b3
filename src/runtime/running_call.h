// One execution of one call, on a thread that may block. It owns all that it needs: one that is
// given up goes on alone until it ends, and whatever comes of it is lost.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>

#include "runtime/exclusive_gate.h"
#include "runtime/host.h"
#include "wright/agent.h"
#include "wright/session.h"

namespace wright::runtime {

struct CallPlan {
  std::shared_ptr<const Agent> agent = {};
  std::shared_ptr<const ToolCall> call = {};
  WaitAnswers answers = {};
  SessionId session_id = 0;
  int lease_epoch = 0;
  CallId row = 0;                       // of the call in the store; 0: nothing is stored
  std::optional<HoldLease> lease = {};  // under which is stored what the call keeps
  std::int64_t held_since = 0;          // when the session was known to be ours, by boot_clock_ms()
  std::shared_ptr<RunMemory> memory = {};
  std::size_t turn = 0;                                 // see Context
  std::string tool = {};                                // by its own name, not an alias
  std::optional<std::chrono::milliseconds> limit = {};  // absent: as long as it takes
  TraceContext trace = {};
  std::shared_ptr<CallBudget> budget = {};  // of all calls of the session that are under way
};

// What came of it. Nothing when it was stopped before it began.
struct CallReport {
  std::optional<ToolOutcome> outcome = {};
  // It did not begin, or not what it is for: the session may be somebody else's by now.
  bool is_fenced = false;
  bool has_kept = false;  // see Context::keep
};

class RunningCall : public std::enable_shared_from_this<RunningCall> {
 public:
  // Stops with `stop`, or by itself.
  RunningCall(CallPlan plan, const std::stop_token& stop);

  // Before start(). What it does is not told once the call was given up.
  void on_progress(Callback<void(std::string_view)> tell) {
    progress_ = std::move(tell);
    tells_ = true;
  }
  void on_late(Callback<void()> tell) { late_ = std::move(tell); }

  // With a gate, when it is this call's turn.
  void start(Host& host, ExclusiveGate* gate, Callback<void(CallReport)> done);

  std::string_view call_id() const { return plan_.call->id; }

  void request_stop() { stop_.request_stop(); }
  // Whether it goes on when its session does, after it was asked to stop.
  void set_suspended(bool suspended) { is_suspended_ = suspended; }
  // Nobody waits for it any more, neither its session nor those behind it at the gate.
  void give_up(Host& host);

  double milliseconds(const Host& host) const;  // since it began
  bool has_begun() const { return began_.load() != std::chrono::steady_clock::time_point{}; }

 private:
  void hand_over(Host& host, Callback<void(CallReport)> done);
  void work(Host& host);
  ToolOutcome execute(Host& host);
  Result<void> keep(Host& host, const HoldLease& lease, const Json& note);
  Result<void> check_lease(const Host& host);
  void tell_late();
  void leave_gate();

  const CallPlan plan_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> pass_on_;

  bool tells_ = false;
  std::mutex told_mutex_;  // held while it tells
  Callback<void(std::string_view)> progress_;

  CallReport report_;  // of the thread that executes the call

  std::mutex mutex_;
  Callback<void()> late_;
  Host::Ticket ticket_ = 0;
  bool is_given_up_ = false;
  bool is_fenced_ = false;
  std::atomic<bool> is_suspended_ = false;
  std::atomic<bool> has_kept_ = false;
  ExclusiveGate* gate_ = nullptr;  // that it has entered
  std::atomic<std::chrono::steady_clock::time_point> began_{};
};

}  // namespace wright::runtime
