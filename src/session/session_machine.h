// The machine of one session: takes what happened, and says what is to be written and, once that is
// written, what is to be done. Pure: no thread, no clock, no store.
//
//   working   it takes inputs, and what follows from them becomes a batch
//   writing   a batch is under way; its end, a wish to stop and the clock are heard, the rest queues
//   waiting   for a person, and stored; an answer or a cancellation makes it work again
//   ended
//
// Beside its state it has one intent: to go on, to stop the run in some way, to suspend, or to
// break off. It follows the run by next() and accept() alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "session/budget.h"
#include "session/journal.h"
#include "session/lineage.h"
#include "session/session_action.h"
#include "wright/fitting.h"
#include "wright/people.h"

namespace wright::session {

// What is known of a session before it is driven, and how it is to be driven.
struct SessionPlan {
  std::shared_ptr<const Agent> agent = {};
  People people = People::may_answer_later;
  Lineage lineage = {};
  Json config = {};  // kept with sessions below
  // What the run has to say of itself at its end. Pure. May be empty.
  std::function<FeedbackReport(const Run&)> conclude = {};
  // What becomes of the plan of a session below. Pure. May be empty.
  std::function<SessionPlan(SessionPlan)> plan_child = {};
};

struct SessionState {
  Run run = {};
  Journal journal;
  ContextFitting context = {};
  Spending spent_by_specialists = {};  // by specialists, before
  int calls_of_children = 0;           // begun by specialists since the user's last message, before
  std::int64_t worked_ms = 0;
  std::int64_t turn_worked_ms = 0;      // since the user's last message
  std::vector<OpenCall> unknown = {};   // calls of which nobody knows any more what became of them
  std::vector<Said> said = {};          // by the user, and not in the conversation yet
  std::vector<std::string> heard = {};  // keys of what is in it, and is not written yet
};

struct MachineOptions {
  bool has_store = false;
  const std::atomic<bool>* is_heard = nullptr;  // whether anybody hears events; null: nobody
  std::size_t parallel_calls = 8;               // of one turn
  // How long a stopped session waits for tools that do not heed their stop token; absent: until
  // they return.
  std::optional<std::chrono::milliseconds> grace = {};
};

struct StepOutput {
  std::optional<Batch> batch = {};   // answer with Written
  std::vector<Action> actions = {};  // in this order
};

class SessionMachine {
 public:
  // `above` is the budget of the session above, and outlives this one; null at the root.
  SessionMachine(const MachineOptions& options, SessionPlan plan, SessionState state,
                 Budget* above);

  // Into `output`, which is empty: its memory is used, and stays its owner's.
  void step(const Now& now, Input&& input, StepOutput& output);

  // What AskModel is to ask, and whom; valid until ModelCame.
  Request request();
  const Model& model() const;

  const Run& run() const { return run_; }
  Run take_run() { return std::move(run_); }  // of one that has ended
  const Agent& agent() const { return *agent_; }
  const std::shared_ptr<const Agent>& agent_pointer() const { return agent_; }
  const SessionPlan& plan() const { return plan_; }
  Journal& journal() { return journal_; }
  const Journal& journal() const { return journal_; }
  const std::shared_ptr<RunMemory>& memory() const { return memory_; }
  Budget& budget() { return budget_; }

  bool has_ended() const { return state_ == State::ended; }
  bool is_waiting() const { return state_ == State::waiting; }

  // It is not driven any more; what is stored of it stays. Only one that waits.
  void leave() { state_ = State::ended; }

  // A specialist that was found when the session was loaded, and works on when this one begins.
  void adopt(const std::string& call_id, std::int64_t worked_ms) {
    specialists_[call_id] = {.is_at_work = true, .worked_ms = static_cast<double>(worked_ms)};
  }

 private:
  enum class State : std::uint8_t { working, writing, waiting, ended };

  struct GoOn {};
  struct Stop {  // the run ends in this way when nothing is under way
    Outcome outcome;
  };
  struct SuspendHere {
    bool is_asked = false;  // its tools were asked to stop
    // A session below was left unfinished, or not begun: this one can neither end nor wait before
    // that has ended.
    bool is_above_unfinished = false;
  };
  struct BreakOff {
    Error error;
    // The session is not ours any more, or nobody knows what was applied because the store failed.
    // Either way the store is right, and we are not: nothing more is written.
    bool is_lost = false;
    bool is_written_down = false;
  };
  using Intent = std::variant<GoOn, Stop, SuspendHere, BreakOff>;

  // Whether there is more to do before the step is over.
  enum class Round : std::uint8_t { last, another };
  struct ChildCall {
    bool is_at_work = false;  // or expected to be; otherwise it waits
    std::vector<PersonWait> waits = {};
    std::int64_t since_ms = 0;
    double worked_ms = 0;
  };

  void take(Begin);
  void take(Written written);
  void take(ModelCame came);
  void take(CallEnded ended);
  void take(const CallNotBegun& call);
  void take(const CallFenced& call);
  void take(const CallIsLate& late);
  void take(const CallGivenUp& given_up);
  void take(SpecialistEnded ended);
  void take(SpecialistWaits waiting);
  void take(const SpecialistWoke& woke);
  void take(Answered answered);
  void take(Cancel cancel);
  void take(const Suspend& suspend);
  void take(const TimerFired& fired);
  void take(UserSpoke spoke);

  void take_model(Result<Response> response, double duration_ms);
  void take_summary(const Result<Response>& response);
  void refuse_calls_without_tools();
  void count(const Usage& spent);
  bool was_interrupted(const ToolCall& call, const CallEnded& ended) const;
  void end_call(const ToolCall& call, ToolOutcome outcome);
  void delegate(const ToolCall& call, const Delegate& delegate);
  void wait_or_refuse(const ToolCall& call, ToolOutcome outcome);
  void do_without_people(const ToolCall& call, ToolOutcome outcome);
  using Handoff = std::optional<Result<std::shared_ptr<const Agent>>>;
  Handoff handed_to(const ToolCall& call) const;
  void hand_over_if_asked(const ToolCall& call, ToolOutcome& outcome);
  void answer_with_specialist(const std::string& call_id, const Ending& ending, double worked_ms);

  void accept_or_break(Outcome outcome);
  void stop_with(Outcome outcome, const std::string& reason);
  void break_off(Error error);
  bool drop_what_was_planned();  // whether there was anything
  void start_grace(std::optional<std::chrono::milliseconds> time_left = {});

  void proceed();
  void take_what_was_said();
  void plan_model();
  void take_tools_of_now();
  Result<Spending> most_of_next_call();
  Result<void> reserve_next_call();
  void plan_tools();
  void plan_end(Ending::Kind kind, std::string text, Error error);
  void start_call(const OpenCall& open);
  Round write_or_act();
  void write_last_words();
  Round act();
  void finish();
  void resume();
  void watch_time();
  void set_deadline();
  void count_later();
  void forget_time_limit();
  void count_time();

  static bool is_urgent(const Input& input);
  bool wakes(const Input& input) const;
  bool is_stopping() const { return !std::holds_alternative<GoOn>(intent_); }
  bool is_broken() const { return std::holds_alternative<BreakOff>(intent_); }
  bool is_heard() const { return options_.is_heard != nullptr && *options_.is_heard; }
  void take_step(Input&& input);
  bool is_running(std::string_view call_id) const;
  bool is_running(std::string_view call_id, Attempt attempt) const;
  void forget_running(std::string_view call_id);
  bool has_work_under_way() const;
  SessionStatus status() const;
  const OpenCall* find_open(const std::string& call_id) const;
  std::vector<PersonWait> person_waits() const;
  // An event that refers to what it keeps: the arguments, one after the other.
  template <class Told, class... Kept>
  void publish(Kept&&... kept) {
    if (!is_heard()) return;
    auto owner =
        std::make_shared<const std::tuple<std::decay_t<Kept>...>>(std::forward<Kept>(kept)...);
    auto event = std::apply(
        [](const auto&... each) { return std::make_shared<const Event>(Told{each...}); }, *owner);
    then(Publish{std::move(event), std::move(owner)});
  }
  template <class Made>
  void then(Made action) {
    planned_.emplace_back(std::move(action));
  }

  const MachineOptions options_;
  SessionPlan plan_;
  std::shared_ptr<const Agent> agent_;
  std::vector<std::string> unwritten_results_;   // tools whose results the store does not have yet
  std::ptrdiff_t results_in_batch_ = 0;          // of those: in the batch under way
  std::shared_ptr<const Agent> agent_as_built_;  // as it was before its tools changed
  std::shared_ptr<const Agent> next_agent_;      // after a handoff, from the next turn on
  Budget budget_;
  const std::shared_ptr<RunMemory> memory_ = std::make_shared<RunMemory>();

  Run run_;
  Journal journal_;
  ContextFitting context_;

  State state_ = State::working;
  Intent intent_;
  Now now_;
  StepOutput output_;
  std::vector<Action> planned_;  // when the batch is written
  std::list<Input> queued_;      // while it is
  std::optional<Ending> ending_;

  bool is_asking_ = false;  // the model
  bool is_summary_ = false;
  Spending reserved_;
  // Of very many calls of one turn, by id, as find_open() saw them last.
  mutable std::unordered_map<std::string, std::size_t> open_places_;
  struct Running {
    std::shared_ptr<const ToolCall> call = {};
    Attempt attempt = 0;
  };
  std::vector<Running> running_;         // calls that are executed, or about to be
  std::map<std::string, int> declined_;  // how often calls were told that nobody answers
  std::map<std::string, ChildCall> specialists_;
  Attempt last_attempt_ = 0;
  std::optional<std::int64_t> working_since_;
  std::int64_t worked_ms_ = 0;
  std::int64_t turn_worked_ms_ = 0;
  std::vector<OpenCall> unknown_;  // to be told of when it begins
  std::vector<Said> said_;         // until the model speaks next
  std::set<std::string> heard_;    // keys of all that was said: the same may come several times
};

}  // namespace wright::session
