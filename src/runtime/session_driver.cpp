#include "runtime/session_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/turn.h"
#include "runtime/waits.h"
#include "wright/specialist.h"

namespace wright::runtime {
namespace {

using std::chrono::milliseconds;

void fail_outcome(ToolOutcome& outcome, Error error) {
  outcome.waiting.reset();
  outcome.delegate.reset();
  outcome.result.images.clear();
  outcome.result.fingerprint = 0;
  outcome.response = nullptr;
  outcome.result.content = error.message;
  outcome.result.is_error = true;
  outcome.error = std::move(error);
}

Error nobody_is_there(WaitKind kind) {
  return {ErrorCode::unavailable,
          kind == WaitKind::approval
              ? "This call needs a person's approval, and nobody is there to give it. Do without it"
              : "Nobody is there to answer. Go on with what you know, and say what you assumed"};
}

// How long a tool may take to end that was told that its time is up.
constexpr std::chrono::milliseconds kGraceOfLateCall{2'000};

bool has_ended(Phase phase) {
  return phase == Phase::done || phase == Phase::failed || phase == Phase::cancelled;
}

Ending::Kind ending_of(Phase phase) {
  if (phase == Phase::done) return Ending::Kind::completed;
  return phase == Phase::cancelled ? Ending::Kind::cancelled : Ending::Kind::failed;
}

}  // namespace

SessionDriver::SessionDriver(Surroundings around, SessionPlan plan, Run run, Journal journal)
    : around_(std::move(around)),
      plan_(std::move(plan)),
      agent_(plan_.agent),
      budget_(std::make_shared<Budget>(run.limits, spending_of(run.usage) + plan_.spent_below,
                                       plan_.budget_above)),
      run_(std::move(run)),
      journal_(std::move(journal)),
      session_id_(journal_.session_id()) {}

SessionId SessionDriver::session_id() const {
  const std::lock_guard lock(id_mutex_);
  return session_id_;
}

// --- what happens arrives ---------------------------------------------------------------------

void SessionDriver::begin(NewSession session) {
  if (around_.host.has_store()) {
    session.runner_id = around_.runner;
    journal_.create(std::move(session));
  } else if (around_.next_id) {
    session_id_ = around_.next_id();
    journal_ = Journal(std::nullopt, session_id_, 0);
  }
  post(Begin{});
}

void SessionDriver::go_on() {
  post(Begin{});
}

void SessionDriver::cancel(std::string reason) {
  // Before anything can tell that it was stopped.
  post(CancelCame{std::move(reason)});
  stop_.request_stop();
}

void SessionDriver::suspend() {
  post(SuspendCame{});
}

void SessionDriver::answer(std::string call_id, WaitAnswers answers) {
  post(AnswerCame{std::move(call_id), std::move(answers)});
}

void SessionDriver::wake_up(std::function<void(Ending)> ended) {
  const std::lock_guard lock(inbox_mutex_);
  if (!is_resting_) return;
  is_resting_ = has_ended_ = false;
  plan_.ended = std::move(ended);
  inbox_.insert(inbox_.begin(), Woken{});
  schedule();
}

void SessionDriver::adopt(const std::string& call_id, std::shared_ptr<SessionDriver> child) {
  specialists_.begins(call_id, std::move(child));
}

void SessionDriver::post(Input input) {
  const std::lock_guard lock(inbox_mutex_);
  inbox_.push_back(std::move(input));
  schedule();
}

void SessionDriver::post_written(Result<BatchIds> ids) {
  const std::lock_guard lock(inbox_mutex_);
  written_ = std::move(ids);
  schedule();
}

void SessionDriver::schedule() {
  if (is_scheduled_) return;
  is_scheduled_ = true;
  around_.host.run_soon([self = shared_from_this()] { self->work(); });
}

// Deals with what has arrived until nothing is left. Whoever works alone is what is_scheduled_
// says; while a batch is under way, only its end counts. What arrives during a rest is kept for the
// time after it.
void SessionDriver::work() {
  while (true) {
    std::vector<Input>& inputs = inputs_;
    inputs.clear();
    std::optional<Result<BatchIds>> written;
    {
      std::unique_lock lock(inbox_mutex_);
      if (is_resting_) {
        is_scheduled_ = false;
        const bool stirs = !inbox_.empty();
        lock.unlock();
        if (stirs) plan_.stirs();
        return;
      }
      if (is_writing_) {
        written = std::exchange(written_, {});
      } else {
        inputs.swap(inbox_);
      }
      if (!written && inputs.empty()) {
        is_scheduled_ = false;
        return;
      }
    }
    if (written) take_written(std::move(*written));
    for (Input& input : inputs) {
      if (has_ended_) break;
      std::visit([this](auto&& taken) { take(std::forward<decltype(taken)>(taken)); },
                 std::move(input));
    }
    if (has_ended_) continue;
    if (!broken_) proceed();
    write_or_act();
  }
}

void SessionDriver::write_or_act() {
  if (broken_) {
    effects_.clear();
    if (has_work_under_way()) return;
    // The store failed. It may still take a few words, so that the session does not look alive;
    // when it does not, the first error is the one to report.
    if (around_.host.has_store() && journal_.session_id() != 0 && !has_told_store_) {
      has_told_store_ = true;
      Batch last;
      if (around_.runner)
        last.writes.emplace_back(HoldLease{journal_.session_id(), *around_.runner});
      last.writes.emplace_back(UpdateSession{.session_id = journal_.session_id(),
                                             .status = SessionStatus::failed,
                                             .error = broken_->message,
                                             .error_code = broken_->code,
                                             .limit = limit_of(*broken_)});
      write(std::move(last));
      return;
    }
    ending_ = Ending{.kind = Ending::Kind::failed, .text = best_answer(run_), .error = *broken_};
    end();
    return;
  }
  if (around_.host.has_store()) {
    Batch batch = journal_.batch(run_, status());
    if (batch.create || !batch.writes.empty()) {
      write(std::move(batch));
      return;
    }
  }
  is_ask_planned_ = false;
  planned_calls_.clear();
  const auto effects = std::exchange(effects_, {});
  for (const auto& effect : effects) effect();
  if (ending_) end();
}

void SessionDriver::write(Batch batch) {
  is_writing_ = true;
  around_.host.write(std::move(batch), [self = shared_from_this()](Result<BatchIds> ids) {
    self->post_written(std::move(ids));
  });
}

void SessionDriver::take_written(Result<BatchIds> ids) {
  is_writing_ = false;
  if (broken_) return;
  if (!ids) {
    break_off(std::move(ids).error());
    return;
  }
  journal_.written(*ids);
  const std::lock_guard lock(id_mutex_);
  session_id_ = journal_.session_id();
}

void SessionDriver::break_off(Error error) {
  if (broken_) return;
  broken_ = std::move(error);
  ending_.reset();
  // What was planned will not be done.
  if (std::exchange(is_ask_planned_, false)) is_asking_ = false;
  for (const std::string& call_id : planned_calls_) running_.erase(call_id);
  planned_calls_.clear();
  specialists_.expect_no_more();
  stop_.request_stop();
  cancel_children("The session above failed");
  start_grace();
}

void SessionDriver::accept_or_break(Outcome outcome) {
  if (auto accepted = accept(run_, std::move(outcome)); !accepted) {
    break_off(std::move(accepted).error());
  }
}

void SessionDriver::take(Begin) {
  effects_.emplace_back([this] {
    // What is told once is let go: it may own the session above, which may own this one.
    if (const auto started = std::exchange(plan_.started, {})) started(journal_.session_id());
    if (plan_.alive) plan_.alive(journal_.session_id(), shared_from_this());
    tell(SessionStarted{journal_.session_id()});
  });
  for (const auto& child : specialists_.at_work()) child->go_on();
  watch_time();
}

void SessionDriver::take(Woken) {
  watch_time();
}

void SessionDriver::watch_time() {
  if (!run_.limits.max_time) return;
  deadline_ = around_.host.run_at(std::chrono::steady_clock::now() + *run_.limits.max_time,
                                  [weak = weak_from_this()] {
                                    if (const auto self = weak.lock()) self->post(TimeIsUp{});
                                  });
}

void SessionDriver::take(ModelCame came) {
  is_asking_ = false;
  if (!came.response) {
    budget_->settle(reserved_, {});
    if (!stopping_ && !is_suspending_) {
      const bool is_too_long = came.response.error().code == ErrorCode::context_too_long;
      if (is_too_long && context_.shrink(*agent_, run_)) return;  // and is asked again
      accept_or_break(ModelFailed{std::move(came.response).error()});
    }
    return;
  }
  const Usage usage = came.response->usage;
  budget_->settle(reserved_, spending_of(usage));
  tell(ModelEnded{*came.response, came.duration_ms});
  context_.answered(run_, usage);
  accept_or_break(ModelAnswered{std::move(*came.response)});
  estimate_.answered(run_, usage);
  if (auto refused = refusal_of(*agent_, run_)) accept_or_break(std::move(*refused));
  refuse_calls_without_tools();
}

// A specialist that was granted no tools and calls one fails, and the agent above is told.
void SessionDriver::refuse_calls_without_tools() {
  if (plan_.lineage.depth() == 0 || !agent_->tools.empty() || run_.open_calls.empty()) return;
  const std::string message =
      fmt::format("{} called {} and has no tools", agent_->name, run_.open_calls.front().call.name);
  stop_with(LimitReached{Limit::tools, message}, message);
}

void SessionDriver::take(SummaryCame came) {
  is_asking_ = false;
  budget_->settle(reserved_, came.response ? spending_of(came.response->usage) : Spending{});
  if (came.response) run_.usage += came.response->usage;
  if (broken_ || stopping_ || is_suspending_) return;
  if (came.response) {
    context_.take_summary(run_, *came.response);
  } else {
    context_.do_without_summary(run_);
  }
}

void SessionDriver::take(ToolCame came) {
  if (running_.erase(came.call_id) == 0) return;  // given up meanwhile
  const OpenCall* open = find_open(came.call_id);
  if (broken_ || open == nullptr || !came.outcome) return;
  const ToolCall call = open->call;
  ToolOutcome& outcome = *came.outcome;
  if (outcome.delegate) return delegate(call, *outcome.delegate);
  if (outcome.waiting) return wait_or_refuse(call, std::move(outcome));
  hand_over_if_asked(call, outcome);
  end_call(call, std::move(outcome));
}

void SessionDriver::end_call(const ToolCall& call, ToolOutcome outcome) {
  journal_.call_ended(call.id, outcome);
  tell(ToolEnded{call, outcome});
  accept_or_break(ToolFinished{std::move(outcome.result)});
}

void SessionDriver::delegate(const ToolCall& call, const Delegate& delegate) {
  const Tool* tool = find_tool(agent_->tools, call.name);
  if (tool == nullptr || !tool->specialist) {
    ToolOutcome outcome{.result = {.call_id = call.id, .name = call.name}};
    fail_outcome(outcome, {ErrorCode::tool_failed,
                           fmt::format("{} named no specialist to answer it", call.name)});
    return end_call(call, std::move(outcome));
  }
  journal_.call_waits(call.id, Json(delegate.message), std::nullopt);
  specialists_.expect(call.id);
  effects_.emplace_back([this, call, message = delegate.message] { start_child(call, message); });
  accept_or_break(ToolWaits{call.id, delegate});
}

void SessionDriver::wait_or_refuse(const ToolCall& call, ToolOutcome outcome) {
  const Waiting waiting = *outcome.waiting;
  if (plan_.people == People::nobody) {
    fail_outcome(outcome, nobody_is_there(waiting.kind));
    return end_call(call, std::move(outcome));
  }
  OpenWait wait{.kind = waiting.kind, .shown = waiting.shown, .covers = waiting.covers};
  if (waiting.timeout) {
    wait.expires_at = around_.clock() + std::chrono::milliseconds(*waiting.timeout).count();
  }
  journal_.call_waits(call.id, waiting.shown, std::move(wait));
  tell(ToolEnded{call, outcome});
  accept_or_break(ToolWaits{call.id, waiting});
}

// A handoff that cannot be made is a failed call. One that can takes effect with the next turn.
void SessionDriver::hand_over_if_asked(const ToolCall& call, ToolOutcome& outcome) {
  const Tool* tool = find_tool(agent_->tools, call.name);
  if (tool == nullptr || !tool->specialist || outcome.result.is_error ||
      tool->specialist->kind != Specialist::Kind::handoff) {
    return;
  }
  auto agent = tool->specialist->make();
  if (agent) {
    if (auto usable = check(**agent); !usable) agent = std::unexpected(std::move(usable).error());
  }
  if (agent) {
    next_agent_ = std::move(*agent);
  } else {
    fail_outcome(outcome, agent.error());
  }
}

void SessionDriver::take(ChildCame came) {
  Ending& ending = came.ending;
  double& worked_ms = worked_below_ms_[came.call_id];
  worked_ms += came.duration_ms;
  if (ending.kind == Ending::Kind::parked) {
    specialists_.parks(came.call_id, std::move(ending.waits));
    // It parked before it heard that it is to end, and hears it now.
    if (stopping_ || broken_) wake_child(came.call_id);
    return;
  }
  came.duration_ms = worked_ms;
  worked_below_ms_.erase(came.call_id);
  specialists_.ends(came.call_id);
  if (broken_) return;
  switch (ending.kind) {
    case Ending::Kind::parked: return;
    case Ending::Kind::suspended: is_suspending_ = true; return;
    case Ending::Kind::completed:
      accept_or_break(WaitAnswered{
          came.call_id,
          {.specialist = SpecialistAnswer{.text = ending.text, .duration_ms = came.duration_ms}}});
      return;
    case Ending::Kind::failed:
    case Ending::Kind::cancelled: break;
  }
  accept_or_break(WaitAnswered{
      came.call_id,
      {.specialist = SpecialistAnswer{.error = "The specialist failed: " + ending.error.message,
                                      .duration_ms = came.duration_ms}}});
}

void SessionDriver::take(ChildStirs stirs) {
  // One that rests is stored as it is, which is all that a suspension wants.
  if (!is_suspending_) wake_child(stirs.call_id);
}

void SessionDriver::wake_child(const std::string& call_id) {
  if (const auto child = specialists_.unpark(call_id)) child->wake_up(child_ended(call_id));
}

void SessionDriver::cancel_children(const std::string& reason) {
  for (const auto& child : specialists_.at_work()) child->cancel(reason);
  for (const std::string& call_id : specialists_.parked()) {
    const auto child = specialists_.unpark(call_id);
    child->cancel(reason);  // the first thing it finds when it wakes up
    child->wake_up(child_ended(call_id));
  }
}

void SessionDriver::take(AnswerCame came) {
  const OpenCall* open = find_open(came.call_id);
  if (broken_ || open == nullptr || open->state != OpenCall::State::waiting) return;
  if (const Waiting* waiting = waiting_of(*open)) {
    remember_decision(*memory_, waiting->covers, came.answers);
  }
  accept_or_break(WaitAnswered{std::move(came.call_id), std::move(came.answers)});
}

void SessionDriver::take(CancelCame came) {
  std::string reason = came.reason;
  stop_with(Cancelled{std::move(came.reason)}, reason);
}

void SessionDriver::take(TimeIsUp) {
  const double seconds = static_cast<double>(run_.limits.max_time->count()) / 1000;
  const std::string message = fmt::format("The time limit of {} s was reached", seconds);
  stop_with(LimitReached{Limit::time, message}, message);
}

// The run ends in this way as soon as nothing is under way any more.
void SessionDriver::stop_with(Outcome outcome, const std::string& reason) {
  if (stopping_ || broken_) return;
  stopping_ = std::move(outcome);
  stop_.request_stop();
  cancel_children(reason);
  start_grace();
}

void SessionDriver::start_grace() {
  if (!around_.grace || running_.empty()) return;
  around_.host.run_at(std::chrono::steady_clock::now() + *around_.grace, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->post(GraceIsOver{});
  });
}

void SessionDriver::take(GraceIsOver) {
  for (const auto& [call_id, running] : running_) {
    running->give_up(around_.host);
    if (!running->has_begun()) continue;  // nothing happened
    journal_.call_is_unknown(call_id, "It did not end when the run was stopped");
  }
  running_.clear();
}

// A tool whose time is up is asked to stop. What it answers in the time that it is given for that
// still counts: it may tell how far it came.
void SessionDriver::take(CallIsLate late) {
  const auto found = running_.find(late.call_id);
  if (found == running_.end() || found->second != late.running) return;
  late.running->request_stop();
  around_.host.run_at(std::chrono::steady_clock::now() + kGraceOfLateCall,
                      [weak = weak_from_this(), late] {
                        if (const auto self = weak.lock()) {
                          self->post(CallGraceIsOver{late.call_id, late.running});
                        }
                      });
}

void SessionDriver::take(CallGraceIsOver late) {
  const auto found = running_.find(late.call_id);
  if (found == running_.end() || found->second != late.running) return;
  give_up_call(late.call_id);
}

void SessionDriver::give_up_call(const std::string& call_id) {
  const auto running = running_.extract(call_id).mapped();
  running->give_up(around_.host);
  const OpenCall* open = find_open(call_id);
  if (broken_ || open == nullptr) return;
  const ToolCall call = open->call;
  ToolOutcome outcome{.result = {.call_id = call.id, .name = call.name},
                      .duration_ms = running->milliseconds()};
  const Tool* tool = find_tool(agent_->tools, call.name);
  const bool may_act = tool != nullptr && tool->spec.options.effect != Effect::read;
  fail_outcome(
      outcome,
      {ErrorCode::timeout,
       fmt::format("{} did not answer within {} ms{}", call.name,
                   running->limit().value_or(milliseconds(0)).count(),
                   may_act ? ". It may still take effect: look before you call it again" : "")});
  end_call(call, std::move(outcome));
}

void SessionDriver::take(SuspendCame) {
  is_suspending_ = true;
  // What a model would answer can be asked again; what a tool does cannot be undone.
  if (is_asking_) stop_.request_stop();
  for (const auto& child : specialists_.at_work()) child->suspend();
}

// --- what is next ------------------------------------------------------------------------------

bool SessionDriver::has_work_under_way() const {
  return is_asking_ || !running_.empty() || specialists_.is_any_under_way();
}

void SessionDriver::proceed() {
  if (ending_) return;
  if (stopping_ || is_suspending_) {
    if (has_work_under_way()) return;
    // The last result may have ended the run in another way meanwhile.
    if (stopping_ && !has_ended(run_.phase)) {
      accept_or_break(std::move(*std::exchange(stopping_, {})));
      if (broken_) return;
    } else if (!stopping_) {
      return plan_end(Ending::Kind::suspended, {}, {});
    }
  }
  if (run_.phase == Phase::model && next_agent_) {
    agent_ = std::exchange(next_agent_, {});
    run_.agent = agent_->name;
    journal_.agent_changed(agent_->name);
    context_.agent_changed();
    effects_.emplace_back([this] { tell(HandedOver{agent_->name}); });
  }
  switch (run_.phase) {
    case Phase::model: return plan_model();
    case Phase::tools: return plan_tools();
    case Phase::waiting:
      if (!has_work_under_way()) plan_end(Ending::Kind::parked, {}, {});
      return;
    case Phase::done:
    case Phase::failed:
    case Phase::cancelled:
      if (has_work_under_way()) return;
      plan_end(ending_of(run_.phase),
               run_.phase == Phase::done ? run_.messages.back().text() : best_answer(run_),
               run_.error);
  }
}

void SessionDriver::plan_model() {
  if (is_asking_) return;
  context_.fit(*agent_, run_);
  reserved_ = budget_->counts_spending() ? estimate_.of_next(*agent_, run_) : Spending{};
  if (auto reserved = budget_->reserve(reserved_); !reserved) {
    reserved_ = {};
    if (context_.wants_summary()) {
      context_.do_without_summary(run_);
      return plan_model();
    }
    accept_or_break(
        LimitReached{limit_of(reserved.error()).value_or(Limit::tokens), reserved.error().message});
    if (!broken_) proceed();
    return;
  }
  is_asking_ = is_ask_planned_ = true;
  if (auto cut = context_.take_changed_cut()) journal_.context_changed(std::move(*cut));
  if (context_.wants_summary()) {
    effects_.emplace_back([this] { start_summary(); });
  } else {
    effects_.emplace_back([this] { start_model(); });
  }
}

std::vector<const OpenCall*> SessionDriver::startable_now() const {
  const auto is_running = [this](const std::string& call_id) { return running_.contains(call_id); };
  return startable(*agent_, run_, {is_running, running_.size()}, around_.parallel_calls);
}

void SessionDriver::plan_tools() {
  for (const OpenCall* open : startable_now()) {
    const ToolCall& call = open->call;
    const bool is_first_time = open->answers == WaitAnswers{};
    if (is_first_time) {
      if (auto reserved = budget_->reserve_tool_call(); !reserved) {
        stop_with(LimitReached{limit_of(reserved.error()).value_or(Limit::tool_calls),
                               reserved.error().message},
                  reserved.error().message);
        return proceed();
      }
    }
    running_.emplace(call.id, nullptr);
    planned_calls_.push_back(call.id);
    journal_.call_starts(call.id);
    effects_.emplace_back(
        [this, kept = std::make_shared<const ToolCall>(call)] { start_tool(kept); });
  }
}

void SessionDriver::plan_end(Ending::Kind kind, std::string text, Error error) {
  ending_ = Ending{.kind = kind, .text = std::move(text), .error = std::move(error)};
}

SessionStatus SessionDriver::status() const {
  if (!ending_) return SessionStatus::running;
  switch (ending_->kind) {
    case Ending::Kind::completed: return SessionStatus::completed;
    case Ending::Kind::failed: return SessionStatus::failed;
    case Ending::Kind::cancelled: return SessionStatus::cancelled;
    case Ending::Kind::parked: return SessionStatus::waiting;
    case Ending::Kind::suspended: return SessionStatus::running;
  }
  return SessionStatus::running;
}

const OpenCall* SessionDriver::find_open(const std::string& call_id) const {
  const auto found = std::ranges::find_if(
      run_.open_calls, [&](const OpenCall& open) { return open.call.id == call_id; });
  return found == run_.open_calls.end() ? nullptr : &*found;
}

// --- having it done ----------------------------------------------------------------------------

void SessionDriver::start_summary() {
  tell(ModelStarted{run_.iterations + 1});
  around_.host.ask(agent_->model, context_.summary_request(*agent_, run_),
                   {.stop = stop_.get_token()},
                   [self = shared_from_this()](Result<Response> response) {
                     self->post(SummaryCame{std::move(response)});
                   });
}

void SessionDriver::start_model() {
  if (const auto news = context_.take_news()) {
    tell(ContextShortened{news->cut.shortened, news->cut.summarised, news->usage});
  }
  tell(ModelStarted{run_.iterations + 1});
  ModelCall call{.stop = stop_.get_token()};
  if (plan_.tell) {
    if (plan_.delivery == Delivery::streamed) {
      call.on_text = [this](std::string_view text) { tell(TextDelta{text}); };
    }
    call.on_retry = [this](const ModelRetry& retry) { tell(ModelRetried{retry}); };
  }
  const Step step = next(*agent_, run_);
  const auto began = std::chrono::steady_clock::now();
  around_.host.ask(agent_->model, context_.fitted(std::get<CallModel>(step).request, run_),
                   std::move(call), [self = shared_from_this(), began](Result<Response> response) {
                     const std::chrono::duration<double, std::milli> took =
                         std::chrono::steady_clock::now() - began;
                     self->post(ModelCame{std::move(response), took.count()});
                   });
}

void SessionDriver::start_tool(const CallPointer& call) {
  const OpenCall* open = find_open(call->id);
  if (open == nullptr) return;
  const Tool* tool = find_tool(agent_->tools, call->name);
  if (!open->answers.specialist) tell(ToolStarted{*call});
  const auto running = std::make_shared<RunningCall>(
      CallPlan{.agent = agent_,
               .call = call,
               .answers = open->answers,
               .session_id = session_id(),
               .memory = memory_,
               .tool = tool != nullptr ? tool->spec.name : call->name,
               .limit = tool != nullptr ? tool->spec.options.timeout : std::nullopt},
      stop_.get_token());
  running_[call->id] = running;
  if (plan_.tell) {
    running->on_progress([weak = weak_from_this(), call](std::string_view text) {
      if (const auto self = weak.lock()) self->tell(ToolProgress{*call, text});
    });
  }
  running->on_late([weak = weak_from_this(), call, late = std::weak_ptr(running)] {
    const auto self = weak.lock();
    const auto still = late.lock();
    if (self && still) self->post(CallIsLate{call->id, still});
  });
  ExclusiveGate* gate = tool != nullptr && tool->spec.options.concurrency == Concurrency::exclusive
                            ? around_.gate
                            : nullptr;
  running->start(around_.host, gate, [self = shared_from_this(), call](auto outcome) {
    self->post(ToolCame{call->id, std::move(outcome)});
  });
}

Result<std::shared_ptr<const Agent>> SessionDriver::specialist_for(const ToolCall& call) const {
  const Specialist& specialist = *find_tool(agent_->tools, call.name)->specialist;
  auto admitted = plan_.lineage.admit(specialist.name, agent_->name, run_.limits);
  if (!admitted) return std::unexpected(std::move(admitted).error());
  auto agent = specialist.make();
  if (!agent) return agent;
  if (auto usable = check(**agent); !usable) return std::unexpected(std::move(usable).error());
  return agent;
}

SessionPlan SessionDriver::child_plan(const std::string& call_id,
                                      std::shared_ptr<const Agent> agent) {
  SessionPlan plan{.agent = std::move(agent),
                   .delivery = plan_.delivery,
                   .people = plan_.people,
                   .tell = plan_.tell,
                   .ended = child_ended(call_id),
                   // It may outlast this driver, but nobody wakes it then.
                   .stirs =
                       [weak = weak_from_this(), call_id] {
                         if (const auto self = weak.lock()) self->post(ChildStirs{call_id});
                       },
                   .budget_above = budget_,
                   .lineage = plan_.lineage.below(agent_->name, run_.limits),
                   .config = plan_.config,
                   .alive = plan_.alive};
  return plan_.below ? plan_.below(std::move(plan)) : plan;
}

std::function<void(Ending)> SessionDriver::child_ended(const std::string& call_id) {
  return [self = shared_from_this(), call_id,
          began = std::chrono::steady_clock::now()](Ending ending) {
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    self->post(ChildCame{call_id, std::move(ending), took.count()});
  };
}

void SessionDriver::start_child(const ToolCall& call, const std::string& message) {
  auto agent = stopping_ ? fail(ErrorCode::cancelled, "The run was stopped") : specialist_for(call);
  if (!agent) {
    post(ChildCame{call.id, {.kind = Ending::Kind::failed, .error = agent.error()}});
    return;
  }
  NewSession session{.agent_name = (*agent)->name,
                     .provider = (*agent)->model.provider(),
                     .model = (*agent)->model.name(),
                     .user_prompt = message,
                     .parent_session_id = std::nullopt,
                     .config = plan_.config};
  SessionPlan plan = child_plan(call.id, *agent);
  if (!plan.agent->instructions.empty()) session.system_prompt = plan.agent->instructions;
  if (around_.host.has_store()) {
    session.parent_session_id = journal_.session_id();
    session.parent_call_id = journal_.row_of(call.id);
  }
  plan.started = [self = shared_from_this(), call, name = (*agent)->name](SessionId id) {
    self->tell(ChildStarted{call, name, id});
  };
  const auto child = std::make_shared<SessionDriver>(
      around_, std::move(plan), start(**agent, message), Journal(around_.runner));
  specialists_.begins(call.id, child);
  child->begin(std::move(session));
}

// --- telling -----------------------------------------------------------------------------------

void SessionDriver::tell(const Event& event) {
  if (!plan_.tell) return;
  const std::lock_guard lock(tell_mutex_);
  plan_.tell(event, {session_id(), static_cast<int>(plan_.lineage.depth())});
}

std::vector<PersonWait> SessionDriver::person_waits() const {
  std::vector<PersonWait> waits;
  for (const OpenCall& open : run_.open_calls) {
    if (open.state != OpenCall::State::waiting) continue;
    if (const auto* below = specialists_.waits_of(open.call.id)) {
      waits.insert(waits.end(), below->begin(), below->end());
    } else {
      const Waiting* waiting = waiting_of(open);
      if (waiting == nullptr) continue;
      waits.push_back({.call = open.call,
                       .kind = waiting->kind,
                       .shown = waiting->shown,
                       .covers = waiting->covers,
                       .wait_id = journal_.wait_of(open.call.id),
                       .session_id = journal_.session_id()});
    }
  }
  return waits;
}

void SessionDriver::end() {
  has_ended_ = true;
  if (deadline_ != 0) around_.host.cancel(deadline_);
  Ending ending = std::move(*std::exchange(ending_, {}));
  ending.session_id = journal_.session_id();
  ending.iterations = run_.iterations;
  ending.usage = run_.usage;
  if (plan_.conclude && ending.kind != Ending::Kind::suspended) plan_.conclude(run_, ending);
  if (ending.feedback) tell(FeedbackGiven{*ending.feedback});
  if (ending.kind == Ending::Kind::parked) {
    ending.waits = person_waits();
    tell(RunParked{ending.waits});
  } else if (ending.kind != Ending::Kind::suspended) {
    const bool is_done = ending.kind == Ending::Kind::completed;
    const Phase phase = broken_ ? Phase::failed : run_.phase;
    tell(RunEnded{phase, ending.text, is_done ? nullptr : &ending.error});
  }
  const auto ended = std::exchange(plan_.ended, {});
  if (ending.kind == Ending::Kind::parked && plan_.stirs) {
    const std::lock_guard lock(inbox_mutex_);
    is_resting_ = true;
  }
  // From here on it may be woken up.
  if (ended) ended(std::move(ending));
}

}  // namespace wright::runtime
