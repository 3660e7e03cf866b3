// Drives a session and the specialists below it: writes what their tree says, and then does it,
// with the host's threads and timers. Every decision is the tree's.
//
// What happens arrives in the inbox and is dealt with in order, by one thread at a time. A tree
// that waits holds no thread. It ends when its root has ended or waits, no session below is at
// work, and nothing has arrived since.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "runtime/exclusive_gate.h"
#include "runtime/host.h"
#include "runtime/running_call.h"
#include "session/session_tree.h"
#include "wright/events.h"

namespace wright::runtime {

using session::Ending;
using session::NodeId;

// What is told while a tree is driven. Each may be empty.
struct DriverCallbacks {
  Observer tell = {};  // of every session; one event at a time, any thread
  FindTrace find_trace = {};
  std::function<void(SessionId)> created = {};
  std::function<void(Ending)> ended = {};  // last, once
};

class TreeDriver : public std::enable_shared_from_this<TreeDriver> {
 public:
  // The gate, for calls that run alone in the process, may be null; both outlive the driver.
  TreeDriver(Host& host, ExclusiveGate* gate, session::SessionTree tree, Delivery delivery,
             DriverCallbacks callbacks);

  void begin();
  // For a run that was cancelled before it began: it is stored and ends, and no model is asked.
  void begin_cancelled(std::string reason);

  // Each says whether the driver still takes it: after the end, the store is the place to look.
  bool cancel(SessionId id, std::string reason);
  bool cancel_root(std::string reason);
  bool answered(StoredWait wait);
  // What the user said to the root, and is stored.
  bool said(session::Said said);
  // `time_left` as of session::Suspend.
  bool suspend(std::optional<std::chrono::milliseconds> time_left = {});

  // When it has ended.
  const Run& run() { return tree_.at(session::kRoot).run(); }
  Run take_run() { return tree_.at(session::kRoot).take_run(); }
  const std::shared_ptr<const Agent>& agent() { return tree_.at(session::kRoot).agent_pointer(); }

 private:
  struct ToNode {
    NodeId node = session::kRoot;
    session::Input input;
  };
  struct ToSession {
    SessionId session_id = 0;
    session::Input input;
  };
  struct ToCall {
    StoredWait wait;
  };
  struct BeginAll {};
  using Post = std::variant<BeginAll, ToNode, ToSession, ToCall>;

  // What tells of one session, in any thread.
  struct EventSource {
    SessionId session_id = 0;
    std::optional<SessionId> parent_session_id = {};
    int depth = 0;
    std::string agent = {};
  };
  // What is under way for one session.
  struct Work {
    std::stop_source stop = {};
    std::vector<std::shared_ptr<RunningCall>> calls = {};
    // What they may spend together by asking models, and what of that is counted.
    std::shared_ptr<CallBudget> budget = {};
    Usage counted = {};
    Host::Timer deadline = {};
    Host::Timer count = {};
    // By Host::boot_clock(): when its last batch went out, and when the last one did that is known
    // to be written. Calls start by what is written.
    std::int64_t sent_at = 0;
    std::int64_t held_since = 0;
    std::shared_ptr<const EventSource> source = std::make_shared<const EventSource>();
    std::shared_ptr<RequestMemory> memory = std::make_shared<RequestMemory>();
    // Whose whole conversation the memory is of; null: of one that was cut.
    std::shared_ptr<const Agent> remembered = {};

    std::vector<std::shared_ptr<RunningCall>>::iterator find_call(std::string_view call_id);
    std::shared_ptr<RunningCall> take_call(std::string_view call_id);  // null when it is not there
  };

  bool post(Post&& post);
  void post_to(NodeId node, session::Input&& input) { post(ToNode{node, std::move(input)}); }
  void work();
  void step(Post&& post, session::TreeOutput& output);
  void forget_ended_call(const ToNode& to);
  void tell_what_was_spent(ToNode& to);
  std::optional<Ending> close_if_over();
  void perform(session::TreeOutput& output);

  static void recall(Work& work, const session::SessionMachine& machine, Request& request);
  void perform(NodeId node, session::AskModel ask);
  void perform(NodeId node, const session::RunCall& run);
  void perform(NodeId node, const session::StopCall& stop);
  void perform(NodeId node, const session::GiveUpCall& give_up);
  void perform(NodeId node, session::StopWork stop);
  void perform(NodeId node, const session::SetTimer& timer);
  void perform(NodeId node, session::CancelTimer timer);
  void perform(NodeId node, const session::Publish& publish);
  void perform(NodeId node, const session::Created& created);
  void perform(NodeId node, session::NowWaits waiting);
  void perform(NodeId node, session::Woke);
  void perform(NodeId node, session::Ended ended);
  // The tree keeps these to itself.
  void perform(NodeId, const session::StartSpecialist&) {}
  void perform(NodeId, const session::CancelSpecialists&) {}
  void perform(NodeId, session::SuspendSpecialists) {}

  void tell(const EventSource& source, const Event& event);
  TraceContext trace_of(SessionId id, std::string_view call_id) const;

  Host& host_;
  ExclusiveGate* const gate_;
  const Delivery delivery_;
  const DriverCallbacks callbacks_;

  std::mutex inbox_mutex_;
  std::vector<Post> inbox_;
  bool is_scheduled_ = false;
  bool is_closed_ = false;

  // Only of the thread that works.
  session::SessionTree tree_;
  std::map<NodeId, Work> work_;
  std::optional<Ending> ending_;  // unless something has arrived since

  std::mutex tell_mutex_;
  std::uint64_t last_sequence_ = 0;
};

}  // namespace wright::runtime
