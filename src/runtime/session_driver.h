// Drives one session: takes what happened, asks the run machine what is next, writes it down, and
// only then has it done. Specialists are driven by drivers of their own below this one.
//
// Everything that happens arrives by post() and is dealt with in order, by one thread at a time. A
// session that waits holds no thread. A session that needs a person parks: it is stored, and its
// driver ends. The driver of a specialist rests instead while the session above is driven: it is
// woken when it gets an answer, or is to end with the session above.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "session/budget.h"
#include "session/call_estimate.h"
#include "session/context_fitting.h"
#include "runtime/exclusive_gate.h"
#include "runtime/host.h"
#include "session/journal.h"
#include "session/lineage.h"
#include "runtime/running_call.h"
#include "runtime/specialists_below.h"
#include "wright/driver.h"
#include "wright/event.h"

namespace wright::runtime {

// How a driver ended.
struct Ending {
  enum class Kind : std::uint8_t { completed, failed, cancelled, parked, suspended };
  Kind kind = Kind::completed;
  std::string text = {};  // the answer, or the best one so far
  Error error = {};       // failed and cancelled
  std::vector<PersonWait> waits = {};
  SessionId session_id = 0;
  int iterations = 0;
  Usage usage = {};
  std::optional<FeedbackReport> feedback = {};  // in debug mode
};

// What sessions of one driver share.
struct Surroundings {
  Host& host;
  std::optional<RunnerId> runner = {};
  std::size_t parallel_calls = 8;  // of one turn
  ExclusiveGate* gate = nullptr;   // of calls that run alone in the process; may be null
  // How long a cancelled session waits for tools that do not heed their stop token; absent: until
  // they return.
  std::optional<std::chrono::milliseconds> grace = {};
  std::function<std::int64_t()> clock = system_clock_ms;
  std::function<SessionId()> next_id = {};  // where nothing is stored; may be empty: 0
};

// Which session of a tree an event belongs to.
struct Origin {
  SessionId session_id = 0;
  int depth = 0;  // 0: the root
};

class SessionDriver;

struct SessionPlan {
  std::shared_ptr<const Agent> agent = {};
  Delivery delivery = Delivery::whole;
  People people = People::may_answer_later;
  // For this session and all below it; one event of a session at a time. May be empty.
  std::function<void(const Event&, const Origin&)> tell = {};
  // Adds to the ending what the run has to say of itself. May be empty.
  std::function<void(const Run&, Ending&)> conclude = {};
  // What becomes of the plan of a session below. May be empty.
  std::function<SessionPlan(SessionPlan)> below = {};
  std::function<void(Ending)> ended = {};
  // Something arrived while it rests. Empty where nobody would wake it: then it never rests.
  std::function<void()> stirs = {};
  std::shared_ptr<Budget> budget_above = {};
  Spending spent_below = {};  // by specialists, before this driver began
  Lineage lineage = {};
  Json config = {};  // kept with sessions below
  // The session is there and driven: its own, and those below. May be empty.
  std::function<void(SessionId, const std::shared_ptr<SessionDriver>&)> alive = {};
  std::function<void(SessionId)> started = {};  // this session alone; may be empty
};

class SessionDriver : public std::enable_shared_from_this<SessionDriver> {
 public:
  SessionDriver(Surroundings around, SessionPlan plan, Run run, Journal journal);

  // Creates the session and drives it.
  void begin(NewSession session);
  // Drives a session that is there, and with it the children it was given.
  void go_on();

  void cancel(std::string reason);
  // Ends the driver at the next moment when nothing is under way; the session stays as it is.
  void suspend();
  void answer(std::string call_id, WaitAnswers answers);
  // Goes on after a rest, and tells `ended` how that ended.
  void wake_up(std::function<void(Ending)> ended);

  SessionId session_id() const;
  const Run& run() const { return run_; }  // when it has ended

  // For those who make drivers of stored sessions.
  Journal& journal() { return journal_; }
  RunMemory& memory() { return *memory_; }
  ContextFitting& context() { return context_; }
  SessionPlan child_plan(const std::string& call_id, std::shared_ptr<const Agent> agent);
  const std::shared_ptr<Budget>& budget() const { return budget_; }
  // A child that goes on with this session, in go_on().
  void adopt(const std::string& call_id, std::shared_ptr<SessionDriver> child);

 private:
  struct ModelCame {
    Result<Response> response;
    double duration_ms;
  };
  struct SummaryCame {
    Result<Response> response;
  };
  struct ToolCame {
    std::string call_id;
    std::optional<ToolOutcome> outcome;  // absent: it was stopped before it began
  };
  struct ChildCame {
    std::string call_id;
    Ending ending;
    double duration_ms = 0;
  };
  struct ChildStirs {
    std::string call_id;
  };
  struct AnswerCame {
    std::string call_id;
    WaitAnswers answers;
  };
  struct CancelCame {
    std::string reason;
  };
  struct TimeIsUp {};
  struct GraceIsOver {};
  struct CallIsLate {
    std::string call_id;
    std::shared_ptr<RunningCall> running;
  };
  struct CallGraceIsOver {
    std::string call_id;
    std::shared_ptr<RunningCall> running;
  };
  struct SuspendCame {};
  struct Begin {};
  struct Woken {};
  using Input = std::variant<Begin, Woken, ModelCame, SummaryCame, ToolCame, ChildCame, ChildStirs,
                             AnswerCame, CancelCame, TimeIsUp, GraceIsOver, CallIsLate,
                             CallGraceIsOver, SuspendCame>;

  void post(Input input);
  void post_written(Result<BatchIds> ids);
  void schedule();
  void work();
  void write_or_act();
  void write(Batch batch);
  void take(Begin);
  void take(Woken);
  void take(ModelCame came);
  void take(SummaryCame came);
  void take(ToolCame came);
  void take(ChildCame came);
  void take(ChildStirs stirs);
  void take(AnswerCame came);
  void take(CancelCame came);
  void take(TimeIsUp);
  void take(GraceIsOver);
  void take(CallIsLate late);
  void take(CallGraceIsOver late);
  void take(SuspendCame);
  void take_written(Result<BatchIds> ids);
  void accept_or_break(Outcome outcome);
  void break_off(Error error);
  void refuse_calls_without_tools();

  void proceed();
  void plan_model();
  std::vector<const OpenCall*> startable_now() const;
  void plan_tools();
  void plan_end(Ending::Kind kind, std::string text, Error error);
  bool is_parked() const;
  bool has_work_under_way() const;
  SessionStatus status() const;

  void start_summary();
  void start_model();
  using CallPointer = std::shared_ptr<const ToolCall>;
  void start_tool(const CallPointer& call);
  void start_child(const ToolCall& call, const std::string& message);
  Result<std::shared_ptr<const Agent>> specialist_for(const ToolCall& call) const;
  void wait_or_refuse(const ToolCall& call, ToolOutcome outcome);
  void delegate(const ToolCall& call, const Delegate& delegate);
  void end_call(const ToolCall& call, ToolOutcome outcome);
  void give_up_call(const std::string& call_id);
  void hand_over_if_asked(const ToolCall& call, ToolOutcome& outcome);
  void stop_with(Outcome outcome, const std::string& reason);
  void start_grace();
  void wake_child(const std::string& call_id);
  void cancel_children(const std::string& reason);
  std::function<void(Ending)> child_ended(const std::string& call_id);
  void watch_time();
  void tell(const Event& event);
  void end();
  std::vector<PersonWait> person_waits() const;
  const OpenCall* find_open(const std::string& call_id) const;

  const Surroundings around_;
  SessionPlan plan_;
  std::shared_ptr<const Agent> agent_;
  const std::shared_ptr<Budget> budget_;
  const std::shared_ptr<RunMemory> memory_ = std::make_shared<RunMemory>();
  std::stop_source stop_;

  mutable std::mutex inbox_mutex_;
  std::vector<Input> inbox_;
  std::optional<Result<BatchIds>> written_;
  bool is_scheduled_ = false;
  bool is_resting_ = false;  // has_ended_, but may be woken up

  // Only of the thread that works.
  std::vector<Input> inputs_;  // taken from the inbox; kept for its memory
  Run run_;
  Journal journal_;
  ContextFitting context_;
  std::vector<std::function<void()>> effects_;  // to be done when all is written
  bool is_ask_planned_ = false;                 // among them
  std::vector<std::string> planned_calls_;      // among them
  bool is_writing_ = false;
  bool is_asking_ = false;  // a model
  Spending reserved_;
  std::map<std::string, std::shared_ptr<RunningCall>> running_;  // by call
  SpecialistsBelow specialists_;
  std::map<std::string, double> worked_below_ms_;  // by specialists that parked meanwhile
  std::optional<Outcome> stopping_;                // how the run ends when nothing is under way
  bool is_suspending_ = false;
  std::optional<Error> broken_;
  bool has_told_store_ = false;              // that it is broken
  std::shared_ptr<const Agent> next_agent_;  // after a handoff, from the next turn on
  std::optional<Ending> ending_;
  bool has_ended_ = false;
  Host::Timer deadline_ = 0;
  CallEstimate estimate_;

  std::mutex tell_mutex_;
  mutable std::mutex id_mutex_;
  SessionId session_id_ = 0;
};

}  // namespace wright::runtime
