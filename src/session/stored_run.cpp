#include "session/stored_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/begun_wait.h"
#include "core/older_forms.h"
#include "core/said_nothing.h"
#include "core/try.h"
#include "session/call_notes.h"
#include "session/turn.h"
#include "session/waits.h"
#include "wright/agent.h"

namespace wright::session {
namespace {

constexpr std::string_view kNobodyAnswered =
    "Nobody answered in time. Go on with what you know, and say what you assumed";

bool has_ended(const Session& session) {
  return session.status == SessionStatus::completed || session.status == SessionStatus::failed ||
         session.status == SessionStatus::cancelled;
}

// Puts the open calls of the last turn together from their rows.
class Loader {
 public:
  Loader(Store& store, const Agent& agent, const Settlements& settlements, std::int64_t now)
      : store_(store), agent_(agent), settlements_(settlements), now_(now) {}

  Result<StoredRun> load(SessionId id) {
    auto session = TRY(store_.get_session(id));
    if (session.format_version > Session{}.format_version) {
      return fail(ErrorCode::unsupported,
                  fmt::format("Session {} was written by a newer Wright (format {}; this one knows "
                              "up to {}). Use the newer one to go on with it",
                              id, session.format_version, Session{}.format_version));
    }
    loaded_.session = std::move(session);
    loaded_.run.agent = loaded_.session.agent_name;
    loaded_.run.limits = agent_.limits;
    loaded_.run.usage = loaded_.session.usage;
    loaded_.run.iterations = loaded_.session.iterations;
    TRY(read_messages(id));
    TRY(read_waits(id));
    TRY(read_children(id));
    TRY(read_calls(id));
    auto run = restored(std::move(loaded_.run));
    if (!run) {
      return fail(ErrorCode::storage,
                  fmt::format("Session {} cannot go on: {}", id, run.error().message));
    }
    loaded_.run = std::move(*run);
    return std::move(loaded_);
  }

 private:
  Result<void> read_messages(SessionId id) {
    auto messages = TRY(store_.get_messages(id));
    for (StoredMessage& stored : messages) {
      if (stored.message.role == Role::assistant) last_turn_ = stored.id;
      if (stored.message.is_from_user()) loaded_.last_user_message = stored.id;
      loaded_.run.messages.push_back(std::move(stored.message));
    }
    loaded_.stored_messages = loaded_.run.messages.size();
    // Another program may have stored the session alone.
    if (loaded_.run.messages.empty()) {
      loaded_.run.messages.push_back(Message::user(loaded_.session.user_prompt));
    }
    return {};
  }

  Result<void> read_waits(SessionId id) {
    auto waits = TRY(store_.get_waits({.session_id = id}));
    for (StoredWait& wait : waits) {
      if (wait.session_id != id) continue;
      if (wait.kind == WaitKind::approval && wait.status == WaitStatus::answered) {
        loaded_.decisions.push_back(wait);
      }
      waits_[wait.call_id].push_back(std::move(wait));
    }
    return {};
  }

  Result<void> read_children(SessionId id) {
    auto children = TRY(store_.list_sessions(
        {.parent_session_id = id, .limit = std::numeric_limits<std::size_t>::max()}));
    for (Session& child : children) {  // newest first
      if (child.parent_call_id) children_.try_emplace(*child.parent_call_id, std::move(child));
    }
    return {};
  }

  // Results are told to the model when all calls of a turn have theirs. So either all calls of the
  // last turn are answered by messages, or none is.
  Result<void> read_calls(SessionId id) {
    Run& run = loaded_.run;
    if (run.messages.empty() || run.messages.back().role != Role::assistant) return {};
    const std::vector<ToolCall> calls = run.messages.back().tool_calls();
    if (calls.empty()) return {};
    auto rows = TRY(store_.get_tool_calls(id));
    std::map<std::string_view, const StoredCall*> of_turn;
    for (const StoredCall& stored : rows) {
      if (stored.message_id == last_turn_) of_turn.emplace(stored.tool_call_id, &stored);
    }
    for (const ToolCall& call : calls) {
      const auto found = of_turn.find(call.id);
      const StoredCall* row = found != of_turn.end() ? found->second : nullptr;
      OpenCall open{.call = call};
      if (row == nullptr) {
        answer(open, "This call was never recorded, and was not run", true);
      } else {
        loaded_.rows[call.id] = {.id = row->id, .status = row->status};
        if (row->status == CallStatus::executing) {
          if (auto kept = TRY(note_of(store_, row->id))) open.answers.kept = std::move(*kept);
        }
        fill_in(open, *row);
      }
      run.open_calls.push_back(std::move(open));
    }
    return {};
  }

  void fill_in(OpenCall& open, const StoredCall& row) {
    take_answers(open, row);
    const Tool* tool = find_tool(agent_.tools, open.call.name);
    const bool is_delegated =
        tool != nullptr && tool->specialist && tool->specialist->kind == Specialist::Kind::delegate;
    switch (row.status) {
      case CallStatus::pending: return;
      case CallStatus::waiting: {
        // A call that is to be delegated may wait for a person's approval first.
        const bool is_handed_on = children_.contains(row.id) || !waits_.contains(row.id);
        return is_delegated && is_handed_on ? find_child(open, row) : find_wait(open, row);
      }
      case CallStatus::executing:
        if (is_delegated) return find_child(open, row);
        if (settlements_.contains(open.call.id)) open.answers.kept = nullptr;
        if (tool != nullptr && !open.answers.kept.is_null()) {
          loaded_.rows[open.call.id].may_have_happened = true;
          return;
        }
        if (tool != nullptr && tool->spec.options.effect != Effect::write) {
          loaded_.rows[open.call.id].may_have_happened =
              tool->spec.options.effect == Effect::idempotent;
          return;
        }
        return settle(open, row);
      case CallStatus::unknown: return settle(open, row);
      case CallStatus::completed:
      case CallStatus::failed:
      case CallStatus::cancelled: return take_result(open, row);
    }
  }

  static void answer(OpenCall& open, std::string content, bool is_error) {
    open.state = OpenCall::State::answered;
    open.result = {.call_id = open.call.id,
                   .name = open.call.name,
                   .content = std::move(content),
                   .is_error = is_error};
  }

  static void take_result(OpenCall& open, const StoredCall& row) {
    if (row.result) {
      open.state = OpenCall::State::answered;
      open.result = *row.result;
      return;
    }
    // Older versions did not keep what the model reads apart.
    if (row.status == CallStatus::completed) {
      const Json response = row.response.value_or(Json());
      answer(open, response.is_string() ? std::string(response.get_string()) : to_text(response),
             false);
    } else {
      answer(open, row.error_details.value_or("It failed"), true);
    }
  }

  // Answers to earlier waits of the call, which it receives when it is executed again.
  void take_answers(OpenCall& open, const StoredCall& row) {
    const auto waits = waits_.find(row.id);
    if (waits == waits_.end()) return;
    for (const StoredWait& wait : waits->second) {
      loaded_.rows[open.call.id].wait_id = wait.id;
      if (waits_in_the_middle(wait.state) && may_act(agent_, open.call.name)) {
        loaded_.rows[open.call.id].may_have_happened = true;
      }
      if (wait.status != WaitStatus::answered || !wait.answer) continue;
      auto answers = answers_of(wait.kind, *wait.answer);
      if (!answers) continue;
      if (answers->approval) {
        open.answers.approval = std::move(answers->approval);
        open.answers.approved = wait.shown;
      }
      if (answers->answer) {
        open.answers.answer = std::move(answers->answer);
        open.answers.state = wait.state;
      }
    }
  }

  void find_wait(OpenCall& open, const StoredCall& row) {
    const auto waits = waits_.find(row.id);
    open.state = OpenCall::State::waiting;
    if (waits == waits_.end()) {
      open.waits_for = older::waits_for(row.response.value_or(Json()));
      if (std::holds_alternative<std::monostate>(open.waits_for)) open.waits_for = Waiting{};
      return;
    }
    const StoredWait& last = waits->second.back();
    // It cannot go on without its tool, and has begun: what came of it stays unknown.
    const bool is_left_begun =
        waits_in_the_middle(last.state) && find_tool(agent_.tools, open.call.name) == nullptr;
    if (last.status == WaitStatus::answered) {
      open.state = OpenCall::State::open;
      return is_left_begun ? settle(open, row) : void();
    }
    open.waits_for =
        Waiting{.kind = last.kind, .shown = last.shown, .covers = last.covers, .state = last.state};
    const bool is_late = last.expires_at && *last.expires_at <= now_;
    if (last.status == WaitStatus::open && !is_late) return;
    // Somebody wants this session, or one above it, to be cancelled: that is about to come.
    if (last.status == WaitStatus::cancelled) return;
    open.waits_for = {};
    loaded_.expired.push_back(open.call.id);
    if (last.status == WaitStatus::open) loaded_.overdue.push_back(row.id);
    if (is_left_begun) {
      open.state = OpenCall::State::open;
      return settle(open, row);
    }
    if (waits_in_the_middle(last.state)) return go_on_without_answer(open, last);
    answer(open, std::string(kNobodyAnswered), true);
    keep_outcome(open);
  }

  // It has begun, and says itself what came of it.
  static void go_on_without_answer(OpenCall& open, const StoredWait& wait) {
    open.state = OpenCall::State::open;
    WaitAnswers none = declined(wait.kind, "Nobody answered in time");
    if (none.approval) {
      open.answers.approval = std::move(none.approval);
      open.answers.approved = wait.shown;
    }
    if (none.answer) {
      open.answers.answer = std::move(none.answer);
      open.answers.state = wait.state;
    }
  }

  void find_child(OpenCall& open, const StoredCall& row) {
    const auto child = children_.find(row.id);
    if (child == children_.end()) return;  // it never began: the call starts again
    const Session& session = child->second;
    if (!has_ended(session)) {
      open.state = OpenCall::State::waiting;
      open.waits_for = Delegate{session.user_prompt};
      loaded_.children.push_back({open.call.id, session.id});
      return;
    }
    SpecialistResult& said = open.answers.specialist.emplace();
    said.duration_ms =
        static_cast<double>(session.ended_at.value_or(session.started_at) - session.started_at);
    const std::string why = session.error.value_or("");
    if (session.status == SessionStatus::completed) {
      said.text = session.result.value_or("");
    } else if (!session.error_code || !has_said_nothing(*session.error_code, why)) {
      said.error = "The specialist failed: " + session.error.value_or("it was cancelled");
    }
  }

  void settle(OpenCall& open, const StoredCall& row) {
    const auto settlement = settlements_.find(open.call.id);
    if (settlement == settlements_.end()) {
      if (row.result) return take_result(open, row);  // the tool itself could not tell
      answer(open, std::string(kOutcomeUnknown), true);
      if (row.status != CallStatus::unknown) loaded_.unknown.push_back(open);
      return;
    }
    switch (settlement->second) {
      case Settlement::retry: return;
      case Settlement::done:
        answer(open, "The process ended while this ran. A person has found that it was done",
               false);
        break;
      case Settlement::failed:
        answer(open, "The process ended while this ran. A person has found that it was not done",
               true);
        break;
    }
    keep_outcome(open);
  }

  // What came of the call is known now, and is to be written down.
  void keep_outcome(const OpenCall& open) {
    ToolOutcome outcome;
    outcome.result = open.result;
    if (open.result.is_error) {
      outcome.error = Error{ErrorCode::tool_failed, open.result.content};
    } else {
      outcome.response = open.result.content;
    }
    loaded_.settled[open.call.id] = std::move(outcome);
  }

  Store& store_;
  const Agent& agent_;
  const Settlements& settlements_;
  std::int64_t now_;
  StoredRun loaded_;
  std::optional<MessageId> last_turn_;
  std::map<CallId, std::vector<StoredWait>> waits_;
  std::map<CallId, Session> children_;  // by the call that they answer
};

}  // namespace

Result<StoredRun> load_run(Store& store, SessionId id, const Agent& agent,
                           const Settlements& settlements, std::int64_t now) {
  return Loader(store, agent, settlements, now).load(id);
}

}  // namespace wright::session
