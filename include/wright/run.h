// The run: the whole state of one session as a value, and the machine that advances it.
//
// next() says what to do, accept() takes what happened. Neither does I/O, starts threads or reads
// a clock, so a run can be stored, moved to another machine, replayed, and driven by anyone: the
// blocking run() of driver.h, a runtime, or a program of your own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "wright/agent.h"

namespace wright {

enum class Phase : std::uint8_t {
  model,      // the model speaks next
  tools,      // calls are open
  waiting,    // every open call waits for a person
  done,       // the model has answered
  failed,     // see Run::error
  cancelled,  // see Run::error
};

std::string_view to_string(Phase phase);

// A call of the current turn. The answers become messages, in call order, when all are there.
struct OpenCall {
  enum class State : std::uint8_t { open, waiting, answered };
  ToolCall call = {};
  State state = State::open;
  Json shown = {};         // State::waiting: what the person sees
  ToolResult result = {};  // State::answered
  bool operator==(const OpenCall&) const = default;
};

struct Run {
  std::string agent;
  Limits limits;
  std::vector<Message> messages;
  std::vector<OpenCall> open_calls;
  Usage usage;
  int iterations = 0;  // model answers since the last user message
  Phase phase = Phase::model;
  Error error;                                 // Phase::failed and Phase::cancelled
  std::unordered_set<std::uint64_t> call_ids;  // hashes of every call id used; rebuilt on load

  bool operator==(const Run&) const = default;
};

struct CallModel {
  Request request;
};
struct CallTools {
  std::vector<ToolCall> calls;  // those that are still open, in the model's order
};
struct PersonWait {
  ToolCall call;
  Json shown;
};
struct Wait {
  std::vector<PersonWait> waits;
};
struct Done {
  std::string text;
};
struct Failed {
  Error error;  // code cancelled after a cancellation
};
using Step = std::variant<CallModel, CallTools, Wait, Done, Failed>;

struct UserSaid {  // legal before the first step and after every end
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
  Json shown;
};
struct Cancelled {
  std::string reason;
};
using Outcome =
    std::variant<UserSaid, ModelAnswered, ModelFailed, ToolFinished, ToolWaits, Cancelled>;

// A run of `agent` with the user's first message.
Run start(const Agent& agent, std::string prompt);
Run start(const Agent& agent, Message message);

// The request inside CallModel refers to `agent` and `run`.
Step next(const Agent& agent, const Run& run);

// Takes what happened. An outcome that does not fit the phase is refused and changes nothing.
//
// Afterwards `run.messages` may have grown at its end; it never changes otherwise. Empty or
// repeated call ids are replaced by unique ones before anybody sees them. An answer that was cut
// (StopReason::max_tokens) keeps its text and its whole calls; a half call is never run, and where
// nothing else is left the model is told and asked again. A filtered answer fails the run.
Result<void> accept(Run& run, Outcome outcome);

// What a model is told whose answer was cut at its limit of tokens before anything in it was whole.
inline constexpr std::string_view kAnswerWasCut =
    "[Your last answer was cut at the limit of tokens before it was complete, and none of it was "
    "used. Answer again, more briefly or in smaller steps.]";
inline constexpr int kMostCutsInARow = 2;  // one more fails the run

// The words of a run that reached its iteration limit.
inline constexpr std::string_view kIterationLimitReached = "Maximum iteration limit reached";

inline constexpr int kRunFormatVersion = 1;
Json to_json(const Run& run);
Result<Run> run_from_json(const Json& json);  // refuses newer formats

}  // namespace wright
