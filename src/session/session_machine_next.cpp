// What a session does next, and how it is written before it is done.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/try.h"
#include "session/agent_of_now.h"
#include "session/session_machine.h"
#include "session/turn.h"

namespace wright::session {
namespace {

template <class Kind>
bool is(const Step& step) {
  return std::holds_alternative<Kind>(step);
}

bool is_end(const Step& step) {
  return is<Done>(step) || is<Failed>(step);
}

// As next(), without a copy of the calls: the machine reads them where they are.
Step next_kind(const Agent& agent, const Run& run) {
  if (run.phase == Phase::tools) return CallTools{};
  return next(agent, run);
}

}  // namespace

// --- what is next ------------------------------------------------------------------------------

bool SessionMachine::is_running(std::string_view call_id) const {
  return std::ranges::any_of(running_,
                             [&](const Running& each) { return each.call->id == call_id; });
}

bool SessionMachine::is_running(std::string_view call_id, Attempt attempt) const {
  return std::ranges::any_of(running_, [&](const Running& each) {
    return each.attempt == attempt && each.call->id == call_id;
  });
}

void SessionMachine::forget_running(std::string_view call_id) {
  std::erase_if(running_, [&](const Running& each) { return each.call->id == call_id; });
}

bool SessionMachine::has_work_under_way() const {
  return is_asking_ || !running_.empty() ||
         std::ranges::any_of(specialists_, [](const auto& each) { return each.second.is_at_work; });
}

const OpenCall* SessionMachine::find_open(const std::string& call_id) const {
  constexpr std::size_t kFew = 16;
  if (run_.open_calls.size() <= kFew) {
    const auto found = std::ranges::find_if(
        run_.open_calls, [&](const OpenCall& open) { return open.call.id == call_id; });
    return found == run_.open_calls.end() ? nullptr : &*found;
  }
  const auto known = [&]() -> const OpenCall* {
    const auto place = open_places_.find(call_id);
    if (place == open_places_.end() || place->second >= run_.open_calls.size()) return nullptr;
    const OpenCall& open = run_.open_calls[place->second];
    return open.call.id == call_id ? &open : nullptr;
  };
  if (const OpenCall* open = known()) return open;
  open_places_.clear();
  for (std::size_t place = 0; place < run_.open_calls.size(); ++place) {
    open_places_.emplace(run_.open_calls[place].call.id, place);
  }
  return known();
}

void SessionMachine::proceed() {
  if (ending_) return;
  if (is_stopping() && has_work_under_way()) return;
  // Those below end before this one does: nobody would look for them afterwards.
  if (std::holds_alternative<Stop>(intent_) && !specialists_.empty()) return;
  Step step = next_kind(*agent_, run_);
  if (const auto* stop = std::get_if<Stop>(&intent_)) {
    // The last result may have ended the run in another way meanwhile.
    if (!is_end(step)) {
      accept_or_break(stop->outcome);
      if (is_broken()) return;
      step = next_kind(*agent_, run_);
    }
  } else if (const auto* here = std::get_if<SuspendHere>(&intent_)) {
    if (here->is_above_unfinished || is<CallModel>(step) || is<CallTools>(step)) {
      return plan_end(Ending::Kind::suspended, {}, {});
    }
  }
  const bool is_between_turns =
      is<Done>(step) || (is<CallModel>(step) && run_.messages.back().role == Role::tool);
  if (is_between_turns && !is_asking_ && !is_stopping() && !said_.empty()) {
    take_what_was_said();
    if (is_broken()) return;
    step = next_kind(*agent_, run_);
  }
  if (is<CallModel>(step)) return plan_model();
  if (is<CallTools>(step)) return plan_tools();
  if (has_work_under_way()) return;
  if (is<Wait>(step)) return plan_end(Ending::Kind::waiting, {}, {});
  if (auto* done = std::get_if<Done>(&step)) {
    return plan_end(Ending::Kind::completed, std::move(done->text), {});
  }
  Failed& failed = std::get<Failed>(step);
  const bool is_cancelled = failed.error.code == ErrorCode::cancelled;
  plan_end(is_cancelled ? Ending::Kind::cancelled : Ending::Kind::failed, std::move(failed.text),
           std::move(failed.error));
}

// A run that has answered goes on, too. The time that it has is not counted anew.
void SessionMachine::take_what_was_said() {
  const std::vector<Said> said = std::exchange(said_, {});
  Message message = joined(said);
  for (const Said& each : said) journal_.message_taken(each.key);
  publish<MessageTaken>(message);
  accept_or_break(UserSaid{std::move(message)});
  budget_.user_spoke();
}

void SessionMachine::plan_model() {
  if (is_asking_) return;
  if (next_agent_) {
    agent_ = std::exchange(next_agent_, {});
    agent_as_built_ = agent_;
    count_time();
    forget_time_limit();
    accept_or_break(AgentChanged{agent_->name, agent_->limits});
    watch_time();
    budget_.change(agent_->limits);
    journal_.agent_changed(agent_->name);
    context_.agent_changed();
    publish<HandedOff>(agent_->name);
  }
  take_tools_of_now();
  context_.fit(*agent_, run_);
  if (const auto& too_long = context_.too_long()) {
    accept_or_break(ModelFailed{*too_long});
    if (!is_broken()) proceed();
    return;
  }
  if (auto reserved = reserve_next_call(); !reserved) {
    if (context_.wants_summary()) {
      context_.do_without_summary(run_);
      return plan_model();
    }
    accept_or_break(
        LimitReached{limit_of(reserved.error()).value_or(Limit::tokens), reserved.error().message});
    if (!is_broken()) proceed();
    return;
  }
  is_asking_ = true;
  is_summary_ = context_.wants_summary();
  if (auto cut = context_.take_changed_cut()) journal_.context_changed(std::move(*cut));
  if (!is_summary_) {
    if (const auto news = context_.take_news()) {
      publish<ContextShortened>(news->cut.shortened, news->cut.summarised, news->usage);
    }
  }
  publish<ModelStarted>(run_.iterations + 1, model().provider(), model().name());
  then(AskModel{is_summary_});
}

// An agent whose tools come and go is another value from now on.
void SessionMachine::take_tools_of_now() {
  auto now = agent_of_now(agent_, agent_as_built_);
  if (now == agent_) return;
  agent_ = std::move(now);
  context_.agent_changed();
}

// As it is sent, and an answer of full length.
Result<Spending> SessionMachine::most_of_next_call() {
  if (!budget_.counts_spending()) return Spending{};
  const std::int64_t input = context_.estimate(*agent_, run_);
  const std::int64_t output = agent_->sampling.max_tokens;
  const Model& asked =
      context_.wants_summary() ? ContextFitting::summary_model(*agent_) : agent_->model;
  const auto cost = asked.cost_usd(input, output);
  if (!cost && budget_.left().cost_usd) {
    return std::unexpected(limit_error(
        Limit::cost,
        fmt::format("The limit of what this may cost cannot be kept: nobody knows the price of "
                    "{0}:{1}. Say it in the catalogue, as [models.\"{0}:{1}\"] price = {{ input = "
                    "…, output = … }}, or take the limit away",
                    asked.provider(), asked.name())));
  }
  return Spending{input + output, cost.value_or(0)};
}

Result<void> SessionMachine::reserve_next_call() {
  reserved_ = {};
  const Spending most = TRY(most_of_next_call());
  TRY(budget_.reserve(most));
  reserved_ = most;
  return {};
}

void SessionMachine::plan_tools() {
  const auto is_running = [this](const std::string& call_id) { return this->is_running(call_id); };
  const auto calls =
      startable(*agent_, run_, {is_running, running_.size()}, options_.parallel_calls);
  for (const OpenCall* open : calls) {
    const bool is_first_time = open->answers == WaitAnswers{};
    if (is_first_time) {
      if (auto reserved = budget_.reserve_tool_call(); !reserved) {
        stop_with(LimitReached{limit_of(reserved.error()).value_or(Limit::tool_calls),
                               reserved.error().message},
                  reserved.error().message);
        return proceed();
      }
    }
    journal_.call_starts(open->call.id);
    if (!open->answers.specialist && !declined_.contains(open->call.id)) {
      publish<ToolStarted>(open->call);
    }
    start_call(*open);
  }
}

void SessionMachine::start_call(const OpenCall& open) {
  const Tool* tool = find_tool(agent_->tools, open.call.name);
  RunCall run{.call = std::make_shared<const ToolCall>(open.call),
              .attempt = ++last_attempt_,
              .answers = open.answers,
              .tool = tool != nullptr ? tool->spec.name : open.call.name,
              .lease_epoch = journal_.epoch(),
              .left = budget_.left()};
  if (tool != nullptr) {
    run.limit = tool->spec.options.timeout;
    run.is_exclusive = tool->spec.options.concurrency == Concurrency::exclusive;
  }
  running_.push_back({run.call, run.attempt});
  then(std::move(run));
}

// By models that calls have asked, whatever came of the calls.
void SessionMachine::count(const Usage& spent) {
  if (spent == Usage{}) return;
  budget_.settle({}, spending_of(spent));
  if (!is_broken()) accept_or_break(Summarised{spent});
}

void SessionMachine::plan_end(Ending::Kind kind, std::string text, Error error) {
  ending_ = Ending{.kind = kind, .text = std::move(text), .error = std::move(error)};
  if (auto context = context_.take_last()) journal_.context_changed(std::move(*context));
  if (kind == Ending::Kind::suspended) {
    journal_.release();
  } else if (plan_.conclude) {
    ending_->feedback = plan_.conclude(run_);
    journal_.feedback(to_json(*ending_->feedback));
  }
}

SessionStatus SessionMachine::status() const {
  if (!ending_) return SessionStatus::running;
  switch (ending_->kind) {
    case Ending::Kind::completed: return SessionStatus::completed;
    case Ending::Kind::failed: return SessionStatus::failed;
    case Ending::Kind::cancelled: return SessionStatus::cancelled;
    case Ending::Kind::waiting: return SessionStatus::waiting;
    case Ending::Kind::suspended:
    case Ending::Kind::lost: break;
  }
  return SessionStatus::running;
}

// --- writing, then doing -----------------------------------------------------------------------

SessionMachine::Round SessionMachine::write_or_act() {
  count_time();
  if (is_broken()) {
    write_last_words();
    return Round::last;
  }
  if (options_.has_store) {
    Batch batch = journal_.batch(run_, status());
    if (batch.create || !batch.writes.empty()) {
      output_.batch = std::move(batch);
      results_in_batch_ = std::ssize(unwritten_results_);
      state_ = State::writing;
      return Round::last;
    }
  }
  return act();
}

// A session that broke by its own fault is marked as failed, so that it does not look alive. One
// that is not ours any more, or whose store failed, stays as it is.
void SessionMachine::write_last_words() {
  BreakOff& broken = std::get<BreakOff>(intent_);
  if (has_work_under_way() || (!broken.is_lost && !specialists_.empty())) return;
  if (options_.has_store && journal_.session_id() != 0 && !broken.is_lost &&
      !broken.is_written_down) {
    Batch last;
    if (const auto lease = journal_.lease()) last.writes.emplace_back(*lease);
    last.writes.emplace_back(UpdateSession{.session_id = journal_.session_id(),
                                           .status = SessionStatus::failed,
                                           .error = broken.error.message,
                                           .error_code = broken.error.code,
                                           .limit = limit_of(broken.error)});
    output_.batch = std::move(last);
    state_ = State::writing;
    return;
  }
  ending_ = Ending{.kind = broken.is_lost ? Ending::Kind::lost : Ending::Kind::failed,
                   .text = best_answer(run_),
                   .error = broken.error};
  finish();
}

// All is written: what was planned is done, unless the session is to stop.
SessionMachine::Round SessionMachine::act() {
  Round round = Round::last;
  if (is_stopping() && drop_what_was_planned()) round = Round::another;
  for (Action& action : planned_) {
    // What the batch has found out.
    if (auto* created = std::get_if<Created>(&action)) created->session_id = journal_.session_id();
    if (auto* run = std::get_if<RunCall>(&action)) run->lease_epoch = journal_.epoch();
    output_.actions.push_back(std::move(action));
  }
  planned_.clear();
  if (!ending_) return round;
  // What came while this was written is not forgotten.
  const bool is_to_go_on = !queued_.empty() || std::holds_alternative<Stop>(intent_);
  if (ending_->kind == Ending::Kind::waiting && is_to_go_on) {
    ending_.reset();
    return Round::another;
  }
  finish();
  return Round::last;
}

void SessionMachine::finish() {
  forget_time_limit();
  working_since_.reset();
  Ending ending = *std::exchange(ending_, {});
  ending.session_id = journal_.session_id();
  ending.lease_epoch = journal_.epoch();
  ending.iterations = run_.iterations;
  ending.usage = run_.usage;
  if (ending.feedback) publish<FeedbackGiven>(*ending.feedback);
  if (ending.kind == Ending::Kind::waiting) {
    ending.waits = person_waits();
    publish<RunWaiting>(ending.waits);
  } else if (ending.kind == Ending::Kind::completed) {
    if (is_heard()) {
      const auto text = std::make_shared<const std::string>(ending.text);
      then(Publish{std::make_shared<const Event>(RunEnded{Phase::done, *text, nullptr}), text});
    }
  } else if (ending.kind != Ending::Kind::suspended && is_heard()) {
    const auto kept = std::make_shared<const Ending>(ending);
    const Phase phase = ending.kind == Ending::Kind::cancelled ? Phase::cancelled : Phase::failed;
    then(Publish{std::make_shared<const Event>(RunEnded{phase, kept->text, &kept->error}), kept});
  }
  for (Action& action : planned_) output_.actions.push_back(std::move(action));
  planned_.clear();
  if (ending.kind == Ending::Kind::waiting) {
    state_ = State::waiting;
    output_.actions.emplace_back(NowWaits{std::move(ending)});
  } else {
    state_ = State::ended;
    output_.actions.emplace_back(Ended{std::move(ending)});
  }
}

std::vector<PersonWait> SessionMachine::person_waits() const {
  std::vector<PersonWait> waits;
  for (const OpenCall& open : run_.open_calls) {
    if (open.state != OpenCall::State::waiting) continue;
    if (const auto below = specialists_.find(open.call.id); below != specialists_.end()) {
      waits.insert(waits.end(), below->second.waits.begin(), below->second.waits.end());
    } else if (const Waiting* waiting = waiting_of(open)) {
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

}  // namespace wright::session
