// The run machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "wright/agent.h"
#include "wright/message.h"
#include "wright/model.h"
#include "wright/tool.h"

namespace wright {

// The run: the whole state of one session as a value, and the machine that advances it.
//
// next() says what to do, accept() takes what happened. Neither does I/O, starts threads or reads
// a clock, so a run can be stored, moved to another machine, replayed, and driven by anyone: the
// blocking run() of driver.h, a runtime, or a program of your own.

enum class Phase : std::uint8_t {
  model,      // the model speaks next
  tools,      // calls are open
  waiting,    // every open call waits for a person
  done,       // the model has answered
  failed,     // see Run::error
  cancelled,  // see Run::error
};

std::string_view to_string(Phase phase);

// What a call waits for: somebody who is to answer, or the run of a specialist.
using WaitsFor = std::variant<std::monostate, Waiting, Delegate>;

// A call of the current turn. The answers become messages, in call order, when all are there.
struct OpenCall {
  enum class State : std::uint8_t { open, waiting, answered };
  ToolCall call = {};
  State state = State::open;
  WaitsFor waits_for = {};   // State::waiting
  ToolResult result = {};    // State::answered
  WaitAnswers answers = {};  // what it waited for before and has got
  bool operator==(const OpenCall&) const = default;
};

struct Run {
  std::string agent;
  Limits limits;
  std::vector<Message> messages;
  std::vector<OpenCall> open_calls;
  Usage usage;
  int iterations = 0;  // model answers since the last user message
  int tool_calls = 0;  // since the last user message
  Phase phase = Phase::model;
  Error error;                                 // Phase::failed and Phase::cancelled
  std::unordered_set<std::uint64_t> call_ids;  // hashes of every call id used; rebuilt on load
  // How often a call had the same result since the last user message, by a hash of both; rebuilt.
  std::unordered_map<std::uint64_t, int> repeats;

  bool operator==(const Run&) const = default;
};

struct CallModel {
  Request request;
};
struct CallTools {
  std::vector<ToolCall> calls;  // those that are still open, in the model's order
};
struct PersonWait {
  ToolCall call = {};
  WaitKind kind = WaitKind::question;
  Json shown = {};
  std::vector<std::string> covers = {};  // see Waiting
  std::int64_t wait_id = 0;              // 0 when nothing is stored
  std::int64_t session_id = 0;           // the session that waits: this one, or a specialist's
};
struct DelegatedCall {
  ToolCall call = {};
  std::string message = {};
};
struct Wait {
  std::vector<PersonWait> waits;
  std::vector<DelegatedCall> specialists;  // whose runs are to answer
};
struct Done {
  std::string text;
};
struct Failed {
  Error error;       // code cancelled after a cancellation
  std::string text;  // the best answer so far: what the model said last, or nothing
};
using Step = std::variant<CallModel, CallTools, Wait, Done, Failed>;

struct UserSaid {  // legal before the first step, after every end, and behind results of tools
  Message message;
};
struct ModelAnswered {
  Response response;
};
struct ModelFailed {
  Error error;
};
struct ToolFinished {
  ToolResult result;
};
struct ToolWaits {
  std::string call_id;
  WaitsFor waits_for;
};
// What a call waited for is there: it is open again, and is to be executed once more with this.
struct WaitAnswered {
  std::string call_id;
  WaitAnswers answers;
};
struct LimitReached {  // one that a driver watches; tells the model why its calls were not run
  Limit limit = Limit::time;
  std::string message;
};
struct Cancelled {
  std::string reason;
};
// The conversation goes on with another agent: next() is given that one from now on. Legal while
// the model is to speak.
struct AgentChanged {
  std::string agent;
  Limits limits;  // the other agent's, which hold from now on
};
// A model wrote a summary of what requests leave out (context.h). Its tokens count.
struct Summarised {
  Usage usage;
};
// The answer may not stand (see refusal_of()). The model is told and asked again, or, when that has
// happened too often, the run fails with ErrorCode::answer_refused.
struct AnswerRefused {
  std::string message;  // what the model reads
  bool operator==(const AnswerRefused&) const = default;
};
using Outcome =
    std::variant<UserSaid, ModelAnswered, ModelFailed, ToolFinished, ToolWaits, WaitAnswered,
                 LimitReached, Cancelled, AgentChanged, Summarised, AnswerRefused>;

// A run of `agent` with the user's first message.
Run start(const Agent& agent, std::string prompt);
Run start(const Agent& agent, Message message);

// The request inside CallModel refers to `agent` and `run`.
Step next(const Agent& agent, const Run& run);

// Takes what happened. An outcome that does not fit the phase is refused and changes nothing.
//
// Afterwards `run.messages` may have grown at its end; it never changes otherwise. Empty or
// repeated call ids are replaced by unique ones before anybody sees them; a call that is there
// twice (same id, name and arguments) is left out the second time. An answer that was cut
// (StopReason::max_tokens) keeps its text and its whole calls; a half call is never run, and where
// nothing else is left the model is told and asked again. A filtered answer fails the run. After
// one that its vendor paused (StopReason::paused) the model is asked again, with all of it.
Result<void> accept(Run& run, Outcome outcome);

// What is wrong with the answer of a run that is done, by what the agent says of answers. To be
// asked after every ModelAnswered, and to be accepted. Absent when the answer may stand, and in all
// other phases.
std::optional<AnswerRefused> refusal_of(const Agent& agent, const Run& run);

// The JSON in a model's answer: the whole text, or what stands in the one Markdown fence in it.
// Left out are nulls that the schema refuses, which some vendors ask models for. Where the answer
// does not fit, the error lists what is wrong.
Result<Json> answer_json(std::string_view text, const Json& schema);

// A run as it follows from its messages, its open calls, its counts and its limits: finds out the
// phase and what else need not be stored. Refuses what no run can be.
Result<Run> restored(Run run);

// The approvals, questions and results that are waited for; null for other calls.
const Waiting* waiting_of(const OpenCall& open);

// What the model said last since the user's last message; empty when it only called tools.
std::string best_answer(const Run& run);

inline constexpr int kMostPausesInARow = 10;   // one more fails the run
inline constexpr int kMostRefusedAnswers = 2;  // to one user message; one more fails the run

inline constexpr int kRunFormatVersion = 4;
Json to_json(const Run& run);
Result<Run> run_from_json(const Json& json);  // refuses newer formats

}  // namespace wright
