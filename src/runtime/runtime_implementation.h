// What a Runtime is made of. It knows which sessions are driven here, wakes those that somebody has
// answered, and lets go of those that have ended or wait for a person.
//
// runtime_driving.cpp  begins sessions, goes on with them, and sees to their ends
// runtime_taking.cpp   takes sessions that nobody drives, and those of the queue
// runtime_asking.cpp   what others ask of a session that is driven: messages, answers, its end
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "runtime/event_stream.h"
#include "runtime/exclusive_gate.h"
#include "runtime/foreign_sessions.h"
#include "runtime/load_tree.h"
#include "runtime/past_endings.h"
#include "runtime/runner_registration.h"
#include "runtime/thread_host.h"
#include "runtime/tree_driver.h"
#include "wright/runtime.h"

namespace wright {

class Runtime::Implementation {
 public:
  Implementation(RuntimeOptions options, std::unique_ptr<Store> own_store, Store& store,
                 std::unique_ptr<runtime::RunnerRegistration> runner);
  ~Implementation();

  Store* store() { return options_.store; }

  Result<SessionId> start(AgentPointer agent, Message prompt, RunOptions options);
  // Without an agent: only if it waits here, with the one that it has.
  Result<void> load_tree(runtime::ResumeRequest request, AgentPointer agent,
                         std::optional<RunOptions> options);
  Result<void> steer(AgentPointer agent, SessionId id, Message message, RunOptions options);
  Result<std::vector<SessionId>> resume_abandoned(std::size_t most);
  Result<std::vector<SessionId>> claim(std::size_t most,
                                       const std::vector<std::string>& agent_names);
  Result<void> cancel(SessionId id, std::string reason);
  Result<StoredWait> answer(WaitId id, const Json& answer, std::string answered_by);
  // Without `most`: as long as it takes.
  Result<RunResult> wait(SessionId id, std::optional<std::chrono::milliseconds> most);
  Result<Subscription> subscribe(SessionId id, std::uint64_t after, Listener listener);
  std::size_t running() const {
    const std::lock_guard lock(mutex_);
    return driven_;
  }
  bool may_drive(const Session& session) const;
  void drain(std::chrono::milliseconds time);

 private:
  // A session without a parent, while it is driven here or waits for a person.
  struct Root {
    enum class State : std::uint8_t { driven, waiting, ended };
    State state = State::driven;
    SessionId id = 0;  // 0 until it is stored
    AgentPointer agent = {};
    RunOptions options = {};
    std::shared_ptr<runtime::EventStream> stream = {};  // always there once others can see the root
    std::size_t messages_before = 0;  // those that no event of the stream tells of
    std::shared_ptr<runtime::TreeDriver> driver =
        {};  // State::driven, once the sessions are loaded
    std::optional<std::stop_callback<std::function<void()>>> stop = {};  // while it is driven
    std::vector<SessionId> sessions = {};  // that are driven, with those below
    std::size_t wakings = 0;               // tasks that look whether it is to go on
    runtime::Host::Timer expiry = {};
    std::optional<session::Ending> ending = {};
    std::condition_variable changed = {};  // with mutex_
  };
  using RootPointer = std::shared_ptr<Root>;

  bool has_store() const { return options_.store != nullptr; }
  session::TreeOptions tree_options(const Root& root);
  session::SessionPlan plan_for(const Root& root) const;
  std::shared_ptr<runtime::EventStream> make_stream();
  void take(Root& root, RunOptions options);
  void stop_when_asked(Root& root);
  void drive(const RootPointer& root, session::SessionTree tree,
             const std::vector<CancelWish>& cancelled = {});
  void created(const RootPointer& root, SessionId id);
  void ended(const RootPointer& root, session::Ending ending);
  Result<RootPointer> begin_driving(SessionId id, AgentPointer agent,
                                    std::optional<RunOptions> options);
  void stopped_driving();
  // Whether a session that has just begun to wait was answered, or is overdue by now, and when it
  // will be.
  void look_after(const RootPointer& root, SessionId id);
  void wake_at(const RootPointer& root, SessionId id, std::int64_t wall_ms);
  Result<void> drive_claimed(const ClaimedSession& claimed);
  void give_back(const ClaimedSession& claimed);
  std::vector<SessionId> foreign();
  runtime::ForeignSessions::Reason why_not(SessionId id);  // it cannot be driven here
  void take(const RunnerNews& news);
  void hear_said(SessionId id);
  void look_after_steered();
  void look_for_said_after(const RootPointer& root, SessionId id);
  enum class AfterFailure : std::uint8_t { stop, proceed };
  void go_on_with_said(SessionId id, AfterFailure after);
  void leave_said_to_workers(SessionId id);
  Error draining() const {
    return {ErrorCode::unavailable, "The runtime is ending and takes no more sessions"};
  }
  // With the lock held. Whether one more may be driven.
  Result<void> check_room() const;
  std::size_t room() const;  // how many more may be driven
  Result<void> cancel_without_agent(const Session& top, SessionId id, const std::string& reason);
  RootPointer root_of(SessionId session) const;
  std::shared_ptr<runtime::TreeDriver> driver_of(SessionId session) const;
  bool is_driven(SessionId session) const;
  bool has_ended(SessionId id) const;
  AgentPointer known_agent_of(SessionId session) const;
  Result<AgentPointer> agent_for(const Session& session) const;

  const RuntimeOptions options_;
  const std::unique_ptr<Store> own_store_;
  Store& store_;
  const std::unique_ptr<runtime::RunnerRegistration> runner_;
  runtime::ExclusiveGate gate_;

  mutable std::mutex mutex_;
  std::condition_variable idle_;  // nothing is driven
  std::map<SessionId, RootPointer> roots_;
  std::map<SessionId, RootPointer> driven_by_;  // of every session that is driven
  runtime::PastEndings past_;
  runtime::ForeignSessions foreign_;
  // Who runs a session that was steered here, until what was said is taken.
  struct Steered {
    AgentPointer agent = {};
    RunOptions options = {};
    std::uint64_t generation = 0;  // another for everything that is said
  };
  std::map<SessionId, Steered> steered_;
  std::uint64_t generations_ = 0;
  std::size_t driven_ = 0;
  std::size_t tasks_ = 0;               // that look after sessions
  std::atomic<SessionId> last_id_ = 0;  // of sessions that are not stored
  bool is_draining_ = false;
  bool is_suspending_ = false;

  runtime::ThreadHost host_;  // last: its threads use all of the above
};

}  // namespace wright
