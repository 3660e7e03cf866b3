// What a session machine wants done, and what it wants to hear of. Plain values: a driver performs
// them with threads and timers, a simulator with a list and a dice.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "session/budget.h"
#include "session/ending.h"
#include "session/said.h"
#include "wright/events.h"
#include "wright/run.h"
#include "wright/store.h"
#include "wright/tool.h"

namespace wright::session {

// The clocks by which a machine judges, read by whoever gives it its inputs.
struct Now {
  std::int64_t wall_ms = 0;    // since 1970: when waits expire
  std::int64_t steady_ms = 0;  // never goes back: how long something takes
};

// Which execution of a call this is: a call that waited is executed again.
using Attempt = std::uint32_t;

// --- actions -----------------------------------------------------------------------------------

// Ask the model what request() says, and answer with ModelCame.
struct AskModel {
  bool is_summary = false;  // of a long conversation; nobody listens to its words
};
// Execute the call, and answer with CallEnded, CallNotBegun or CallFenced. CallIsLate in between
// when `limit` is over.
struct RunCall {
  std::shared_ptr<const ToolCall> call = {};
  Attempt attempt = 0;
  WaitAnswers answers = {};
  std::string tool = {};                                // by its own name, not an alias
  std::optional<std::chrono::milliseconds> limit = {};  // absent: as long as it wants
  bool is_exclusive = false;                            // one at a time in the process
  int lease_epoch = 0;                                  // the fencing token of the session
  // Of the session, as it is begun, for all of its calls that are under way together.
  BudgetLeft left = {};
};
// Ask the call to stop.
struct StopCall {
  std::string call_id = {};
};
// Nobody waits for the call any more. Answer with CallGivenUp, unless it has just ended.
struct GiveUpCall {
  std::string call_id = {};
  Attempt attempt = 0;
};
// Ask the model and all calls of this session to stop.
struct StopWork {
  bool is_suspended = false;  // whoever resumes the session goes on with them
};
// A specialist is to answer the call, in a session of its own. Answer with SpecialistEnded or
// SpecialistWaits.
struct StartSpecialist {
  ToolCall call = {};
  std::string message = {};
};
// Cancel the specialists that are at work or wait.
struct CancelSpecialists {
  std::string reason = {};
};
struct SuspendSpecialists {
  std::optional<std::chrono::milliseconds> time_left = {};  // as of Suspend
};
// Answer with TimerFired when the time is over. One of a kind (and call) runs at a time.
enum class TimerKind : std::uint8_t {
  deadline,    // of the run
  grace,       // of a session that stops
  call_grace,  // of a call whose time is up
  count,       // until the time at work is stored again
};
struct SetTimer {
  TimerKind kind = TimerKind::deadline;
  std::chrono::milliseconds after{0};
  std::string call_id = {};
  Attempt attempt = 0;
};
struct CancelTimer {
  TimerKind kind = TimerKind::deadline;
};
// Tell those who listen. The event refers to what `owner` keeps.
struct Publish {
  std::shared_ptr<const Event> event = {};
  std::shared_ptr<const void> owner = {};
};
// The session has its id, and is there for others.
struct Created {
  SessionId session_id = 0;
};
// It waits for a person: it is stored, and goes on with what arrives. At the root nothing more
// happens.
struct NowWaits {
  Ending ending = {};
};
// It goes on after a wait.
struct Woke {};
struct Ended {
  Ending ending = {};
};
using Action = std::variant<AskModel, RunCall, StopCall, GiveUpCall, StopWork, StartSpecialist,
                            CancelSpecialists, SuspendSpecialists, SetTimer, CancelTimer, Publish,
                            Created, NowWaits, Woke, Ended>;

// --- inputs ------------------------------------------------------------------------------------

struct Begin {};
struct Written {
  Result<BatchIds> ids = {};
};
struct ModelCame {
  Result<Response> response = {};
  double duration_ms = 0;
};
struct CallEnded {
  std::string call_id = {};
  Attempt attempt = 0;
  ToolOutcome outcome = {};
  Usage spent = {};  // by models that calls of the session asked, and not told of before
  bool has_kept = false;  // what it needs to go on when it is executed again
};
struct CallNotBegun {  // it was stopped before
  std::string call_id = {};
  Attempt attempt = 0;
};
// It was not begun: this process cannot be sure that the session is still its own.
struct CallFenced {
  std::string call_id = {};
  Attempt attempt = 0;
};
struct CallIsLate {
  std::string call_id = {};
  Attempt attempt = 0;
};
struct CallGivenUp {
  std::string call_id = {};
  Attempt attempt = 0;
  bool has_begun = false;
  double duration_ms = 0;
  Usage spent = {};  // as in CallEnded
};
struct SpecialistEnded {
  std::string call_id = {};
  Ending ending = {};
};
struct SpecialistWaits {
  std::string call_id = {};
  std::vector<PersonWait> waits = {};
};
struct SpecialistWoke {
  std::string call_id = {};
};
struct Answered {  // what a call waited for is there, and is stored
  std::string call_id = {};
  WaitAnswers answers = {};
};
struct Cancel {
  std::string reason = {};
};
struct Suspend {
  // What its calls still have, which are asked to stop at once. Absent: the usual time, and as long
  // again when they are asked.
  std::optional<std::chrono::milliseconds> time_left = {};
};
// What the user said meanwhile, and is stored. Taken before the next turn of the model.
struct UserSpoke {
  Said said = {};
};
struct TimerFired {
  TimerKind kind = TimerKind::deadline;
  std::string call_id = {};
  Attempt attempt = 0;
};
using Input = std::variant<Begin, Written, ModelCame, CallEnded, CallNotBegun, CallFenced,
                           CallIsLate, CallGivenUp, SpecialistEnded, SpecialistWaits,
                           SpecialistWoke, Answered, Cancel, Suspend, TimerFired, UserSpoke>;

}  // namespace wright::session
